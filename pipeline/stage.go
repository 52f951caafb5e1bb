package pipeline

import (
	"context"
	"io"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/seeds"
)

// stage is a stage made from a function.
type stage struct {
	id    string
	class exec.CaptureClass
	build func(b exec.Builder) (exec.Enqueue, error)

	mu    sync.Mutex
	built *recorder // by the last Build
}

// StageFunc returns a stage whose Build is a function.
//
// Its Outputs, which the checks of exec/exectest compare, are the arrays that the last Build requested with Output and
// SharedOutput, or all allocated memory if there are none.
func StageFunc(id string, class exec.CaptureClass, build func(b exec.Builder) (exec.Enqueue, error)) exec.Stage {
	return &stage{id: id, class: class, build: build}
}

func (s *stage) ID() string               { return s.id }
func (s *stage) Class() exec.CaptureClass { return s.class }

func (s *stage) Build(b exec.Builder) (exec.Enqueue, error) {
	op := "build stage " + s.id
	if s.build == nil {
		return nil, &backend.ArgumentError{Op: op, Argument: "build", Value: nil, Allowed: "a function"}
	}
	if err := checkBuilder(op, b); err != nil {
		return nil, err
	}
	r := &recorder{Builder: b}
	enqueue, err := s.build(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.built = r
	return enqueue, err
}

// Outputs implements exectest.Outputs.
func (s *stage) Outputs() []backend.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.built == nil:
		return nil
	case len(s.built.outputs) > 0:
		return s.built.outputs
	default:
		return s.built.kept
	}
}

// containsLegacy reports whether the last Build of the stage had a legacy producer among its parts.
func (s *stage) containsLegacy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.built != nil && s.built.legacy
}

// recorder is the builder of a stage made from a function. It notes what the stage requests. A stage that builds
// another one passes it its own recorder.
type recorder struct {
	exec.Builder
	outputs, kept []backend.View
	legacy        bool // the stage or a part of it launches on the current stream
}

// Keep implements exec.Builder.
func (r *recorder) Keep(c io.Closer) {
	if array, ok := c.(interface{ View() backend.View }); ok {
		r.kept = append(r.kept, array.View())
	}
	r.Builder.Keep(c)
}

// KeepPerEnv implements exec.EnvKeeper.
func (r *recorder) KeepPerEnv(c io.Closer, view backend.View, bytesPerEnv int64) {
	keeper, ok := r.Builder.(exec.EnvKeeper)
	if !ok {
		r.Keep(c)
		return
	}
	r.kept = append(r.kept, view)
	keeper.KeepPerEnv(c, view, bytesPerEnv)
}

// own returns the builder of this package that b is or wraps.
func own(b exec.Builder) (*Builder, bool) {
	for r, ok := b.(*recorder); ok; r, ok = b.(*recorder) {
		b = r.Builder
	}
	builder, ok := b.(*Builder)
	return builder, ok && builder != nil
}

// SeedStage is the first stage of a program whose envs are keyed by a state: it writes their effective seeds. Build
// fails if the state has another number of envs than the program.
func SeedStage(state *seeds.State) exec.Stage {
	return StageFunc("seed", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		const op = "seed stage"
		if state == nil {
			return nil, &backend.ArgumentError{Op: op, Argument: "state", Value: nil, Allowed: "one made by seeds.New"}
		}
		if err := state.Seed().Check(op, "state", b.Device(), b.Envs()); err != nil {
			return nil, err
		}
		out := b.Seed()
		return func(lc *exec.LaunchContext) { state.Effective(lc, out) }, nil
	})
}

// legacyStage is a stage made from a legacy producer.
type legacyStage struct{ stage }

// containsLegacy is true even before the stage is built.
func (s *legacyStage) containsLegacy() bool { return true }

// noteLegacy tells the stage that is being built with b, all stages to which it belongs and their program that they
// contain a legacy producer.
func noteLegacy(b exec.Builder) {
	for b != nil {
		switch at := b.(type) {
		case *recorder:
			at.legacy = true
			b = at.Builder
		case *Builder:
			at.legacy = true
			b = at.outer
		default:
			return
		}
	}
}

// LegacyGenerate does the work of a legacy producer: it knows no launch context and launches on the device's current
// stream.
type LegacyGenerate = func(ctx context.Context, device backend.Device) error

// Legacy returns a stage for a legacy producer. allocate does what the producer does once, and returns what it does in
// each generation. See exec.LegacyProducer for the contract.
func Legacy(id string, allocate func(b exec.Builder) (LegacyGenerate, error)) exec.Stage {
	s := &legacyStage{stage{id: id}}
	if allocate != nil {
		s.build = func(b exec.Builder) (exec.Enqueue, error) {
			noteLegacy(b)
			generate, err := allocate(b)
			if err != nil {
				return nil, err
			}
			return exec.LegacyProducer{Name: id, Generate: generate}.Enqueue(), nil
		}
	}
	return s
}
