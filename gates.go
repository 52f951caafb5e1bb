package trackgen

import (
	"context"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/gate"
)

// GateConfig describes the gate courses to generate. Make one with DefaultGateConfig and change its fields. Lengths are
// in metres, or in any other unit that the user chooses; angles are in radians. docs/gates.md explains the fields.
type GateConfig = gate.Config

// GateComponent is one kind of control points in a mixed batch of gate courses (GateConfig.Mix), with its weight in the
// draw. GateConfig.NewComponent makes one.
type GateComponent = gate.Component

// GateField describes one field of GateConfig by its name in configuration files, such as "gate.width".
type GateField = gate.Field

// GateGenerator generates batches of gate courses. Each batch has the same number of envs and fills the same
// GateSequence, in memory that is allocated once. Only one goroutine at a time may use a GateGenerator; different
// generators are independent. The caller closes it.
type GateGenerator = gate.Generator

// GateSequence is a batch of gate courses in device memory, one Array for each column: for each env, a sequence of
// gates. GateSequence.Batch copies it to host memory.
type GateSequence = gate.Sequence

// GateBatch is a batch of gate courses in host memory, one slice for each column. Columns of gates are flat, [E*G_max];
// Gates returns the gates of one env.
type GateBatch = gate.Batch

// GateReason says why a gate course is not valid: one bit for each test that it fails, 0 if it is valid. String and
// Names return the names of the failed tests.
type GateReason = gate.Reason

// DefaultGateConfig returns the default configuration of gate courses: one course of bezier control points.
func DefaultGateConfig() GateConfig { return gate.DefaultConfig() }

// GateGenerators lists the generators of control points, for GateConfig.Generator.
func GateGenerators() []string { return gate.Generators() }

// GateFields lists the fields of GateConfig, in the order of configuration files.
func GateFields() []GateField { return gate.Fields() }

// GateConfigKind describes GateConfig to programs that read or write configurations of several kinds.
func GateConfigKind() config.Kind[GateConfig] { return gate.Kind() }

// NewGateGenerator allocates the memory of a generator of gate courses and generates once, so that the GateSequence is
// filled. Its options are those of NewGenerator.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, an *ArgumentError (ErrInvalid) for seeds or
// components that do not fit the batch, ErrCapture inside a capture, ErrUnsupported for a configuration that the device
// cannot run, ErrOutOfMemory, or another error of the device.
func NewGateGenerator(device Device, config GateConfig, options ...Option) (*GateGenerator, error) {
	return gate.NewGenerator(device, config, options...)
}

// WithFirstEnv makes env e of a GateGenerator env first + e of a batch that is made in parts. The default is 0. Only
// gates that lie in one place depend on the number of their env. It has no effect on other generators.
func WithFirstEnv(first int) Option { return gate.WithFirstEnv(first) }

// GatesAlongTracks is the generator in the GateConfig of a GatesAlong, and of files with its courses.
const GatesAlongTracks = gate.AlongTracks

// GatesAlong makes gate courses along the centre lines of a batch of tracks, one gate every GateConfig.Along.Spacing.
// It reads the tracks each time it makes courses, so that they follow those of a Generator. Only one goroutine at a
// time may use it. The caller closes it.
type GatesAlong = gate.Along

// NewGatesAlong allocates the memory of the courses along tracks and makes them once, so that the GateSequence is
// filled. The tracks may be those of a Generator, of Import or of Upload, and must stay open. Of config, the groups
// along, gate, output and validity count.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, an *ArgumentError (ErrInvalid) for tracks or
// options that do not fit, ErrCapture inside a capture, ErrUnsupported for more gates than the device supports,
// ErrOutOfMemory, or another error of the device.
func NewGatesAlong(device Device, tracks *Track, config GateConfig, options ...Option) (*GatesAlong, error) {
	return gate.NewAlong(device, tracks, config, options...)
}

// GateDryRun returns what a GateGenerator of a configuration needs from a device, as DryRun does for a Generator.
func GateDryRun(config GateConfig) (Demand, error) { return gate.DryRun(config) }

// UploadGates copies a GateBatch, for example one that was read from a file, to the memory of a device, and waits for
// the copy. GateSequence.Batch is the way back. The caller closes the GateSequence.
//
// It returns an *ArgumentError (ErrInvalid) for a batch whose arrays do not have the sizes that its shape says,
// ErrCapture inside a capture, or an error of the device.
func UploadGates(ctx context.Context, device Device, batch *GateBatch) (*GateSequence, error) {
	return gate.Upload(ctx, device, batch)
}
