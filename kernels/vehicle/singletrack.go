package vehicle

import "github.com/trackgen-go/trackgen/kernel"

// isSlow reports whether a single-track car moves as a kinematic one in a substep, because its speed is below LowSpeed
// at the begin or at the end, or passes through 0 (L-5).
func isSlow(begin, end float32) bool {
	return kernel.Abs(begin) < LowSpeed || kernel.Abs(end) < LowSpeed || (begin < 0) != (end < 0)
}

// axles are the forces of the tyres of a car across the body, for each unit of its mass. Each is the product of a grip,
// a stiffness and a slip angle; the latter two together are at most the part that the drive leaves of the friction.
type axles struct{ gripFront, gripRear, most float32 }

// axlesAt returns the axles at an acceleration, which moves the load from one to the other (L-6).
func axlesAt(acceleration float32, p CarOf, s Settings) axles {
	base := p.Front + p.Rear
	shift := float32(acceleration * p.Height)
	a := axles{most: unlimited}
	a.gripFront = float32(p.Friction*kernel.Max(0, float32(Gravity*p.Rear)-shift)) / base
	a.gripRear = float32(p.Friction*kernel.Max(0, float32(Gravity*p.Front)+shift)) / base
	if s.Tyres == FrictionCircle {
		part := float32(0)
		if p.Friction > 0 {
			part = acceleration / float32(p.Friction*Gravity)
		}
		a.most = kernel.Sqrt(kernel.Max(0, 1-float32(part*part)))
	}
	return a
}

// isStiff reports, of a car with these axles, whether a step of Runge and Kutta's method would be too long for how fast
// the tyres damp the motion across the body (L-7).
func isStiff(begin float32, l leg, a axles, p CarOf, s Settings) bool {
	front := float32(a.gripFront * p.StiffnessFront)
	rear := float32(a.gripRear * p.StiffnessRear)
	moment := float32(float32(front*p.Front)*p.Front) + float32(float32(rear*p.Rear)*p.Rear)
	damping := front + rear + float32(moment*p.Lever)
	slowest := kernel.Min(kernel.Abs(begin), kernel.Abs(l.speed))
	return float32(damping*s.Duration) > float32(stable*slowest)
}

// change is how fast the yaw, the yaw rate and the slip angle of a car change.
type change struct{ turn, spin, slip float32 }

// changeAt returns the change of a sliding car at a speed (L-6).
func changeAt(yawRate, slip, steering, speed float32, a axles, p CarOf) change {
	over := yawRate / speed
	front := slip + float32(p.Front*over) - steering
	rear := slip - float32(p.Rear*over)
	way := kernel.CopySign(1, speed)
	front = float32(float32(way*a.gripFront) * kernel.Clamp(float32(p.StiffnessFront*front), -a.most, a.most))
	rear = float32(float32(way*a.gripRear) * kernel.Clamp(float32(p.StiffnessRear*rear), -a.most, a.most))
	return change{
		turn: yawRate, spin: float32((float32(p.Rear*rear) - float32(p.Front*front)) * p.Lever),
		slip: -(front+rear)/speed - yawRate,
	}
}

