package trackgen

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

// Generator generates batches of tracks. Each batch has the same number of envs and fills the same Track, in memory
// that is allocated once. Only one goroutine at a time may use a Generator; different generators are independent. The
// caller closes it.
type Generator = track.Generator

// Option is an option of NewGenerator.
type Option = track.Option

// Warning is the argument of the function that WithWarnings sets. Its method Warning returns a text for people.
type Warning = exec.Warning

// RegenerateOption is an option of Generator.Regenerate.
type RegenerateOption = track.RegenerateOption

// Track is a batch of tracks in device memory, one Array for each column. Generator.Track returns the one that every
// generation fills, Track.Clone makes a copy that no generation overwrites, and Track.Batch copies it to host memory.
type Track = track.Track

// Batch is a batch of tracks in host memory, one slice for each column. Columns of points are flat, [E*N_max]; Points
// returns the points of one env.
type Batch = track.Batch

// Columns are the columns of a Batch, as slices.
type Columns = track.HostColumns

// DeviceColumns are the columns of a Track, as arrays in device memory.
type DeviceColumns = track.DeviceColumns

// Reason says why a track is not valid: one bit for each test that the track fails, 0 if it is valid. String and Names
// return the names of the failed tests.
type Reason = track.Reason

// Counters count what did not fit in the last generation (Generator.Counters).
type Counters = track.Counters

// NewGenerator allocates the memory of a generator and generates once, so that the Track is filled.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, an *ArgumentError (ErrInvalid) for seeds or
// components that do not fit the batch, ErrCapture inside a capture, ErrUnsupported for a configuration that the device
// cannot run, ErrOutOfMemory, or another error of the device.
func NewGenerator(device Device, config Config, options ...Option) (*Generator, error) {
	return track.NewGenerator(device, config, options...)
}

// ShardedGenerator generates one batch on several devices, each of which has a part of the envs. The tracks have the
// bits of a batch that one device makes.
type ShardedGenerator = track.ShardedGenerator

// NewShardedGenerator makes a generator on each device, for equal numbers of envs as far as they divide, and generates
// once on all at the same time. The options are those of the whole batch; WithStream belongs to one device and is
// refused.
//
// The errors are those of NewGenerator, with the name of the device, and an *ArgumentError (ErrInvalid) if a device is
// nil or comes twice, or if there are more devices than envs.
func NewShardedGenerator(devices []Device, config Config, options ...Option) (*ShardedGenerator, error) {
	return track.NewShardedGenerator(devices, config, options...)
}

// WithSeed gives the envs the seeds first, first+1, ...; the default is 0, 1, ...
func WithSeed(first int32) Option { return track.WithSeed(first) }

// WithSeeds gives env e the seed values[e]; there must be one for each env.
func WithSeeds(values []int32) Option { return track.WithSeeds(values) }

// WithEpoch sets the first epoch of every env; the default is 0. The same seed gives another track in each epoch.
func WithEpoch(epoch int32) Option { return track.WithEpoch(epoch) }

// WithComponents gives env e of a mixed batch the component values[e] of Config.Mix; there must be one for each env,
// and -1 lets an env draw its own.
func WithComponents(values []int32) Option { return track.WithComponents(values) }

// WithStream sets the stream of calls whose context names none.
func WithStream(stream Stream) Option { return track.WithStream(stream) }

// WithWarnings passes the warnings of a generator to warn instead of log/slog. A warning reports something that works
// but is probably not intended, such as masks in more arrays than a generator records graphs for.
func WithWarnings(warn func(Warning)) Option { return track.WithWarnings(warn) }

// SameEpoch makes Regenerate leave the epochs as they are, so that the envs of the mask get the same tracks again. It
// is for the time after SetSeeds, and for tracks whose memory was overwritten.
func SameEpoch() RegenerateOption { return track.SameEpoch() }

// NewBatch returns a batch of envs empty tracks with room for nMax points each, for programs that fill it themselves.
func NewBatch(envs, nMax int) *Batch { return track.NewBatch(envs, nMax) }

// Demand says what a generator of a configuration needs from a device: memory, launches and loop iterations.
type Demand = track.Demand

// KernelDemand is the part of a Demand that concerns one kernel.
type KernelDemand = track.KernelDemand

// DryRun returns what a generator of a configuration needs from a device. It computes no track and needs no device, so
// it shows on any machine whether a batch fits on another one.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, or the error of a stage that cannot be built.
func DryRun(config Config) (Demand, error) { return track.DryRun(config) }
