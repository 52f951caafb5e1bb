package vehicle_test

import (
	"math"

	"github.com/trackgen-go/trackgen/race/vehicle"
)

// reference is a car in float64 that moves by the published equations of Althoff and Würsching, "CommonRoad: Vehicle
// Models", 2020, sections 5 and 6: matrices of the motion, not forces of tyres as in the kernels. Backwards, the forces
// have the other sign (L-6).
type reference struct {
	config vehicle.Config

	x, y, steering, speed, yaw, yawRate, slip float64
}

// vector is the state x, y, steering, speed, yaw, yaw rate, slip.
type vector [7]float64

func (r *reference) vector() vector {
	return vector{r.x, r.y, r.steering, r.speed, r.yaw, r.yawRate, r.slip}
}

// step moves the reference by a step of the configuration in fine steps of the classical method of order 4.
func (r *reference) step(steer, drive float64, fine int) {
	h := r.config.TimeStep / float64(fine)
	for range fine {
		s := r.vector()
		wish := steer * r.config.Car.SteeringRate.Max
		if r.config.Control == vehicle.Target {
			most := r.config.Car.SteeringRate.Max
			wish = min(max((steer*r.config.Car.SteeringMax.Max-s[2])/h, -most), most)
		}
		k1 := r.change(s, wish, drive)
		k2 := r.change(s.moved(k1, h/2), wish, drive)
		k3 := r.change(s.moved(k2, h/2), wish, drive)
		k4 := r.change(s.moved(k3, h), wish, drive)
		for i := range s {
			s[i] += h / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
		}
		c := r.config.Car
		s[2] = min(max(s[2], -c.SteeringMax.Max), c.SteeringMax.Max)
		s[3] = min(max(s[3], c.SpeedMin.Max), c.SpeedMax.Max)
		r.x, r.y, r.steering, r.speed, r.yaw, r.yawRate, r.slip = s[0], s[1], s[2], s[3], s[4], s[5], s[6]
	}
}

func (v vector) moved(by vector, h float64) vector {
	for i := range v {
		v[i] += h * by[i]
	}
	return v
}

// change returns the derivative of the state.
func (r *reference) change(s vector, steeringRate, drive float64) vector {
	c := r.config.Car
	steering, v, yaw, slip := s[2], s[3], s[4], s[6]
	if steering >= c.SteeringMax.Max && steeringRate > 0 || steering <= -c.SteeringMax.Max && steeringRate < 0 {
		steeringRate = 0
	}
	a := drive * c.Acceleration.Max
	if v > c.SwitchSpeed.Max {
		a = min(a, c.Acceleration.Max*c.SwitchSpeed.Max/v)
	}
	if v <= c.SpeedMin.Max && a <= 0 || v >= c.SpeedMax.Max && a >= 0 {
		a = 0
	}
	lf, lr := c.DistanceFront.Max, c.DistanceRear.Max
	if r.config.Model == vehicle.Kinematic || math.Abs(v) < 0.1 {
		tan := math.Tan(steering)
		beta := math.Atan(tan * lr / (lf + lr))
		cos2 := math.Cos(steering) * math.Cos(steering)
		betaDot := lr * steeringRate / ((lf + lr) * cos2 * (1 + math.Pow(tan*lr/(lf+lr), 2)))
		spin := (a*math.Cos(beta)*tan - v*math.Sin(beta)*betaDot*tan + v*math.Cos(beta)*steeringRate/cos2) / (lf + lr)
		return vector{v * math.Cos(yaw+beta), v * math.Sin(yaw+beta), steeringRate, a, v * math.Cos(beta) * tan / (lf + lr),
			spin, betaDot}
	}
	const g = 9.81
	mu, m, inertia, h := c.Friction.Max, c.Mass.Max, c.Inertia.Max, c.Height.Max
	front, rear := c.StiffnessFront.Max*(g*lr-a*h), c.StiffnessRear.Max*(g*lf+a*h)
	way, size := math.Copysign(1, v), math.Abs(v)
	spin := mu * m / (inertia * (lf + lr)) * (-(lf*lf*front+lr*lr*rear)/size*s[5] + way*(lr*rear-lf*front)*slip +
		way*lf*front*steering)
	slipDot := (way*mu/(v*v*(lf+lr))*(rear*lr-front*lf)-1)*s[5] - mu/(size*(lf+lr))*(rear+front)*slip +
		mu/(size*(lf+lr))*front*steering
	return vector{v * math.Cos(yaw+slip), v * math.Sin(yaw+slip), steeringRate, a, s[5], spin, slipDot}
}
