package export

// thin drops points that are less than 0.7 pixels from the previous one, because they would only make bends ragged. It
// returns the remaining points and their length.
func thin(points []point) (out []point, length float64) {
	const closest = 0.7
	for _, p := range points {
		if len(out) == 0 {
			out = append(out, p)
			continue
		}
		if step := distance(p, out[len(out)-1]); step >= closest {
			out = append(out, p)
			length += step
		}
	}
	return out, length
}

func reversed(points []point) []point {
	out := make([]point, 0, len(points))
	for i := len(points) - 1; i >= 0; i-- {
		out = append(out, points[i])
	}
	return out
}

// walk returns the point at the given length along the polyline, or its last point if the polyline is shorter.
func walk(points []point, length float64) point {
	if len(points) == 0 {
		return point{}
	}
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		step := distance(a, b)
		if step >= length && step > 0 {
			p := between(a, b, length/step)
			return point{round(p.x), round(p.y)}
		}
		length -= step
	}
	return points[len(points)-1]
}

func rectangle(x, y, width, height float64) []point {
	return []point{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}}
}

func clamp(v, low, high float64) float64 { return max(low, min(high, v)) }
