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
	Mass, Inertia, Friction, StiffnessFront, StiffnessRear, Front, Rear, Height float32

	SteeringMax, SteeringRate, Acceleration, SwitchSpeed, SpeedMin, SpeedMax float32
}

// CarOfEnv returns the parameters of the cars of an env.
func CarOfEnv(env, envs int32, parameters []float32) CarOf {
	return CarOf{
		Mass: parameters[Mass*envs+env], Inertia: parameters[Inertia*envs+env], Friction: parameters[Friction*envs+env],
		StiffnessFront: parameters[StiffnessFront*envs+env], StiffnessRear: parameters[StiffnessRear*envs+env],
		Front: parameters[DistanceFront*envs+env], Rear: parameters[DistanceRear*envs+env],
		Height: parameters[Height*envs+env], SteeringMax: parameters[SteeringMax*envs+env],
		SteeringRate: parameters[SteeringRate*envs+env], Acceleration: parameters[Acceleration*envs+env],
		SwitchSpeed: parameters[SwitchSpeed*envs+env], SpeedMin: parameters[SpeedMin*envs+env],
		SpeedMax: parameters[SpeedMax*envs+env],
	}
}

// stage is what the driver makes of a car at a time within a substep.
type stage struct{ steering, speed, acceleration float32 }

// leg is a substep of a car as its driver makes it: the four stages of Runge and Kutta's method, and the speed after
// it.
type leg struct {
	begin, middle, again, end stage

	speed float32
}

// Move moves a car by all substeps of a step, and returns it with how far it has come in x and y (L-3 to L-7). steer
// and drive are actions (L-1).
func Move(c Car, steer, drive float32, p CarOf, s Settings) (Car, kernel.Vec2) {
	way := kernel.V2(0, 0)
	for k := int32(0); k < s.Substeps; k++ {
		l := legOf(c, steer, drive, p, s)
		rolling := s.Model == Kinematic || isSlow(l)
		m := movement{}
		switch {
		case s.Method == RungeKutta && (rolling || !isStiff(l, p, s)):
			m = integrated(c, l, rolling, p, s)
		case rolling:
			m = rolled(c, l, p, s)
		default:
			m = slid(c, l, p, s)
		}
		way = way.Add(rotated(m.way, m.direction))
		c.Yaw += m.turn
		c.YawRate = kernel.Clamp(m.yawRate, -maxYawRate, maxYawRate)
		c.Slip = wrapped(m.slip)
		c.Steering = l.end.steering
		c.Speed = l.speed
		if rolling {
			b := bendAt(c.Steering, p)
			c.YawRate = float32(b.curvature * c.Speed)
			c.Slip = kernel.Atan(b.tan)
		}
	}
	c.Yaw = wrapped(c.Yaw)
	return c, way
}

// movement is what a substep does to a car: how far it comes, in a frame with a direction, how much its body turns, and
// its yaw rate and its slip angle after it, which count for a sliding car.
type movement struct {
	way       kernel.Vec2
	direction float32

	turn, yawRate, slip float32
}

// legOf returns the steering angle and the speed of a car in a substep (L-3, L-4).
func legOf(c Car, steer, drive float32, p CarOf, s Settings) leg {
	h := s.Duration
	to := float32(steer * p.SteeringMax)
	rate := p.SteeringRate
	if s.Control == AngleRate {
		to = kernel.CopySign(p.SteeringMax, steer)
		rate = float32(kernel.Abs(steer) * p.SteeringRate)
	}
	reach := float32(h * rate)
	turned := kernel.Clamp(to-c.Steering, -reach, reach)
	end := c.Steering + turned
	wanted := float32(drive * p.Acceleration)
	l := leg{}
	l.begin = stageOf(c.Steering, c.Speed, wanted, p, s)
	if s.Method == SemiImplicitEuler {
		l.speed = kernel.Clamp(c.Speed+float32(h*l.begin.acceleration), p.SpeedMin, p.SpeedMax)
		l.end = stage{steering: end, speed: l.speed, acceleration: l.begin.acceleration}
		return l
	}
	// The angle has turned at its full rate, and then stays. For this angle in the middle, the weights of the stages give
	// the mean of all angles of the substep.
	middle := c.Steering + float32(turned*1.25)
	if reach > 0 {
		middle -= float32(float32(turned*0.75)*kernel.Abs(turned)) / reach
	}
	l.middle = stageOf(middle, c.Speed+float32(float32(0.5*h)*l.begin.acceleration), wanted, p, s)
	l.again = stageOf(middle, c.Speed+float32(float32(0.5*h)*l.middle.acceleration), wanted, p, s)
	l.end = stageOf(end, c.Speed+float32(h*l.again.acceleration), wanted, p, s)
	sum := l.begin.acceleration + float32(2*(l.middle.acceleration+l.again.acceleration)) + l.end.acceleration
	l.speed = kernel.Clamp(c.Speed+float32(float32(h*(1.0/6))*sum), p.SpeedMin, p.SpeedMax)
	return l
}

// at returns stage k of the four.
func (l leg) at(k int32) stage {
	switch k {
	case 0:
		return l.begin
	case 1:
		return l.middle
	case 2:
		return l.again
	}
	return l.end
}

// stageOf returns what becomes of a wanted acceleration at a speed (L-4).
func stageOf(steering, speed, wanted float32, p CarOf, s Settings) stage {
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
	return stage{steering: steering, speed: speed, acceleration: a}
}
