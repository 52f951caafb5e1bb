package trackgen

import (
	"context"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/track"
)

// Circuit is a measured circuit: the points of its centreline in driving order, and the width of the road to either
// side of each.
type Circuit = track.Circuit

// CircuitFile is what ReadCircuit returns: the Circuit of a file, and what the file says besides.
type CircuitFile = circuit.File

// ReadOptions say what ReadCircuit accepts. The zero value is ready for use.
type ReadOptions = circuit.Options

// ImportOptions say how Import makes tracks. The zero value of a field means its default.
type ImportOptions = track.ImportOptions

// ReadCircuit reads a circuit from a CSV file: x, y and the widths to the right and to the left, in metres
// (docs/importing.md). The error names the line, the column, the value and what is allowed.
func ReadCircuit(path string, options ReadOptions) (*CircuitFile, error) {
	return circuit.ReadFile(path, options)
}

// Import makes a Track of measured circuits, one env each: a smooth curve through the points, at constant spacing, and
// the road around it with the width of each place. All devices give the same bits. The caller closes the Track.
//
// It returns a *ConfigError (ErrConfig) for each option that is wrong, an *ArgumentError (ErrInvalid) for a circuit
// that is, ErrCapture inside a capture, ErrUnsupported for more points than the device can work on, the error of a ctx
// that ends between two circuits, or an error of the device.
func Import(ctx context.Context, device Device, options ImportOptions, circuits ...Circuit) (*Track, error) {
	return track.Import(ctx, device, options, circuits...)
}
