package track

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/seeds"
)

// Option sets how a Generator is made.
type Option func(*options)

type options struct {
	seeds seeds.Options
	epoch int32
}

// WithSeed gives the envs the seeds first, first+1, ...; the default is 0, 1, ...
func WithSeed(first int32) Option {
	return func(o *options) { o.seeds.Base, o.seeds.Values = first, nil }
}

// WithSeeds gives env e the seed values[e]; there must be one for each env.
func WithSeeds(values []int32) Option {
	return func(o *options) { o.seeds.Base, o.seeds.Values = 0, values }
}

// WithEpoch starts every env at the given epoch; the default is 0.
func WithEpoch(epoch int32) Option {
	return func(o *options) { o.epoch = epoch }
}

// WithStream makes stream the one that calls use if neither they nor an ambient context name one (R6).
func WithStream(stream backend.Stream) Option {
	return func(o *options) { o.seeds.DefaultStream = stream }
}

// Generator makes batches of tracks: always the same number of envs, into the same Track. It is a producer in the sense
// of package exec: the same work can run eagerly, be recorded into the caller's capture, or replay a graph.
//
// A Generator is used by one goroutine at a time; different generators are independent.
type Generator struct {
	config    Config
	memory    memory
	state     *seeds.State
	track     *Track
	effective exec.Array[int32]       // [E] what the random streams start from
	everyone  exec.Array[int32]       // [1+E] list of all envs, see package selection
	masked    exec.Array[int32]       // [1+E] list of the envs of a mask
	loop      exec.Array[kernel.Vec2] // [E*num_points]
	counters  exec.Array[int32]       // see Counters
	first     loopStage
	space     *spaceStage
	relax     *relaxStage // nil without relaxation
	road      *roadStage

	runner *exec.GraphRunner
	body   exec.Enqueue

	anyMasked      exec.Array[int32] // [1] the length of masked
	generateMasked exec.Enqueue
	regenerations  map[regenerationKey]*regeneration

	closed atomic.Bool
}

// NewGenerator allocates everything that generation needs and generates once, so that the Track is filled and later
// captures load nothing (C3). It is not called inside a capture.
//
// It returns a *ConfigError (ErrConfig) for each field of config that is wrong, an error of package seeds for seeds that
// do not fit, exec.ErrCapture inside a capture, or an error of the device.
func NewGenerator(device backend.Device, config Config, with ...Option) (_ *Generator, err error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	var o options
	for i, option := range with {
		if option == nil {
			return nil, fmt.Errorf("track: new generator: %w", &exec.ArgError{Op: "new generator", Arg: fmt.Sprintf("option %d", i), Value: nil, Allowed: "an Option of package track"})
		}
		option(&o)
	}
	c := config.WithDefaults()
	g := &Generator{config: c, memory: memory{device: device}}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("track: new %s generator: %w", c.Generator, err), g.Close())
		}
	}()
	g.runner, err = exec.NewGraphRunner(device, exec.RunnerOptions{
		Capturable: true, DefaultStream: o.seeds.DefaultStream, Name: "track." + c.Generator, Owner: exec.WeakOwner(g),
	})
	if err != nil {
		return nil, err
	}
	if _, err = g.runner.EnsureNotCapturing(context.Background()); err != nil {
		return nil, err
	}
	if err = device.Load(kernels()...); err != nil {
		return nil, err
	}
	if err = g.allocate(o); err != nil {
		return nil, err
	}
	g.body = g.Enqueue
	g.generateMasked = g.enqueueMasked
	if o.epoch != 0 {
		if err = g.SetEpoch(context.Background(), o.epoch); err != nil {
			return nil, err
		}
	}
	if err = g.runner.Prepare(context.Background(), g.body); err != nil {
		return nil, err
	}
	return g, nil
}

// kernels lists every kernel that a generator may launch.
func kernels() []*kernel.Def {
	var defs []*kernel.Def
	for _, area := range [][]*kernel.Def{seeding.Defs, selection.Defs, centerline.Defs, relaxation.Defs, inflation.Defs} {
		defs = append(defs, area...)
	}
	return defs
}