// integrated moves a car by one substep of Runge and Kutta's method of order 4 (L-5 to L-7). on are the axles of a
// sliding car at the acceleration at the begin. The frame of its way is that of the body at the begin, for a sliding
// car that of its motion, because angles in it are small.
func integrated(c Car, l leg, wanted float32, rolling bool, on axles, p CarOf, s Settings) movement {
	d := change{}
	sum := change{}
	way := kernel.V2(0, 0)
	faster := float32(0) // the sum of the accelerations
	a := float32(0)
	steering := c.Steering
	b := bend{cos: 1}
	under := l.acceleration
	if rolling {
		b = bendAt(steering, p)
	}
	for k := int32(0); k < stages; k++ {
		lag := float32(0.5 * s.Duration)
		weight := float32(2)
		at := l.middle
		switch k {
		case 0:
			weight = 1
			at = steering
		case stages - 1:
			lag = s.Duration
			weight = 1
			at = l.end
		}
		if rolling && at != steering {
			b = bendAt(at, p)
		}
		steering = at
		speed := c.Speed + float32(lag*a) // the changes are 0 in the first stage
		a = accelerationAt(speed, wanted, p, s)
		turned := float32(lag * (d.turn + d.slip))
		if rolling {
			d = change{turn: float32(b.curvature * speed)}
		} else {
			if a != under {
				under = a
				on = axlesAt(a, p, s)
			}
			d = changeAt(c.YawRate+float32(lag*d.spin), c.Slip+float32(lag*d.slip), steering, speed, on, p)
		}
		way = way.Add(rotated(kernel.V2(b.cos, b.sin), turned).Scale(float32(weight * speed)))
		faster += float32(weight * a)
		sum.turn += float32(weight * d.turn)
		sum.spin += float32(weight * d.spin)
		sum.slip += float32(weight * d.slip)
	}
	sixth := float32(s.Duration * (1.0 / 6))
	m := movement{way: way.Scale(sixth), direction: c.Yaw, turn: float32(sixth * sum.turn)}
	m.speed = kernel.Clamp(c.Speed+float32(sixth*faster), p.SpeedMin, p.SpeedMax)
	m.yawRate = c.YawRate + float32(sixth*sum.spin)
	m.slip = c.Slip + float32(sixth*sum.slip)
	if !rolling {
		m.direction += c.Slip
	}
	return m
}

// slid moves a sliding car with these axles by one substep of the semi-implicit method of Euler, along the mean of its
// directions: the yaw rate and the slip angle at its end follow from the forces there, which depend on them linearly
// (L-7).
func slid(c Car, l leg, a axles, p CarOf, s Settings) movement {
	h := s.Duration
	v := l.speed
	over := c.YawRate / c.Speed
	way := kernel.CopySign(1, v)
	slipFront := c.Slip + float32(p.Front*over) - l.end
	slipRear := c.Slip - float32(p.Rear*over)
	front := float32(float32(way*a.gripFront) * secant(p.StiffnessFront, slipFront, a.most))
	rear := float32(float32(way*a.gripRear) * secant(p.StiffnessRear, slipRear, a.most))
	lever := float32(h * p.Lever)
	pull := float32(front * l.end)
	// (1 - h J) x = x0 + h u for x = (yaw rate, slip angle)
	j00 := 1 + float32(lever*(float32(float32(front*p.Front)*p.Front)+float32(float32(rear*p.Rear)*p.Rear)))/v
	j01 := float32(lever * (float32(front*p.Front) - float32(rear*p.Rear)))
	j10 := float32(h * (1 + (float32(front*p.Front)-float32(rear*p.Rear))/float32(v*v)))
	j11 := 1 + float32(h*(front+rear))/v
	x0 := c.YawRate + float32(lever*float32(pull*p.Front))
	x1 := c.Slip + float32(h*pull)/v
	determinant := kernel.Max(float32(j00*j11)-float32(j01*j10), leastDeterminant)
	yawRate := (float32(x0*j11) - float32(j01*x1)) / determinant
	slip := (float32(j00*x1) - float32(j10*x0)) / determinant
	turn := float32(h * yawRate)
	moved := float32(float32(0.5*h) * (c.Speed + v))
	return movement{
		way: kernel.V2(moved, 0), direction: c.Yaw + float32(0.5*(turn+c.Slip+slip)), turn: turn, speed: v,
		yawRate: yawRate, slip: slip,
	}
}

// secant returns the stiffness of a tyre, less where its force is at most the friction that is left.
func secant(stiffness, slip, most float32) float32 {
	if float32(stiffness*kernel.Abs(slip)) > most {
		return most / kernel.Abs(slip)
	}
	return stiffness
}
