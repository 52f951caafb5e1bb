package generation

import (
	"context"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/selection"
)

// maxRegenerations is the maximum number of masks whose work a generator remembers. At the maximum, a new mask makes it
// forget all others.
const maxRegenerations = 64

// regenerationKey identifies the work of one Regenerate: equal keys mean the same launches on the same buffers (R68).
type regenerationKey struct {
	advance bool
	mask    backend.View
}

// regeneration is the work of one key. It is made once, so that later calls allocate nothing.
type regeneration struct {
	key      any
	body     exec.Enqueue
	segments []exec.Segment // used instead of body if the program has HOST stages
}

// regenerations remembers the work of masks. Concurrent calls are an error, which the runner reports; the mutex only
// keeps them from corrupting the map.
type regenerations struct {
	mutex sync.Mutex
	known map[regenerationKey]*regeneration
}

// RegenerateOption is an option of Regenerate. It is a plain value, so that calls allocate nothing.
type RegenerateOption struct{ sameEpoch bool }

// SameEpoch leaves the epochs as they are: the envs of the mask get the same results again, unless their seeds have
// changed.
func SameEpoch() RegenerateOption { return RegenerateOption{sameEpoch: true} }

// advances reports whether the epochs advance.
func advances(options []RegenerateOption) bool {
	for _, o := range options {
		if o.sameEpoch {
			return false
		}
	}
	return true
}

// Regenerate generates again the envs whose mask is not 0, and changes no byte of the other envs. It first
// advances the epochs of the masked envs, unless SameEpoch is given. mask has one int32 per env and is read on the
// device, so its values may change between calls and between replays of a graph. The zero array stands for all envs.
//
// The work is proportional to the number of masked envs. Inside a capture on a device with conditionals, the device
// skips all work if no env is masked. On an eager CPU device, only the first call with a mask allocates.
//
// Afterwards, Counters returns those of the masked envs. With an empty mask they stay as they are.
func (g *Generation) Regenerate(ctx context.Context, mask exec.Array[int32], options ...RegenerateOption) error {
	const op = "regenerate"
	if err := g.CheckOpen(op); err != nil {
		return err
	}
	if err := g.checkMask(mask); err != nil {
		return g.during(op, err)
	}
	r, err := g.regeneration(mask, advances(options))
	if err != nil {
		return g.during(op, err)
	}
	if r.segments != nil {
		_, err = g.runner.RunSegments(ctx, r.segments, exec.RunOptions{Key: r.key})
	} else {
		_, err = g.runner.Run(ctx, r.body, exec.RunOptions{Key: r.key})
	}
	return g.during(op, err)
}

// checkMask refuses a mask, other than the zero array, on another device or of another length.
func (g *Generation) checkMask(mask exec.Array[int32]) error {
	if mask.IsZero() {
		return nil
	}
	return g.state.CheckMask(mask, "mask")
}

// regeneration returns the work for a mask.
func (g *Generation) regeneration(mask exec.Array[int32], advance bool) (*regeneration, error) {
	key := regenerationKey{advance: advance, mask: mask.View()}
	g.regenerations.mutex.Lock()
	defer g.regenerations.mutex.Unlock()
	if known, ok := g.regenerations.known[key]; ok {
		return known, nil
	}
	made := &regeneration{key: key, body: func(lc *exec.LaunchContext) { g.enqueueRegenerate(lc, mask, advance) }}
	if g.segments != nil {
		list := g.masked
		if mask.IsZero() {
			list = exec.Array[int32]{}
		}
		parts, err := g.program.Segments(list)
		if err != nil {
			return nil, err
		}
		selectEnvs := exec.Segment{StageID: "select",
			Body: func(lc *exec.LaunchContext) { g.enqueueSelection(lc, mask, advance) }}
		made.segments = append([]exec.Segment{selectEnvs}, parts...)
	}
	if len(g.regenerations.known) >= maxRegenerations || g.regenerations.known == nil {
		g.regenerations.known = make(map[regenerationKey]*regeneration)
	}
	g.regenerations.known[key] = made
	return made, nil
}

// EnqueueRegenerate emits one Regenerate on lc without any policy.
func (g *Generation) EnqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32], options ...RegenerateOption) {
	const op = "enqueue regenerate"
	if err := g.CheckOpen(op); err != nil {
		lc.Fail(err)
		return
	}
	if err := g.checkMask(mask); err != nil {
		lc.Fail(g.during(op, err))
		return
	}
	g.enqueueRegenerate(lc, mask, advances(options))
}

// enqueueRegenerate emits one Regenerate on lc.
func (g *Generation) enqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32], advance bool) {
	g.enqueueSelection(lc, mask, advance)
	if mask.IsZero() {
		g.program.Enqueue(lc)
		return
	}
	if g.unconditional {
		g.enqueueMasked(lc)
		return
	}
	// The length of the list serves as the flag, because a generation of no envs changes nothing (R23).
	exec.SkipUnless(lc, g.anyMasked, g.generateMasked)
}

// enqueueSelection lists the envs of a mask, unless it is the zero array, for all envs. If advance is set, it first
// advances their epochs.
func (g *Generation) enqueueSelection(lc *exec.LaunchContext, mask exec.Array[int32], advance bool) {
	if mask.IsZero() {
		if advance {
			g.state.Advance(lc)
		}
		return
	}
	if advance {
		g.state.AdvanceMasked(lc, mask)
	}
	selection.Compact(lc, selection.Groups(g.plan.Envs), int32(g.plan.Envs), mask, g.masked)
}

// enqueueMasked emits a generation of the envs that the last compaction listed.
func (g *Generation) enqueueMasked(lc *exec.LaunchContext) { g.program.EnqueueEnvs(lc, g.masked) }
