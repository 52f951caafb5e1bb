package repulsive

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/kernel"
)

// point is a point or a vector of the plane, exact enough for differences.
type point = complex128

func dot(a, b point) float64   { return real(a)*real(b) + imag(a)*imag(b) }
func wedge(a, b point) float64 { return real(a)*imag(b) - imag(a)*real(b) }

// exponents are alpha and beta of an energy.
type exponents struct{ alpha, beta float64 }

// energy is the tangent-point energy of a closed polygon, and that of the obstacles, as docs/spec/pipeline.md, section
// 4.6, states them.
func (e exponents) energy(x []point, obstacles []kernel.Vec3) float64 {
	n := len(x)
	at := func(i int) point { return x[(i+n)%n] }
	weight := func(i int) float64 { return (cmplx.Abs(at(i)-at(i-1)) + cmplx.Abs(at(i+1)-at(i))) / 2 }
	sum := 0.0
	for i := range x {
		tangent := at(i+1) - at(i-1)
		tangent /= complex(cmplx.Abs(tangent), 0)
		for j := range x {
			if apart := min((i-j+n)%n, (j-i+n)%n); apart > Neighbours {
				d := x[j] - x[i]
				sum += weight(i) * weight(j) * math.Pow(math.Abs(wedge(tangent, d))+1e-4, e.alpha) /
					math.Pow(dot(d, d)+1e-8, e.beta/2)
			}
		}
		for _, o := range obstacles {
			d := x[i] - complex(float64(o.X), float64(o.Y))
			sum += float64(o.Z) * math.Pow(dot(d, d)+1e-8, (e.alpha-e.beta)/2)
		}
	}
	return sum
}

// slope is the gradient of f at x by central differences.
func slope(x []point, f func([]point) float64) []point {
	const h = 1e-6
	gradient := make([]point, len(x))
	for i, p := range x {
		difference := func(d point) float64 {
			x[i] = p + d
			up := f(x)
			x[i] = p - d
			down := f(x)
			x[i] = p
			return (up - down) / (2 * h)
		}
		gradient[i] = complex(difference(h), difference(h*1i))
	}
	return gradient
}

// filtered multiplies the frequencies of v by the gains.
func filtered(v []point, gain []float64) []point {
	n := len(v)
	out := make([]point, n)
	for k := range n {
		var coefficient point
		for j, p := range v {
			coefficient += p * cmplx.Rect(1/float64(n), -2*math.Pi*float64(j*k%n)/float64(n))
		}
		for i := range out {
			out[i] += coefficient * cmplx.Rect(gain[k], 2*math.Pi*float64(i*k%n)/float64(n))
		}
	}
	return out
}

