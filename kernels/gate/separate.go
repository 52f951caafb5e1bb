package gate

import "github.com/trackgen-go/trackgen/kernel"

const (
	minApart = 1e-8 // slack in the test of a distance, and the distance below which two gates are in one place
)

// separate moves the gates position[base..base+n) apart in the plane until no two are nearer than distance, in at most
// sweeps sweeps over all pairs (C-35). Each move is seen by all later pairs. Two gates in one place move in a direction
// that follows from their numbers, the sweep and env, the number of the env in the batch.
func separate(env, n, base, sweeps int32, distance float32, position []kernel.Vec3) {
	moved := true
	for sweep := int32(0); sweep < sweeps && moved; sweep++ {
		moved = false
		for i := int32(0); i < n; i++ {
			for j := i + 1; j < n; j++ {
				p := position[base+i]
				q := position[base+j]
				way := kernel.V2(q.X-p.X, q.Y-p.Y)
				length := way.Len()
				if length+minApart < distance {
					if length > minApart {
						way = kernel.V2(way.X/length, way.Y/length)
					} else {
						angle := float32(float32(i+1)*12.9898) + float32(float32(j+1)*78.233) +
							float32(float32(sweep+1)*37.719) + float32(float32(env+1)*19.371)
						way = kernel.V2(kernel.Cos(angle), kernel.Sin(angle))
					}
					move := way.Scale(float32(0.5 * (distance - length)))
					position[base+i] = kernel.V3(p.X-move.X, p.Y-move.Y, 0)
					position[base+j] = kernel.V3(q.X+move.X, q.Y+move.Y, 0)
					moved = true
				}
			}
		}
	}
}
