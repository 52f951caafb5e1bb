package raceline_test

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/raceline"
)

// road is a road in host memory, in float64. The reference solver shares nothing with the kernels: its derivatives are
// differences, and it walks along the bounds, where the kernels stay between them.
type road struct {
	x, y, nx, ny []float64 // centreline, normals to the left
	lo, hi       []float64 // least and largest offset
}

// roadOf returns env e of tracks with what is free between a line and each border (L-71).
func roadOf(t tracks, e int, clearance float64) (r road) {
	stride := len(t.center) / len(t.count)
	for i := e * stride; i < e*stride+int(t.count[e]); i++ {
		r.x, r.y = append(r.x, float64(t.center[i].X)), append(r.y, float64(t.center[i].Y))
		r.nx, r.ny = append(r.nx, float64(t.normal[i].X)), append(r.ny, float64(t.normal[i].Y))
		lo, hi := clearance-float64(t.right[i]), float64(t.left[i])-clearance
		if least := 0.02 * float64(t.right[i]+t.left[i]); hi-lo <= least {
			middle := float64(t.left[i]-t.right[i]) / 2
			lo, hi = middle-least/2, middle+least/2
		}
		r.lo, r.hi = append(r.lo, lo), append(r.hi, hi)
	}
	return r
}

// at returns the point at an offset.
func (r road) at(i int, offset []float64) (x, y float64) {
	i = (i + len(r.x)) % len(r.x)
	return r.x[i] + r.nx[i]*offset[i], r.y[i] + r.ny[i]*offset[i]
}

// bend returns the angle by which a line turns at a point, and the lengths of the chords before and after it.
func (r road) bend(i int, offset []float64) (turn, before, after float64) {
	px, py := r.at(i-1, offset)
	x, y := r.at(i, offset)
	qx, qy := r.at(i+1, offset)
	ax, ay, bx, by := x-px, y-py, qx-x, qy-y
	return math.Atan2(ax*by-ay*bx, ax*bx+ay*by), math.Hypot(ax, ay), math.Hypot(bx, by)
}

// residual is the root of squared curvature times length at a point (L-72).
func (r road) residual(i int, offset []float64) float64 {
	turn, before, after := r.bend(i, offset)
	return turn / math.Sqrt((before+after)/2)
}

// energy is what the line minimises.
func (r road) energy(offset []float64) (sum float64) {
	for i := range offset {
		sum += r.residual(i, offset) * r.residual(i, offset)
	}
	return sum
}

// middle returns the offsets of the middle of the road.
func (r road) middle() []float64 {
	offset := make([]float64, len(r.x))
	for i := range offset {
		offset[i] = (r.lo[i] + r.hi[i]) / 2
	}
	return offset
}

// solve returns offsets of least energy, near others: a projected Newton method (Bertsekas 1982) with the matrix of
// Gauss and Newton, which halves steps until they help.
func (r road) solve(offset []float64) []float64 {
	n, energy := len(r.x), r.energy(offset)
	for range 400 {
		step := r.newton(offset)
		best, moved := energy, offset
		for part := 1.0; part > 1e-9; part /= 2 {
			next := make([]float64, n)
			for i := range next {
				next[i] = min(max(offset[i]+part*step[i], r.lo[i]), r.hi[i])
			}
			if e := r.energy(next); e < best {
				best, moved = e, next
				break
			}
		}
		if energy-best <= 1e-13*energy {
			break
		}
		energy, offset = best, moved
	}
	return offset
}

