package trackgen

import (
	"context"

	"github.com/trackgen-go/trackgen/heightfield"
)

// HeightConfig has the settings of height fields. Make one with DefaultHeightConfig and change its fields. Lengths are
// in track units. docs/terrain.md explains the fields.
type HeightConfig = heightfield.Config

// HeightBaker bakes the height fields of a batch of tracks on the device that holds them: eagerly, as a part of a
// capture, or by replaying its graph, for all envs or for those of a mask. Only one goroutine at a time may use a
// HeightBaker; different bakers are independent. The caller closes it.
type HeightBaker = heightfield.Baker

// HeightSource is the part of a batch of tracks, in device memory, that a HeightBaker reads.
type HeightSource = heightfield.Source

// Heights is a batch of height fields in device memory. Heights.Grid copies it to host memory.
type Heights = heightfield.Heights

// HeightGrid is a batch of height fields in host memory: the heights of the ground in square grids over the tracks.
type HeightGrid = heightfield.Grid

// DefaultHeightConfig returns the default configuration of height fields: 64 cells a side, and each has the height of
// the nearest point of the centreline.
func DefaultHeightConfig() HeightConfig { return heightfield.DefaultConfig() }

// HeightSourceOf returns what a HeightBaker reads of a batch of tracks.
func HeightSourceOf(t *Track) HeightSource { return heightfield.SourceOf(t) }

// NewHeightBaker allocates the height fields of tracks and bakes nothing yet. Of the options, WithStream and
// WithWarnings apply.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, an *ArgumentError (ErrInvalid) for a wrong
// device, source or option, ErrCapture inside a capture, ErrUnsupported for tracks with too many points for the device,
// ErrOutOfMemory, or another error of the device.
func NewHeightBaker(device Device, source HeightSource, config HeightConfig, options ...Option) (*HeightBaker,
	error) {
	return heightfield.NewBaker(device, source, config, options...)
}

// BakeHeights bakes the height fields of tracks in host memory on a device. It returns the errors of NewHeightBaker.
func BakeHeights(ctx context.Context, device Device, tracks *Batch, config HeightConfig) (*HeightGrid, error) {
	return heightfield.Bake(ctx, device, tracks, config)
}
