package rangefinder

import "github.com/trackgen-go/trackgen/kernel"

const (
	quarter = 1.5707964 // of a turn
	eighth  = 0.7853982

	// bearingError is above the error of bearing and of what is computed from it, such as the angle of a beam.
	bearingError = 5e-4
)

// bearing returns the angle of p, from -pi to pi, up to 3e-4. It costs a tenth of kernel.Atan2, for decisions that
// leave room for the error. It is NaN at the origin.
func bearing(p kernel.Vec2) float32 {
	x := kernel.Abs(p.X)
	y := kernel.Abs(p.Y)
	t := kernel.Min(x, y) / kernel.Max(x, y)
	s := float32(t * t)
	a := t + float32(float32(float32((float32((float32(s*-0.0464964749)+0.15931422)*s)-0.327622764)*s)*t))
	a = eighth - kernel.CopySign(eighth-a, x-y)
	a = quarter - kernel.CopySign(quarter-a, p.X)
	return kernel.CopySign(a, p.Y)
}
