package layers

import (
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/kernel"
)

// frames computes the frames of the gates, and which of them sample balls touch.
func (r *gateRun) frames() error {
	config := collision.FrameConfig{Agents: r.Cars}
	for _, size := range []struct {
		to    *float64
		given float64
		field string
		part  float64 // of half the width
	}{{&config.Thickness, r.FrameThickness, "frame_thickness", 0.2}, {&config.Depth, r.FrameDepth, "frame_depth", 0.2},
		{&config.Radius, r.BallRadius, "ball_radius", 0.25}} {
		var err error
		if *size.to, err = r.sizeOf(size.given, size.field, size.part); err != nil {
			return err
		}
	}
	b := r.batch
	for e := range r.out {
		for k := range int(b.Count[e]) {
			at := e*b.MaxGates + k
			r.out[e].Frames = append(r.out[e].Frames, export.GateFrame{Center: b.Position[at],
				Forward: turned(b.Orientation[at], kernel.V3(1, 0, 0)), Left: turned(b.Orientation[at], kernel.V3(0, 1, 0)),
				Half: b.HalfSize[at], Thickness: float32(config.Thickness), Depth: float32(config.Depth)})
		}
	}
	return r.touch(config)
}

// touch draws the sample balls, and notes which of them touch frames.
func (r *gateRun) touch(config collision.FrameConfig) error {
	frames, err := collision.NewFrames(r.device, collision.FramesOf(r.courses), config)
	if frames, err = keep(&r.run, frames, err); err != nil {
		return err
	}
	positions, targets := r.balls()
	p, err := exec.FromSlice(r.device, positions)
	if p, err = keepArray(&r.run, p, err); err != nil {
		return err
	}
	t, err := exec.FromSlice(r.device, targets)
	if t, err = keepArray(&r.run, t, err); err != nil {
		return err
	}
	contacts, err := frames.QueryBalls(r.ctx, collision.Balls{Position: p, Target: t})
	if err != nil {
		return err
	}
	found, err := contacts.Read(r.ctx)
	if err != nil {
		return err
	}
	for i, at := range positions {
		e := i / r.Cars
		out := &r.out[e]
		if len(out.Frames) == 0 {
			continue
		}
		out.Balls = append(out.Balls, export.AgentBall{Position: at, Radius: float32(config.Radius),
			Hit: found.Hit[i] != 0, Near: out.Frames[targets[i]].Center})
		if gate := found.Gate[i]; gate >= 0 {
			out.Frames[gate].Hit = true
		}
	}
	return nil
}

// balls draws the places of the sample balls, each near the plane of a gate and its frame, and returns them with that
// gate.
func (r *gateRun) balls() (positions []kernel.Vec3, targets []int32) {
	const reach, ahead = 1.5, 0.3 // of half the width of a gate: across the course, and along it
	b := r.batch
	nowhere := kernel.NaN()
	for e := range r.out {
		random := kernel.NewRand(r.Seed*7919 + int32(r.number(e))*104729)
		n := int(b.Count[e])
		for range r.Cars {
			var u, x, y, z float32
			u, random = random.Uniform()
			x, random = random.Uniform()
			y, random = random.Uniform()
			z, random = random.Uniform()
			if n == 0 {
				positions, targets = append(positions, kernel.V3(nowhere, nowhere, nowhere)), append(targets, 0)
				continue
			}
			k := min(int(u*float32(n)), n-1)
			at, half := e*b.MaxGates+k, float32(r.widths[e])
			from := turned(b.Orientation[at], kernel.V3(float32(2*x-1)*ahead, float32(2*y-1)*reach,
				float32(2*z-1)*reach).Scale(half))
			positions, targets = append(positions, b.Position[at].Add(from)), append(targets, int32(k))
		}
	}
	return positions, targets
}

// turned turns a vector by a unit quaternion.
func turned(q kernel.Quat, v kernel.Vec3) kernel.Vec3 {
	axis := kernel.V3(q.X, q.Y, q.Z)
	across := axis.Cross(v).Scale(2)
	return v.Add(across.Scale(q.W)).Add(axis.Cross(across))
}
