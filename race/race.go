package race

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "race: "

// during returns err with a note of what a function of the package was doing.
func during(op string, err error) error {
	if err == nil {
		return nil
	}
	return exec.Doing(prefix+op, err)
}

// Option is an option of New and Over. Those of package course apply.
type Option = generation.Option

// Race runs vehicles on a batch of tracks or gate courses: a step moves them by the actions of their drivers, finds
// where they are and what they touch, rewards them, ends episodes, begins new ones, and observes. It is a producer in
// the sense of package exec: the same work can run eagerly, be recorded into a capture of the caller, or replay a
// graph.
//
// Only one goroutine at a time may use a Race; different races are independent.
type Race struct {
	config    Config
	course    *course.Course
	parts     parts
	component *component.Component

	busy    atomic.Bool // a call is going on: its parts do not know of each other
	actions exec.Array[float32]
	steps   component.Works[exec.Array[float32]] // bound
	perCall component.Works[exec.Array[float32]]
	resets  component.Works[exec.Array[int32]]
}

// New makes a generator, a course and vehicles, generates once, puts all vehicles to their start, and observes. It must
// not be called inside a capture. Options are those of generators: the seeds say which tracks the envs get, where the
// vehicles start, and what parameters they have.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong device or
// option, exec.ErrCapture inside a capture, backend.ErrUnsupported for a configuration that the device cannot run, or
// an error of the device.
func New(device backend.Device, config Config, with ...Option) (*Race, error) {
	const op = "new"
	if err := config.Validate(); err != nil {
		return nil, during(op, err)
	}
	return build(device, op, config, with, func() (*course.Course, error) {
		return course.New(device, config.Course, with...)
	})
}

// Over makes a race on a batch of the caller, such as imported circuits (track.Import). Course.Tracks and Course.Gates
// of config are nil, and Autoreset is not Regenerate. The batch must stay open as long as the race is used. Of the
// options, seeds say where vehicles start and what parameters they have; WithStream and WithWarnings apply too.
//
// It returns a *backend.ArgumentError for a source that is empty or on another device, and the errors of New.
func Over(device backend.Device, source course.Source, config Config, with ...Option) (*Race, error) {
	const op = "over"
	if source.Tracks == nil && source.Gates == nil {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "source", Value: "empty", Allowed: "tracks or gates"}
	}
	if err := config.validateOver(source); err != nil {
		return nil, during(op, err)
	}
	return build(device, op, config, with, func() (*course.Course, error) {
		o, err := generation.Collect(prefix, op, with)
		if err != nil {
			return nil, err
		}
		return course.Over(device, source, config.Course, generation.WithStream(o.Seeds.DefaultStream),
			generation.WithWarnings(o.Warn))
	})
}

// build makes a race on a course.
func build(device backend.Device, op string, config Config, with []Option,
	makeCourse func() (*course.Course, error)) (_ *Race, err error) {
	if err := exec.CheckDevice(prefix+op, device); err != nil {
		return nil, err
	}
	o, err := generation.Collect(prefix, op, with)
	if err != nil {
		return nil, err
	}
	r := &Race{}
	made := false
	defer func() {
		if !made {
			err = errors.Join(during(op, err), r.close())
		}
	}()
	_ = device.Load(config.Kernels()...) // all at once; who needs a kernel that cannot be loaded says so
	if r.course, err = makeCourse(); err != nil {
		return nil, err
	}
	r.config = config.filled(r.course.Signals().Events.Envs)
	if err = r.build(device, o); err != nil {
		return nil, err
	}
	made = true
	return r, nil
}

// open returns a *backend.ArgumentError for a Race that no constructor made, and a *backend.ClosedError for a closed
// one.
func (r *Race) open(op string) error {
	if r == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return r.component.Open(prefix, op)
}

// begin is open, and reserves the race for one call. Its end sets busy to false.
func (r *Race) begin(op string) error {
	if err := r.open(op); err != nil {
		return err
	}
	if !r.busy.CompareAndSwap(false, true) {
		return during(op, exec.ErrConcurrentUse)
	}
	return nil
}

// Reset begins new episodes in the envs whose mask is not 0, as the next step does with those that are over: with
// Autoreset Regenerate on new tracks, else on the same ones. Then it observes. The outcomes of the last step stay, and
// are not those of the new episodes. mask has one int32 per env and is read on the device; the zero array stands for
// all envs. The next step is the first one of these episodes.
func (r *Race) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := r.begin(op); err != nil {
		return err
	}
	defer r.busy.Store(false)
	mask, err := r.component.Mask(op, mask)
	if err != nil {
		return err
	}
	return r.component.Run(ctx, op, r.resets.Get(mask))
}

// SetSeeds replaces the seeds of all envs, one value for each, and begins their first episodes. It waits for its work,
// so it returns exec.ErrCapture inside a capture. Of a race over tracks of the caller, the tracks stay.
func (r *Race) SetSeeds(ctx context.Context, values []int32) error {
	const op = "set seeds"
	if err := r.begin(op); err != nil {
		return err
	}
	defer r.busy.Store(false)
	lc, err := r.component.Context(ctx, op)
	if err != nil {
		return err
	}
	if len(values) != r.component.Envs() {
		return &backend.ArgumentError{Op: prefix + op, Argument: "values", Value: len(values),
			Allowed: "one for each env"}
	}
	if r.course.Seeds() != nil {
		if err := r.course.SetSeeds(ctx, values); err != nil {
			return err
		}
		if err := r.course.Generate(ctx); err != nil {
			return err
		}
	}
	array, err := exec.FromSlice(r.component.Device(), values)
	if err != nil {
		return during(op, err)
	}
	r.parts.episodes.Set(lc, array)
	r.parts.first(lc, r.course)
	return errors.Join(during(op, lc.Err()), lc.Stream().Sync(), array.Close())
}

// Close releases the race: its course, its vehicles and all other parts. Graphs of the caller with work of the race
// keep the memory that they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is
// in a call of the race, Close returns exec.ErrConcurrentUse and releases nothing.
func (r *Race) Close() error {
	if r == nil {
		return nil
	}
	if !r.busy.CompareAndSwap(false, true) {
		return during("close", exec.ErrConcurrentUse)
	}
	defer r.busy.Store(false)
	return during("close", r.close())
}

// close releases what the race has. It may have been built in part.
func (r *Race) close() error {
	if err := r.component.Close(); errors.Is(err, exec.ErrConcurrentUse) {
		return err
	}
	return errors.Join(r.parts.close(), r.course.Close())
}
