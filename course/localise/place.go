package localise

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/localise"
)

// Spots are places along the lines, in device memory, for Place: element e*A + a is that of agent a of env e. Their
// numbers mean what the columns of the same name mean. An arc length may be any finite number: it goes around the line.
type Spots struct {
	S, N, NUp exec.Array[float32] // [E*A]
}

// Poses are where agents are in space, in device memory, as simulators have it.
type Poses struct {
	Position    exec.Array[kernel.Vec3] // [E*A]
	Orientation exec.Array[kernel.Quat] // [E*A] (x, y, z, w)
}

// placement is what a call of Place works on.
type placement struct {
	at   Spots
	to   Poses
	mask exec.Array[int32]
}

// Place is the inverse of Locate, for the begin of an episode: it writes the poses of agents that are level, look along
// the line, and are at the given spots (C-83). It does so for the envs whose mask is not 0, and changes no other pose;
// the zero array means all envs. A line of fewer than 3 points and an arc length that is not finite give NaN. On an
// eager CPU device, only the first call with the same arrays allocates.
func (l *Localiser) Place(ctx context.Context, at Spots, to Poses, mask exec.Array[int32]) error {
	const op = "place"
	if err := l.open(op); err != nil {
		return err
	}
	p := placement{at: at, to: to, mask: mask}
	if err := l.checkPlacement(prefix+op, p); err != nil {
		return err
	}
	return l.component.Run(ctx, op, l.places.Get(p))
}

// EnqueuePlace emits one Place on lc without any policy.
func (l *Localiser) EnqueuePlace(lc *exec.LaunchContext, at Spots, to Poses, mask exec.Array[int32]) {
	const op = "enqueue place"
	p := placement{at: at, to: to, mask: mask}
	err := l.open(op)
	if err == nil {
		err = l.checkPlacement(prefix+op, p)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	l.place(lc, p)
}

// checkPlacement refuses arrays on another device or of another length.
func (l *Localiser) checkPlacement(op string, p placement) error {
	device, n := l.component.Device(), l.number()
	err := errors.Join(p.at.S.Check(op, "s", device, n), p.at.N.Check(op, "n", device, n),
		p.at.NUp.Check(op, "n_up", device, n), p.to.Position.Check(op, "position", device, n),
		p.to.Orientation.Check(op, "orientation", device, n))
	if err == nil && !p.mask.IsZero() {
		err = p.mask.Check(op, "mask", device, l.frames.Envs)
	}
	return err
}

// place launches a placement.
func (l *Localiser) place(lc *exec.LaunchContext, p placement) {
	masked, mask := int32(1), p.mask
	if mask.IsZero() {
		masked, mask = 0, l.frames.packed.Integers // is not read
	}
	localise.Place(lc, l.number(), localise.PlaceArgs{
		Agents: int32(l.config.Agents), MaxPoints: int32(l.points), Masked: masked, S: p.at.S, N: p.at.N, Up: p.at.NUp,
		Mask: mask, Index: l.state.index, Position: p.to.Position, Orientation: p.to.Orientation,
	})
}
