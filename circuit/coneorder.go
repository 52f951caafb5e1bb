package circuit

import (
	"fmt"
	"math"
	"slices"
)

// order returns the cones of either side in their order along the road. found reports that the order of the file was
// not that of a road.
//
// The triangles of a Delaunay triangulation with corners on both sides follow one another along the road. Neighbouring
// triangles share an edge from a left to a right cone. On a closed track they form one ring.
func (c *cones) order(file string) (left, right []vector, found bool, err error) {
	points := slices.Concat(c.left, c.right)
	split := len(c.left)
	inOrder := isSimple(c.left) && isSimple(c.right)
	if inOrder {
		_, crossing := meeting(newPolyline(c.left), newPolyline(c.right))
		inOrder = !crossing
	}
	ring, rings := bestRing(points, split)
	left, right = ring.along(points, split)
	left, right = withOuterCones(left, c.left), withOuterCones(right, c.right)
	const enough = 0.9 // of the cones of either side
	if float64(len(left)) >= enough*float64(len(c.left)) && float64(len(right)) >= enough*float64(len(c.right)) &&
		isSimple(left) && isSimple(right) {
		return left, right, !inOrder, nil
	}
	if inOrder {
		return c.left, c.right, false, nil
	}
	what := fmt.Sprintf("no clear road: %d of %d left and %d of %d right cones stand along one closed road", len(left),
		len(c.left), len(right), len(c.right))
	if rings == 0 {
		what = "no closed road"
	}
	return nil, nil, false, &Error{File: file, Name: "the place of the cones", Value: what,
		Want: "one closed road with blue cones on the left and yellow ones on the right, narrower than the distance " +
			"between two of its parts; or list the cones of each colour in driving order"}
}

// coneRing is a ring of edges from left to right cones, in order along the road.
type coneRing [][2]int // indices of the left and the right cone

// bestRing returns the ring with the most cones, and the number of rings. The first split points are left cones.
func bestRing(points []vector, split int) (best coneRing, rings int) {
	mixed := func(a, b int) bool { return (a < split) != (b < split) }
	beside := map[[2]int][]int{} // triangles on either side of an edge from left to right
	var strip []triangle
	key := func(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }
	for _, t := range triangulate(points) {
		if mixed(t[0], t[1]) || mixed(t[1], t[2]) {
			for k := range t {
				if a, b := t[k], t[(k+1)%3]; mixed(a, b) {
					beside[key(a, b)] = append(beside[key(a, b)], len(strip))
				}
			}
			strip = append(strip, t)
		}
	}
	// Each of these triangles has two edges from left to right, so the triangles form chains.
	other := func(i int, edge [2]int) [2]int { // the other edge of triangle i from left to right
		t := strip[i]
		for k := range t {
			if next := key(t[k], t[(k+1)%3]); mixed(next[0], next[1]) && next != edge {
				return next
			}
		}
		return edge
	}
	seen := make([]bool, len(strip))
	most := 0
	for first := range strip {
		if seen[first] {
			continue
		}
		var ring coneRing
		closed := false
		start := other(first, [2]int{})
		for i, edge := first, start; ; {
			seen[i] = true
			ring = append(ring, edge)
			next := -1
			for _, j := range beside[edge] {
				if j != i {
					next = j
				}
			}
			if next < 0 {
				break
			}
			if next == first {
				closed = true
				break
			}
			if seen[next] {
				break
			}
			i, edge = next, other(next, edge)
		}
		if !closed {
			continue
		}
		rings++
		if n := ring.size(); n > most {
			best, most = ring, n
		}
	}
	return best, rings
}

// size returns the number of cones of a ring.
func (r coneRing) size() int {
	cones := map[int]bool{}
	for _, edge := range r {
		cones[edge[0]], cones[edge[1]] = true, true
	}
	return len(cones)
}

// along returns the cones of either side in the order of a ring. A cone that is beside two parts of the road is placed
// where it is nearest to the other side.
func (r coneRing) along(points []vector, split int) (left, right []vector) {
	for k := range 2 {
		nearest := map[int]float64{}
		width := func(edge [2]int) float64 { return points[edge[0]].to(points[edge[1]]) }
		for _, edge := range r {
			if best, found := nearest[edge[k]]; !found || width(edge) < best {
				nearest[edge[k]] = width(edge)
			}
		}
		for _, edge := range r {
			if best, found := nearest[edge[k]]; found && width(edge) == best {
				delete(nearest, edge[k])
				if k == 0 {
					left = append(left, points[edge[k]])
				} else {
					right = append(right, points[edge[k]])
				}
			}
		}
	}
	return left, right
}

// withOuterCones inserts the remaining cones of a side into its border. On the outside of a bend, a cone may only have
// neighbours on its own side. A cone is left out if it would make the border longer by more than the usual distance
// between cones.
func withOuterCones(border, all []vector) []vector {
	if len(border) < 3 {
		return border
	}
	inside := map[vector]bool{}
	line := newPolyline(border)
	var steps []float64
	for i, p := range border {
		inside[p] = true
		steps = append(steps, line.at[i+1]-line.at[i])
	}
	slices.Sort(steps)
	for _, p := range all {
		if inside[p] {
			continue
		}
		best, detour := -1, steps[len(steps)/2]
		for i, a := range border {
			b := border[(i+1)%len(border)]
			if longer := a.to(p) + p.to(b) - a.to(b); longer < detour {
				best, detour = i, longer
			}
		}
		if best >= 0 {
			border = slices.Insert(border, best+1, p)
		}
	}
	return border
}

// isSimple reports whether a closed line does not cross itself.
func isSimple(points []vector) bool {
	n := len(points)
	if n < 3 {
		return false
	}
	for i, p := range points {
		d := points[(i+1)%n].minus(p)
		for j := i + 2; j < n; j++ {
			if i == 0 && j == n-1 {
				continue // the segment before
			}
			q := points[j]
			e := points[(j+1)%n].minus(q)
			across := d.cross(e)
			if math.Abs(across) == 0 {
				continue
			}
			f, g := q.minus(p).cross(e)/across, q.minus(p).cross(d)/across
			if f >= 0 && f <= 1 && g >= 0 && g <= 1 {
				return false
			}
		}
	}
	return true
}
