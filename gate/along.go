package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernels/gate"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
)

// AlongTracks is the Generator of the configuration of an Along. NewGenerator does not accept it, because it has no
// tracks.
const AlongTracks = "along"

// Along makes gate courses along the centre lines of a batch of tracks in device memory: generated tracks, measured
// circuits (track.Import) or tracks of a file (track.Upload). A track of length L gets L/along.spacing gates, rounded
// to the nearest, at equal arc length from its first point on, at the height of the track. Frames, posts and validity
// are those of other courses.
//
// An Along reads the tracks each time it makes courses, so that they follow the tracks of a generator:
//
//	tracks, err := track.NewGenerator(device, trackConfig)
//	...
//	courses, err := gate.NewAlong(device, tracks.Track(), config)
//	...
//	tracks.Regenerate(ctx, done)  // new tracks where an episode has ended
//	courses.Regenerate(ctx, done) // and their gates
//
// It is a producer in the sense of package exec. Only one goroutine at a time may use it.
type Along struct {
	config     Config
	sequence   *Sequence
	generation *generation.Generation // nil in an Along that NewAlong has not made
}

// NewAlong allocates the memory of the courses and makes them once, so that the Sequence is filled and later captures
// load nothing. It must not be called inside a capture. The tracks must stay open while the Along is used.
//
// Of config, the groups along, gate, output and validity count. Its generator and num_envs are ignored: the Config of
// the Along has AlongTracks and the number of tracks. Seeds and epochs are those of the tracks; gate.size_range draws
// from them.
//
// Courses along a track that is not valid have ReasonTrack, unless along.any_track is set. A course that needs more
// gates than output.max_gates has ReasonTooMany, and its first gates are stored.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, a *backend.ArgumentError for tracks or options
// that do not fit, exec.ErrCapture inside a capture, a *generation.LoopsError (backend.ErrUnsupported) for too many
// gates for the device, or an error of the device.
func NewAlong(device backend.Device, tracks *track.Track, config Config, with ...Option) (_ *Along, err error) {
	const op = "new gates along tracks"
	o, err := generation.Collect(prefix, op, with)
	if err != nil {
		return nil, err
	}
	if err := checkTracks(prefix+op, device, tracks); err != nil {
		return nil, err
	}
	config.Generator, config.NumEnvs = AlongTracks, tracks.Envs
	if err := config.ValidateAlong(); err != nil {
		return nil, err
	}
	if err := o.RefuseOrigins(prefix + op); err != nil {
		return nil, err
	}
	a := &Along{config: config}
	made := false
	defer func() {
		if !made { // also after a panic in a stage
			err = errors.Join(during(op, exec.InProducer(config.producerName(), err)), a.core().Close())
		}
	}()
	if err = o.CheckNotCapturing(device, config.producerName()); err != nil {
		return nil, err
	}
	if err = config.checkAlongLoops(device, tracks.NMax); err != nil {
		return nil, err
	}
	if err = a.build(device, lineOf(tracks), o); err != nil {
		return nil, err
	}
	if err = a.generation.Prepare(context.Background(), 0); err != nil {
		return nil, err
	}
	made = true
	return a, nil
}

// checkTracks returns an error for tracks that are not on the device.
func checkTracks(op string, device backend.Device, tracks *track.Track) error {
	refuse := func(argument string, allowed string) error {
		return &backend.ArgumentError{Op: op, Argument: argument, Value: nil, Allowed: allowed}
	}
	switch {
	case device == nil:
		return refuse("device", "an open backend.Device")
	case tracks == nil:
		return refuse("tracks", "a *track.Track")
	}
	line, points := lineOf(tracks), tracks.Envs*tracks.NMax
	return cmp.Or(
		line.center.Check(op, "tracks.Center", device, points), line.arclen.Check(op, "tracks.Arclen", device, points),
		line.length.Check(op, "tracks.Length", device, tracks.Envs),
		line.count.Check(op, "tracks.Count", device, tracks.Envs),
		line.valid.Check(op, "tracks.Valid", device, tracks.Envs),
		line.seed.Check(op, "tracks.Seed", device, tracks.Envs), line.epoch.Check(op, "tracks.Epoch", device, tracks.Envs))
}

