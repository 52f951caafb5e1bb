package vehicle

import "github.com/trackgen-go/trackgen/kernel"

// Settings say how vehicles move.
type Settings struct {
	Model, Control, Method, Tyres int32

	Substeps int32
	Duration float32 // of a substep
}

// Car is how a car moves.
type Car struct{ Steering, Speed, Yaw, YawRate, Slip float32 }

// CarOf is the part of the parameters of a car that its motion depends on.
type CarOf struct {
	Lever float32 // mass for each unit of inertia

	Friction, StiffnessFront, StiffnessRear, Front, Rear, Height float32

	SteeringMax, SteeringRate, Acceleration, SwitchSpeed, SpeedMin, SpeedMax float32
}

// CarOfEnv returns the parameters of the cars of an env.
func CarOfEnv(env, envs int32, parameters []float32) CarOf {
	return CarOf{
		Lever: parameters[Mass*envs+env] / parameters[Inertia*envs+env], Friction: parameters[Friction*envs+env],
		StiffnessFront: parameters[StiffnessFront*envs+env], StiffnessRear: parameters[StiffnessRear*envs+env],
		Front: parameters[DistanceFront*envs+env], Rear: parameters[DistanceRear*envs+env],
		Height: parameters[Height*envs+env], SteeringMax: parameters[SteeringMax*envs+env],
		SteeringRate: parameters[SteeringRate*envs+env], Acceleration: parameters[Acceleration*envs+env],
		SwitchSpeed: parameters[SwitchSpeed*envs+env], SpeedMin: parameters[SpeedMin*envs+env],
		SpeedMax: parameters[SpeedMax*envs+env],
	}
}

// leg is a substep of a car as its driver makes it: the steering angles in the middle and at the end, the acceleration
// at the begin, and the speed to which it leads. All speeds of the substep are between that at the begin and this one.
type leg struct{ middle, end, acceleration, speed float32 }

// Move moves a car by all substeps of a step, and returns it with how far it has come in x and y (L-3 to L-7). steer
// and drive are actions (L-1).
func Move(c Car, steer, drive float32, p CarOf, s Settings) (Car, kernel.Vec2) {
	d := driverOf(steer, drive, p, s)
	way := kernel.V2(0, 0)
	for k := int32(0); k < s.Substeps; k++ {
		l := legOf(c, d, p, s)
		rolling := s.Model == Kinematic || isSlow(c.Speed, l.speed)
		m := movement{}
		a := axles{}
		if !rolling {
			a = axlesAt(l.acceleration, p, s)
		}
		switch {
		case s.Method == RungeKutta && (rolling || !isStiff(c.Speed, l, a, p, s)):
			m = integrated(c, l, d.wanted, rolling, a, p, s)
		case rolling:
			m = rolled(c, l, p, s)
		default:
			m = slid(c, l, a, p, s)
		}
		if !kernel.IsFinite(m.way.X + m.way.Y + m.turn + m.yawRate + m.slip) {
			m = movement{way: kernel.V2(float32(s.Duration*l.speed), 0), direction: c.Yaw, speed: l.speed}
		}
		way = way.Add(rotated(m.way, m.direction))
		c.Yaw += m.turn
		c.YawRate = kernel.Clamp(m.yawRate, -maxYawRate, maxYawRate)
		c.Slip = wrapped(m.slip)
		c.Steering = l.end
		c.Speed = m.speed
		if rolling {
			b := bendAt(c.Steering, p)
			c.YawRate = float32(b.curvature * c.Speed)
			c.Slip = kernel.Atan(b.tan)
		}
	}
	c.Yaw = wrapped(c.Yaw)
	return c, way
}

// movement is what a substep does to a car: how far it comes, in a frame with a direction, how much its body turns, its
// speed after it, and its yaw rate and its slip angle after it, which count for a sliding car.
type movement struct {
	way       kernel.Vec2
	direction float32

	turn, speed, yawRate, slip float32
}

// driver is what a driver wants in a step: the steering angle to turn to, how far it turns in a substep at most, and
// the acceleration.
type driver struct{ to, reach, wanted float32 }

// driverOf returns what the actions of a driver mean (L-3, L-4).
func driverOf(steer, drive float32, p CarOf, s Settings) driver {
	d := driver{to: float32(steer * p.SteeringMax), reach: p.SteeringRate, wanted: float32(drive * p.Acceleration)}
	if s.Control == AngleRate {
		d.to = kernel.CopySign(p.SteeringMax, steer)
		d.reach = float32(kernel.Abs(steer) * p.SteeringRate)
	}
	d.reach = float32(d.reach * s.Duration)
	return d
}

// legOf returns the steering angles and the speed of a car in a substep (L-3, L-4).
func legOf(c Car, d driver, p CarOf, s Settings) leg {
	turned := kernel.Clamp(d.to-c.Steering, -d.reach, d.reach)
	l := leg{end: c.Steering + turned}
	// The angle has turned at its full rate, and then stays. For this angle in the middle, the weights of the stages of
	// Runge and Kutta's method give the mean of all angles of the substep.
	l.middle = c.Steering + float32(turned*1.25)
	if d.reach > 0 {
		l.middle -= float32(float32(turned*0.75)*kernel.Abs(turned)) / d.reach
	}
	l.acceleration = accelerationAt(c.Speed, d.wanted, p, s)
	l.speed = kernel.Clamp(c.Speed+float32(s.Duration*l.acceleration), p.SpeedMin, p.SpeedMax)
	return l
}

// accelerationAt returns what becomes of a wanted acceleration at a speed (L-4).
func accelerationAt(speed, wanted float32, p CarOf, s Settings) float32 {
	most := p.Acceleration
	if speed > p.SwitchSpeed {
		most = float32(p.Acceleration*p.SwitchSpeed) / speed
	}
	a := kernel.Clamp(wanted, -p.Acceleration, most)
	if speed <= p.SpeedMin && a <= 0 || speed >= p.SpeedMax && a >= 0 {
		a = 0
	}
	if s.Tyres == FrictionCircle {
		grip := float32(p.Friction * Gravity)
		a = kernel.Clamp(a, -grip, grip)
	}
	return a
}