// An iteration without growth moves the points along the direction that the energy, differentiated numerically, and the
// filter, applied in the frequency domain, give.
func TestGrowDescendsTheEnergy(t *testing.T) {
	const n, step = 32, 1e-3
	curve := make([]kernel.Vec2, n)
	x := make([]point, n)
	for i := range x {
		angle := 2 * math.Pi * float64(i) / n
		p := cmplx.Rect(1+0.2*math.Cos(3*angle)+0.05*math.Sin(5*angle+1), angle)
		curve[i] = kernel.V2(float32(real(p)), float32(imag(p)))
		x[i] = complex(float64(curve[i].X), float64(curve[i].Y))
	}
	wall := make([]kernel.Vec3, 20)
	for i := range wall {
		p := cmplx.Rect(1.8, 2*math.Pi*float64(i)/20)
		wall[i] = kernel.V3(float32(real(p)), float32(imag(p)), 0.3)
	}
	discs := []kernel.Vec3{kernel.V3(0.3, 0.1, 0.05), kernel.V3(-1.4, 0.4, 0.02)}
	length := func(x []point) float64 {
		sum := 0.0
		for i := range x {
			sum += cmplx.Abs(x[(i+1)%n] - x[i])
		}
		return sum
	}

	for name, test := range map[string]struct {
		exponents
		reached, powers bool
	}{
		"growing":               {exponents{3, 6}, false, false},
		"reached":               {exponents{3, 6}, true, false},
		"the same by powers":    {exponents{3, 6}, false, true},
		"powers 2 and 4":        {exponents{2, 4}, false, true},
		"powers 2.5 and 5.5":    {exponents{2.5, 5.5}, true, true},
		"powers 4 and 3":        {exponents{4, 3}, false, true},
		"powers 0.8 and 2":      {exponents{0.8, 2}, true, true},
		"no force by obstacles": {exponents{3, 3}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			reached := test.reached
			gain := make([]float64, n)
			for k := 1; k < n; k++ {
				order := (test.beta - 1) / (2 * test.alpha)
				gain[k] = 1 / (math.Pow(2-2*math.Cos(2*math.Pi*float64(k)/n), order) + 1e-3)
			}
			// The tables of the kernel by their definition: what the filter makes of one point, folded.
			filter := make([]float32, 2*n)
			impulse := make([]point, n)
			impulse[0] = 1
			response := filtered(impulse, gain)
			for i := range n {
				near, far := real(response[(i+n/2)%n]), real(response[i])
				filter[i], filter[n+i] = float32((near+far)/2), float32((near-far)/2)
			}
			obstacles := wall
			goal := float32(2 * length(x))
			if reached {
				goal = float32(length(x))
			} else {
				obstacles = append(append([]kernel.Vec3(nil), wall...), discs...)
			}
			down := filtered(slope(x, func(x []point) float64 { return test.energy(x, obstacles) }), gain)
			lengthSlope := slope(x, length)
			lengthDown := filtered(lengthSlope, gain)
			var across, along, steepest float64
			for i := range n {
				across += dot(down[i], lengthSlope[i])
				along += dot(lengthDown[i], lengthSlope[i])
			}
			for i := range n {
				down[i] -= complex(across/along, 0) * lengthDown[i]
				steepest = max(steepest, cmplx.Abs(down[i]))
			}
			moved := append([]kernel.Vec2(nil), curve...)
			// A ratchet of 1 keeps the length, so that the target is the present length, or the goal.
			now, all := []float32{float32(length(x))}, append(append([]kernel.Vec3(nil), wall...), discs...)
			if test.powers {
				growPowers(kernel.Group{}, []int32{1, 0}, n, 22, 20, n, n, 0, 1, 100, 0, 1, step, float32(test.alpha),
					float32(test.beta), all, []int32{22}, filter, 0, []float32{goal}, now, []int32{0}, moved)
			} else {
				grow(kernel.Group{}, []int32{1, 0}, n, 22, 20, n, n, 0, 1, 100, 0, 1, step, all, []int32{22}, filter, 0,
					[]float32{goal}, now, []int32{0}, moved)
			}
			unit := step * length(x) / n
			for i := range n {
				want := -down[i] * complex(unit/steepest, 0)
				got := complex(float64(moved[i].X), float64(moved[i].Y)) - x[i]
				assert.InDelta(t, 0, cmplx.Abs(got-want)/unit, 5e-3, "point %d moves by %v of a step, want %v", i,
					got/complex(unit, 0), want/complex(unit, 0))
			}
		})
	}
}

// Discs lie between the first circle and the wall; there are as many as drawn, and every draw is in its range.
func TestBeginDrawsObstacles(t *testing.T) {
	const envs, discsMax, points = 200, 12, 16
	seeds, active := make([]int32, envs), make([]int32, envs+1)
	active[0] = envs
	for e := range int32(envs) {
		seeds[e], active[e+1] = e*7919, e
	}
	wall := []kernel.Vec3{kernel.V3(2, 0, 9), kernel.V3(0, 2, 9)}
	stride := len(wall) + discsMax*DiscPoints
	obstacles, count := make([]kernel.Vec3, envs*stride), make([]int32, envs)
	now, goal, area := make([]float32, envs), make([]float32, envs), make([]float32, envs)
	iterations, curve := make([]int32, envs), make([]kernel.Vec2, envs*points)
	seen := map[int32]int{}
	for e := range int32(envs) {
		begin(kernel.Group{ID: e}, active, seeds, points, points, 8, discsMax, 2, 0.5, 0.02, 0.045, 3, 12, 15, wall,
			obstacles, count, now, goal, area, iterations, curve)
		seen[count[e]]++
		assert.True(t, goal[e] >= 12 && goal[e] <= 15)
		points := obstacles[int(e)*stride:][:count[e]]
		assert.Equal(t, wall, points[:2])
		for _, p := range points[2:] {
			assert.True(t, kernel.V2(p.X, p.Y).Len() > 0.5 && kernel.V2(p.X, p.Y).Len() < 2)
			assert.InDelta(t, 0.25*2*math.Pi*2*0.0325/DiscPoints, p.Z, 0.25*2*math.Pi*2*0.0126/DiscPoints)
		}
	}
	assert.Len(t, seen, 5, "8 to 12 discs of 12 points, and the wall: %v", seen)
}