// allocate makes the seeds, the result and the stages.
func (g *Generator) allocate(o options) (err error) {
	c, m := g.config, &g.memory
	if g.state, err = seeds.New(m.device, c.NumEnvs, o.seeds); err != nil {
		return err
	}
	if g.track, err = newTrack(m.device, c.NumEnvs, c.NMax); err != nil {
		return err
	}
	g.track.stream = o.seeds.DefaultStream
	g.effective = allocate[int32](m, c.NumEnvs)
	g.loop = allocate[kernel.Vec2](m, c.NumEnvs*c.NumPoints)
	g.counters = allocate[int32](m, numCounters)
	g.everyone = allocate[int32](m, c.NumEnvs+1)
	g.masked = allocate[int32](m, c.NumEnvs+1)
	if m.err != nil {
		return m.err
	}
	list := make([]int32, c.NumEnvs+1)
	list[0] = int32(c.NumEnvs)
	for e := range c.NumEnvs {
		list[e+1] = int32(e)
	}
	if err = g.everyone.Write(list); err != nil {
		return err
	}
	truncated, err := g.counters.Slice(counterTruncated, counterTruncated+1)
	if err != nil {
		return err
	}
	dropped, err := g.counters.Slice(counterDropped, counterDropped+1)
	if err != nil {
		return err
	}
	if g.anyMasked, err = g.masked.Slice(0, 1); err != nil {
		return err
	}
	g.first = c.spec().newStage(m, c)
	g.space = newSpaceStage(m, c, truncated)
	if *c.RelaxEnable {
		g.relax = newRelaxStage(m, c, dropped)
	}
	g.road = newRoadStage(m, c)
	return m.err
}

// Config returns the configuration with every default filled in.
func (g *Generator) Config() Config { return g.config }

// Seeds returns the seeds and epochs that key the next generation.
func (g *Generator) Seeds() *seeds.State { return g.state }

// Track returns the result that every generation fills. The generator owns it.
func (g *Generator) Track() *Track { return g.track }

// Spaced returns the centrelines before relaxation, [E*N_max]: the first Count[e] points of each row are defined.
func (g *Generator) Spaced() exec.Array[kernel.Vec2] { return g.space.spaced }

// Generate makes a batch from the present seeds and epochs and returns the generator's Track. Inside a capture of the
// stream that ctx resolves to, the work is recorded instead of run. It allocates nothing on an eager CPU device.
func (g *Generator) Generate(ctx context.Context) (*Track, error) {
	if g.closed.Load() {
		return nil, fmt.Errorf("track: generate: %w", backend.ErrClosed)
	}
	if _, err := g.runner.Run(ctx, g.body, exec.RunOptions{}); err != nil {
		return nil, fmt.Errorf("track: generate: %w", err)
	}
	return g.track, nil
}

// Enqueue emits one generation on lc, without any policy: for callers that record it as a part of their own work.
func (g *Generator) Enqueue(lc *exec.LaunchContext) { g.enqueue(lc, g.everyone) }

// enqueue emits the generation of the envs that active lists.
func (g *Generator) enqueue(lc *exec.LaunchContext, active exec.Array[int32]) {
	selection.Key(lc, max(g.config.NumEnvs, numCounters), active, g.state.Seeds(), g.state.Epoch(),
		g.effective, g.track.Seed, g.track.Epoch, g.counters)
	g.first.enqueue(lc, active, g.effective, g.loop)
	g.space.enqueue(lc, active, g.loop, g.track.Count)
	point := g.space.spaced
	if g.relax != nil {
		g.relax.enqueue(lc, active, point, g.track.Count)
		point = g.relax.relaxed
	}
	g.road.enqueue(lc, active, point, g.space.needed, g.track)
}

