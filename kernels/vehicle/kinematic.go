package vehicle

import "github.com/trackgen-go/trackgen/kernel"

// bend is how a car whose tyres do not slip goes at a steering angle: the tangent, sine and cosine of the angle from
// the body to the way of the centre of mass, and the yaw rate for each unit of speed.
type bend struct{ tan, sin, cos, curvature float32 }

// bendAt returns the bend at a steering angle (L-5).
func bendAt(steering float32, p CarOf) bend {
	sin, cos := sincos(steering)
	curvature := float32(sin / cos / (p.Front + p.Rear)) // at the rear axle
	b := bend{tan: float32(curvature * p.Rear)}
	b.cos = 1 / kernel.Sqrt(1+float32(b.tan*b.tan))
	b.sin = float32(b.tan * b.cos)
	b.curvature = float32(curvature * b.cos)
	return b
}

// rotated returns v turned by an angle.
func rotated(v kernel.Vec2, angle float32) kernel.Vec2 {
	sin, cos := sincos(angle)
	return kernel.V2(float32(v.X*cos)-float32(v.Y*sin), float32(v.X*sin)+float32(v.Y*cos))
}

// rolled moves a car whose tyres do not slip by one substep of Euler's method, along the mean of its directions (L-7).
func rolled(c Car, l leg, p CarOf, s Settings) movement {
	b := bendAt(l.end, p)
	turn := float32(s.Duration * float32(b.curvature*l.speed))
	way := kernel.V2(b.cos, b.sin).Scale(float32(s.Duration * l.speed))
	return movement{way: way, direction: c.Yaw + float32(0.5*turn), turn: turn, speed: l.speed}
}