// newton returns the step of the offsets that no bound holds.
func (r road) newton(offset []float64) []float64 {
	n := len(offset)
	rows, values := make([][3]float64, n), make([]float64, n)
	for i := range rows {
		values[i] = r.residual(i, offset)
		for k := range 3 {
			j := (i + k - 1 + n) % n
			was, h := offset[j], 1e-6*(r.hi[j]-r.lo[j])
			offset[j] = was + h
			up := r.residual(i, offset)
			offset[j] = was - h
			rows[i][k] = (up - r.residual(i, offset)) / (2 * h)
			offset[j] = was
		}
	}
	gradient := make([]float64, n)
	for i := range rows {
		for k, d := range rows[i] {
			gradient[(i+k-1+n)%n] += d * values[i]
		}
	}
	held := make([]bool, n)
	for i, g := range gradient {
		near := 1e-7 * (r.hi[i] - r.lo[i])
		held[i] = g > 0 && offset[i] <= r.lo[i]+near || g < 0 && offset[i] >= r.hi[i]-near
	}
	matrix := newProfile(n)
	for i := range rows {
		for k, a := range rows[i] {
			for l, b := range rows[i] {
				p, q := (i+k-1+n)%n, (i+l-1+n)%n
				if q <= p && !held[p] && !held[q] {
					*matrix.at(p, q) += a * b
				}
			}
		}
	}
	for i := range n {
		if held[i] {
			*matrix.at(i, i), gradient[i] = 1, 0
		} else {
			*matrix.at(i, i) *= 1 + 1e-10
		}
	}
	step := matrix.solve(gradient)
	for i := range step {
		step[i] = -step[i]
	}
	return step
}

// profile is a symmetric matrix whose rows are stored from their first element that is not 0 on.
type profile struct {
	first []int
	row   [][]float64
}

// newProfile returns a matrix with two diagonals on either side, and around the corner.
func newProfile(n int) profile {
	p := profile{first: make([]int, n), row: make([][]float64, n)}
	for i := range n {
		if p.first[i] = max(0, i-2); i >= n-2 {
			p.first[i] = 0
		}
		p.row[i] = make([]float64, i-p.first[i]+1)
	}
	return p
}

func (p profile) at(i, j int) *float64 { return &p.row[i][j-p.first[i]] }

// solve returns the solution for a right side, by Cholesky's method. It overwrites the matrix.
func (p profile) solve(right []float64) []float64 {
	x := append([]float64(nil), right...)
	for i := range x {
		for j := p.first[i]; j <= i; j++ {
			sum := *p.at(i, j)
			for k := max(p.first[i], p.first[j]); k < j; k++ {
				sum -= *p.at(i, k) * *p.at(j, k)
			}
			if j < i {
				*p.at(i, j) = sum / *p.at(j, j)
			} else {
				*p.at(i, i) = math.Sqrt(max(sum, 1e-300))
			}
		}
		for k := p.first[i]; k < i; k++ {
			x[i] -= *p.at(i, k) * x[k]
		}
		x[i] /= *p.at(i, i)
	}
	for i := len(x) - 1; i >= 0; i-- {
		x[i] /= *p.at(i, i)
		for k := p.first[i]; k < i; k++ {
			x[k] -= *p.at(i, k) * x[i]
		}
	}
	return x
}

// lapTime is the lap time of a line in float64 (L-78, L-79).
func (r road) lapTime(offset []float64, c raceline.Config) (time float64) {
	n := len(offset)
	bend, step, v := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range v {
		turn, before, after := r.bend(i, offset)
		bend[i], step[i] = math.Abs(turn)/((before+after)/2), after
		v[i] = min(math.Sqrt(c.LateralAcceleration/max(bend[i], 1e-9)), c.MaxSpeed)
	}
	limit := func(i, from int, rate, power, step float64) {
		used := min(1, v[from]*v[from]*bend[from]/c.LateralAcceleration)
		rate *= math.Sqrt(1 - used*used)
		if power > 0 {
			rate = min(rate, power/v[from])
		}
		v[i] = min(v[i], math.Sqrt(v[from]*v[from]+2*rate*step))
	}
	for range 2 {
		for i := range n {
			limit((i+1)%n, i, c.Acceleration, c.Power, step[i])
		}
		for i := n - 1; i >= 0; i-- {
			limit(i, (i+1)%n, c.Braking, 0, step[i])
		}
	}
	for i := range v {
		time += 2 * step[i] / (v[i] + v[(i+1)%n])
	}
	return time
}

// offsetsOf returns the offsets of env e of a batch in float64.
func offsetsOf(b *raceline.Batch, e int) (offsets []float64) {
	for _, v := range b.Offset[e*b.NMax:][:b.Count[e]] {
		offsets = append(offsets, float64(v))
	}
	return offsets
}

// tracks are tracks in host memory.
type tracks struct {
	center, normal []kernel.Vec3 // [E, N_max]
	right, left    []float32     // [E, N_max]
	count          []int32       // [E]
}
