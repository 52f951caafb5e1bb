package trackgen

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

// Generator makes batches of tracks: always the same number of envs, into the same Track, in memory that it allocates
// once. One goroutine at a time uses it; different generators are independent. The caller closes it.
type Generator = track.Generator

// Option is an option of NewGenerator.
type Option = track.Option

// Warning is what WithWarnings hears of. Its method Warning returns a text for people.
type Warning = exec.Warning

// RegenerateOption is an option of Generator.Regenerate.
type RegenerateOption = track.RegenerateOption

// Track is a batch of tracks in device memory, one Array for each column. Generator.Track returns the one that every
// generation fills, Track.Clone makes one that stays, and Track.Batch copies it to host memory.
type Track = track.Track

// Batch is a batch of tracks in host memory, one slice for each column. Columns of points are flat, [E*N_max]: Points
// cuts out those of an env.
type Batch = track.Batch

// Columns are the columns of a Batch, as slices.
type Columns = track.HostColumns

// DeviceColumns are the columns of a Track, as arrays in device memory.
type DeviceColumns = track.DeviceColumns

// Reason says why a track is not valid, one bit for each test that it fails; 0 is valid. String and Names tell which.
type Reason = track.Reason

// Counters tell what did not fit during the last generation (Generator.Counters).
type Counters = track.Counters

// NewGenerator allocates what generation needs and generates once, so that the Track is filled.
//
// It returns a *ConfigError (ErrConfig) for each field of config that is wrong, an *ArgumentError (ErrInvalid) for
// seeds or components that do not fit the batch, ErrCapture inside a capture, ErrUnsupported for a configuration that
// the device cannot run, ErrOutOfMemory, or another error of the device.
func NewGenerator(device Device, config Config, options ...Option) (*Generator, error) {
	return track.NewGenerator(device, config, options...)
}

// WithSeed gives the envs the seeds first, first+1, ...; the default is 0, 1, ...
func WithSeed(first int32) Option { return track.WithSeed(first) }

// WithSeeds gives env e the seed values[e]; there must be one for each env.
func WithSeeds(values []int32) Option { return track.WithSeeds(values) }

// WithEpoch starts every env at an epoch; the default is 0. Each epoch gives other tracks of the same seeds.
func WithEpoch(epoch int32) Option { return track.WithEpoch(epoch) }

// WithComponents gives env e of a mixed batch the component values[e] of Config.Mix; there must be one for each env,
// and -1 lets an env draw its own.
func WithComponents(values []int32) Option { return track.WithComponents(values) }

// WithStream makes stream the one on which calls work whose context names none.
func WithStream(stream Stream) Option { return track.WithStream(stream) }

// WithWarnings gives the warnings of a generator to warn instead of log/slog: they tell of what works but is probably
// not intended, such as masks in more arrays than a generator records graphs for.
func WithWarnings(warn func(Warning)) Option { return track.WithWarnings(warn) }

// SameEpoch makes Regenerate leave the epochs as they are, so that the envs of the mask get the same tracks again:
// after SetSeeds, or where their memory was overwritten.
func SameEpoch() RegenerateOption { return track.SameEpoch() }

// NewBatch returns a batch of so many empty tracks with room for nMax points each, for programs that fill it
// themselves.
func NewBatch(envs, nMax int) *Batch { return track.NewBatch(envs, nMax) }

// Demand is what a generator of a configuration asks of a device: memory, launches and loop iterations.
type Demand = track.Demand

// KernelDemand is the part of a Demand of one kernel.
type KernelDemand = track.KernelDemand

// DryRun counts what a generator of a configuration asks of a device. It computes no track and needs no device, so that
// it shows on any machine whether a batch fits on another one.
//
// It returns a *ConfigError (ErrConfig) for each field of config that is wrong, or an error of a stage that cannot be
// built.
func DryRun(config Config) (Demand, error) { return track.DryRun(config) }