// SetSeeds replaces the seeds of all envs, one value each, and returns them to epoch 0. The next generation uses them. It
// waits for its work, so it returns exec.ErrCapture inside a capture.
func (g *Generator) SetSeeds(ctx context.Context, values []int32) (err error) {
	if len(values) != g.config.NumEnvs {
		return fmt.Errorf("track: set seeds: %w", &exec.ArgError{Op: "set seeds", Arg: "values length", Value: len(values), Allowed: fmt.Sprint(g.config.NumEnvs)})
	}
	if g.closed.Load() {
		return fmt.Errorf("track: set seeds: %w", backend.ErrClosed)
	}
	lc, err := g.state.Context(ctx, nil)
	if err != nil {
		return fmt.Errorf("track: set seeds: %w", err)
	}
	if err := refuseCapture(lc, "set seeds"); err != nil {
		return err // before anything is recorded that reads the staged seeds
	}
	staged, err := exec.FromSlice(g.memory.device, values)
	if err != nil {
		return fmt.Errorf("track: set seeds: %w", err)
	}
	defer func() { err = errors.Join(err, staged.Close()) }()
	return g.emit(ctx, "set seeds", func(lc *exec.LaunchContext) { g.state.Set(lc, staged) })
}

// SetEpoch puts every env at an epoch. Epoch 0 uses the seeds themselves; seeds.EffectiveSeed says what others use. It
// waits for its work, so it returns exec.ErrCapture inside a capture.
func (g *Generator) SetEpoch(ctx context.Context, epoch int32) error {
	return g.emit(ctx, "set epoch", func(lc *exec.LaunchContext) { exec.Fill(lc, g.state.Epoch(), epoch) })
}

// refuseCapture returns exec.ErrCapture inside a capture, for calls that wait for their own work.
func refuseCapture(lc *exec.LaunchContext, op string) error {
	if lc.Stream().Capture() == backend.CaptureNone {
		return nil
	}
	return fmt.Errorf("track: %w", &exec.CaptureError{Op: op, Detail: "the stream of the call is being captured; do it outside the capture"})
}

// emit runs body on the stream of the call and waits for it. Inside a capture it returns exec.ErrCapture and records
// nothing.
func (g *Generator) emit(ctx context.Context, op string, body exec.Enqueue) error {
	if g.closed.Load() {
		return fmt.Errorf("track: %s: %w", op, backend.ErrClosed)
	}
	lc, err := g.state.Context(ctx, nil)
	if err != nil {
		return fmt.Errorf("track: %s: %w", op, err)
	}
	if err := refuseCapture(lc, op); err != nil {
		return err
	}
	body(lc)
	if err := lc.Err(); err != nil {
		return fmt.Errorf("track: %s: %w", op, err)
	}
	if err := lc.Stream().Sync(); err != nil {
		return fmt.Errorf("track: %s: %w", op, err)
	}
	return nil
}

// Close releases the generator and its Track. Closing twice is a no-op.
func (g *Generator) Close() error {
	if !g.closed.CompareAndSwap(false, true) {
		return nil
	}
	var failed []error
	if g.runner != nil {
		failed = append(failed, g.runner.Close())
	}
	failed = append(failed, g.memory.close())
	if g.track != nil {
		failed = append(failed, g.track.Close())
	}
	if g.state != nil {
		failed = append(failed, g.state.Close())
	}
	return errors.Join(failed...)
}

// Where the device counts what did not fit.
const (
	counterTruncated = iota
	counterDropped
	numCounters
)

// Counters tell what did not fit during the last generation. They are counted on the device and read only on request.
type Counters struct {
	Truncated int // envs whose loop asks for more than N_max points; they are not valid
	Dropped   int // times that a point had more close points than relax_sep_cache_slots
}

// Counters reads the counters of the last generation, after everything emitted so far on the stream of the call.
func (g *Generator) Counters(ctx context.Context) (Counters, error) {
	if err := g.emit(ctx, "counters", func(*exec.LaunchContext) {}); err != nil {
		return Counters{}, err
	}
	values, err := g.counters.Read()
	if err != nil {
		return Counters{}, fmt.Errorf("track: counters: %w", err)
	}
	return Counters{Truncated: int(values[counterTruncated]), Dropped: int(values[counterDropped])}, nil
}
