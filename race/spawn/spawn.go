package spawn

import (
	"context"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// open returns a *backend.ArgumentError for a Spawner that New did not make, and a *backend.ClosedError for a closed
// one.
func (s *Spawner) open(op string) error {
	if s == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return s.component.Open(prefix, op)
}

// Bind makes agents the arrays that Spawn writes from now on. Binding others replaces them; a graph that has recorded a
// spawn keeps writing the old ones, about which a warning tells (R97).
//
// It returns a *backend.ArgumentError for an array that does not fit, or is missing although a setting needs it.
func (s *Spawner) Bind(agents Agents) error {
	const op = "bind"
	if err := s.open(op); err != nil {
		return err
	}
	if err := agents.check(prefix+op, s.component.Device(), s.number(), &s.config); err != nil {
		return err
	}
	s.agents = agents
	s.component.Bind(agents.named()...)
	return nil
}

// Spawn puts the agents of the envs whose mask is not 0 on their lines, and changes no others. Inside a capture of the
// stream that ctx resolves to, the work is recorded, not run. mask has one int32 per env and is read on the device, so
// its values may change between calls and between replays of a graph. The zero array stands for all envs. On an eager
// CPU device, only the first call with a mask allocates.
//
// It returns a *backend.ArgumentError if nothing is bound.
func (s *Spawner) Spawn(ctx context.Context, mask exec.Array[int32]) error {
	const op = "spawn"
	mask, err := s.checkBound(op, mask)
	if err != nil {
		return err
	}
	return s.component.Run(ctx, op, s.bound.Get(call{agents: s.agents, mask: mask}))
}

// SpawnAt is Spawn with the arrays of the call. It returns a *backend.ArgumentError if others are bound (C-90).
func (s *Spawner) SpawnAt(ctx context.Context, agents Agents, mask exec.Array[int32]) error {
	const op = "spawn at"
	mask, err := s.checkAt(op, prefix+op, agents, mask)
	if err != nil {
		return err
	}
	return s.component.Run(ctx, op, s.perCall.Get(call{agents: agents, mask: mask}))
}

// EnqueueSpawn emits one Spawn on lc without any policy, for callers that record it as a part of their own work.
func (s *Spawner) EnqueueSpawn(lc *exec.LaunchContext, mask exec.Array[int32]) {
	mask, err := s.checkBound("enqueue spawn", mask)
	if err != nil {
		lc.Fail(err)
		return
	}
	s.component.Recorded(lc)
	s.emit(lc, call{agents: s.agents, mask: mask})
}

// EnqueueSpawnAt emits one SpawnAt on lc without any policy.
func (s *Spawner) EnqueueSpawnAt(lc *exec.LaunchContext, agents Agents, mask exec.Array[int32]) {
	const op = "enqueue spawn at"
	mask, err := s.checkAt(op, prefix+op, agents, mask)
	if err != nil {
		lc.Fail(err)
		return
	}
	s.emit(lc, call{agents: agents, mask: mask})
}

// checkBound checks a call without arrays of agents, and returns its mask.
func (s *Spawner) checkBound(op string, mask exec.Array[int32]) (exec.Array[int32], error) {
	if err := s.open(op); err != nil {
		return mask, err
	}
	if err := s.component.CheckBound(op, true); err != nil {
		return mask, err
	}
	return s.component.Mask(op, mask)
}

// checkAt checks a call with arrays of agents, and returns its mask. whole is op with the prefix.
func (s *Spawner) checkAt(op, whole string, agents Agents, mask exec.Array[int32]) (exec.Array[int32], error) {
	if err := s.open(op); err != nil {
		return mask, err
	}
	if err := s.component.CheckBound(op, false); err != nil {
		return mask, err
	}
	if err := agents.check(whole, s.component.Device(), s.number(), &s.config); err != nil {
		return mask, err
	}
	return s.component.Mask(op, mask)
}