// ValidateAlong checks a configuration for NewAlong, as Validate does for NewGenerator.
func (c Config) ValidateAlong() error {
	plain := c
	plain.Generator = DefaultConfig().Generator // AlongTracks is no choice of a configuration
	wrong := append(fields.Check(plain), generation.CheckMix(Kind(), plain)...)
	if len(wrong) == 0 {
		wrong = c.checkLimits()
	}
	if c.Candidates > 1 {
		wrong = append(wrong, &ConfigError{Field: "candidates", Value: fmt.Sprint(c.Candidates),
			Allowed: "1 along tracks, which have their own candidates"})
	}
	if most := math.MaxInt32 / max(1, c.Output.MaxGates); c.NumEnvs > most {
		wrong = append(wrong, &ConfigError{Field: "output.max_gates", Value: fmt.Sprint(c.Output.MaxGates),
			Allowed: fmt.Sprintf("so small that %d courses have at most %d gates", c.NumEnvs, math.MaxInt32)})
	}
	return errors.Join(wrong...)
}

// checkAlongLoops returns a *generation.LoopsError for too many gates for the device.
func (c Config) checkAlongLoops(device backend.Device, nMax int) error {
	build := func(device backend.Device, envs int) (*generation.Generation, error) {
		c.NumEnvs = envs
		a := &Along{config: c}
		if err := a.build(device, line{points: nMax}, generation.Options{}); err != nil {
			return nil, err
		}
		return a.generation, nil
	}
	loops, err := generation.CheckLoops(device, build, c.NumEnvs)
	if err != nil || loops == nil {
		return err
	}
	return loops
}

// build allocates the memory and builds the stages. It makes no courses.
func (a *Along) build(device backend.Device, l line, o generation.Options) (err error) {
	if a.sequence, err = newSequence(device, a.config.NumEnvs, a.config.Output.MaxGates); err != nil {
		return err
	}
	a.sequence.stream = o.Seeds.DefaultStream
	stages := []exec.Stage{alongStage(a.config, l), frameStage(a.config)}
	if a.config.variesSize() {
		stages = append([]exec.Stage{sizeStage(a.config)}, stages...)
	}
	a.generation, err = generation.New(device, generation.Plan{
		Prefix: prefix, Name: a.config.producerName(), Envs: a.config.NumEnvs, Stages: stages,
		Kernels: gate.Defs, Provide: a.sequence.provide, FromSeed: l.seed, FromEpoch: l.epoch,
		Seed: a.sequence.Seed, Epoch: a.sequence.Epoch, Result: a.sequence, Owner: exec.WeakOwner(a),
	}, o)
	return err
}

// core returns the generation. That of an Along that NewAlong has not made refuses every call.
func (a *Along) core() *generation.Generation {
	if a == nil || a.generation == nil {
		return notMade
	}
	return a.generation
}

// Config returns the configuration, with the generator AlongTracks and the number of tracks.
func (a *Along) Config() Config { return a.config }

// Program returns the stages that make the courses. The Along owns it.
func (a *Along) Program() *pipeline.Program { return a.core().Program() }

// Sequence returns the courses that Generate and Regenerate fill. The Along owns it.
func (a *Along) Sequence() *Sequence { return a.sequence }

// Generate makes the courses along the tracks as they are now, and returns the Sequence. Inside a capture of the stream
// that ctx resolves to, the work is recorded, not run. Generate allocates nothing on an eager CPU device.
func (a *Along) Generate(ctx context.Context) (*Sequence, error) {
	if err := a.core().Generate(ctx); err != nil {
		return nil, err
	}
	return a.sequence, nil
}

// Enqueue emits one Generate on lc without any policy, for callers that record it as a part of their own work.
func (a *Along) Enqueue(lc *exec.LaunchContext) { a.core().Enqueue(lc) }

// Regenerate makes the courses of the envs whose mask is not 0 along their tracks as they are now, and changes no byte
// of the other envs. mask has one int32 per env and is read on the device; the zero array stands for all envs. The work
// is proportional to the number of masked envs.
func (a *Along) Regenerate(ctx context.Context, mask exec.Array[int32]) (*Sequence, error) {
	if err := a.core().Regenerate(ctx, mask, generation.SameEpoch()); err != nil {
		return nil, err
	}
	return a.sequence, nil
}

// EnqueueRegenerate emits one Regenerate on lc without any policy.
func (a *Along) EnqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32]) {
	a.core().EnqueueRegenerate(lc, mask, generation.SameEpoch())
}

// Close releases the courses; the tracks stay as they are. Closing twice is a no-op. While another goroutine is in a
// call of the Along, Close returns exec.ErrConcurrentUse and releases nothing.
func (a *Along) Close() error { return a.core().Close() }
