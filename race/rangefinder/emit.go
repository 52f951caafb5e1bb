package rangefinder

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/rangefinder"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// emit launches an update: the walls, which write all ranges, then what shortens them, then the noise.
func (r *RangeFinder) emit(lc *exec.LaunchContext, i Inputs) {
	c := &r.config
	agents, beams, body := int32(c.Agents), int32(c.Beams), allocate.Bit(c.Frame == Body)
	items := r.scans.Envs * c.Agents * c.runs()
	x, y, z := float32(c.PlaceX), float32(c.PlaceY), float32(c.PlaceZ)
	index, walled := r.index, int32(1)
	if index.IsZero() { // what stands in its place is not read
		index, walled = i.Orientation, 0
	}
	if walled == 1 && r.run > 0 {
		runs := r.scans.Envs * c.Agents * r.ringRuns()
		rangefinder.Fans(lc, rangefinder.GroupsOf(runs), rangefinder.FansArgs{Total: int32(runs), Agents: agents,
			Beams: beams, Run: int32(r.run), MaxPoints: r.maxPoints(), Reach: float32(c.Range), PerGap: 1 / r.gap,
			PlaceX: x, PlaceY: y, PlaceZ: z, Position: i.Position, Orientation: i.Orientation, Turn: r.rings, Index: index,
			Hint: r.hint, Distance: r.scans.Distance, Hit: r.scans.Hit})
	} else {
		rangefinder.Walls(lc, rangefinder.GroupsOf(items), rangefinder.WallsArgs{Total: int32(items), Agents: agents,
			Beams: beams, MaxPoints: r.maxPoints(), Body: body, Walled: walled, Reach: float32(c.Range), PlaceX: x, PlaceY: y,
			PlaceZ: z, Position: i.Position, Orientation: i.Orientation, Turn: r.turn, Index: index,
			Distance: r.scans.Distance, Hit: r.scans.Hit})
	}
	if c.SeeAgents && c.Agents > 1 {
		rangefinder.Boxes(lc, items, rangefinder.BoxesArgs{Agents: agents, Beams: beams, Body: body,
			Reach: float32(c.Range), PlaceX: x, PlaceY: y, PlaceZ: z, Position: i.Position, Orientation: i.Orientation,
			Half: i.HalfExtents, Turn: r.turn, Distance: r.scans.Distance, Hit: r.scans.Hit})
	}
	if !r.discs.IsZero() {
		rangefinder.Discs(lc, items, rangefinder.DiscsArgs{Agents: agents, Beams: beams,
			PerEnv: int32(r.source.discsPerEnv()), Body: body, Reach: float32(c.Range), Radius: float32(c.DiscRadius),
			PlaceX: x, PlaceY: y, PlaceZ: z, Position: i.Position, Orientation: i.Orientation, Turn: r.turn,
			Disc: r.discs, Count: r.count, Distance: r.scans.Distance, Hit: r.scans.Hit})
	}
	if f := r.source.Frames; r.source.hasFrames() {
		rangefinder.Frames(lc, items, rangefinder.FramesArgs{Agents: agents, Beams: beams,
			MaxGates: int32(f.Position.Len() / r.scans.Envs), Body: body, Thickness: float32(c.FrameThickness),
			Depth: float32(c.FrameDepth), PlaceX: x, PlaceY: y, PlaceZ: z, Position: i.Position,
			Orientation: i.Orientation, Turn: r.turn, Gate: f.Position, Axes: f.Orientation, Half: f.HalfSize,
			Count: f.Count, Valid: f.Valid, Distance: r.scans.Distance, Hit: r.scans.Hit})
	}
	if c.isNoisy() {
		rangefinder.Disturb(lc, r.scans.Distance.Len(), rangefinder.DisturbArgs{Agents: agents, Beams: beams,
			Reach: float32(c.Range), Sigma: float32(c.Sigma), Dropout: float32(c.Dropout), Seed: r.seed, Epoch: r.epoch,
			Step: r.step, Distance: r.scans.Distance, Hit: r.scans.Hit})
		rangefinder.Tick(lc, r.scans.Envs, r.step)
	}
}

// ringRuns returns how many runs of beams that are rings an agent has.
func (r *RangeFinder) ringRuns() int { return (r.config.Beams + r.run - 1) / r.run }

// maxPoints returns the stride of the points in the index, 0 without one.
func (r *RangeFinder) maxPoints() int32 {
	switch {
	case r.source.isShared():
		return r.source.Checker.MaxPoints
	case r.source.hasBorders():
		return int32(r.source.Borders.Center.Len() / r.source.envs())
	}
	return 0
}
