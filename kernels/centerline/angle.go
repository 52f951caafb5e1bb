package centerline

import "github.com/trackgen-go/trackgen/kernel"

// WrapAngle returns the angle a modulo a full turn, in [-pi, pi] up to rounding.
func WrapAngle(a float32) float32 {
	return a - float32(twoPi*kernel.Floor(float32(a*(1/twoPi))+0.5))
}
