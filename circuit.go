package trackgen

import (
	"context"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/track"
)

// Circuit is a measured circuit: the points of its centreline in driving order, and the width of the road on either
// side of each point.
type Circuit = track.Circuit

// CircuitFile is the result of ReadCircuit: the Circuit of a file and the other contents of the file.
type CircuitFile = circuit.File

// ReadOptions set what ReadCircuit accepts. The zero value is ready for use.
type ReadOptions = circuit.Options

// ImportOptions set how Import makes tracks. The zero value of a field means its default.
type ImportOptions = track.ImportOptions

// Survey describes the curve through the points of a circuit and the road along it: radii, the places at which the road
// has no room, and what TrimInner cuts.
type Survey = track.Survey

// SurveyCircuit describes a circuit without a device. It returns the errors of Import for the options and the circuit.
func SurveyCircuit(options ImportOptions, circuit Circuit) (*Survey, error) {
	return track.SurveyCircuit(options, circuit)
}

// ReadCircuit reads a circuit from a CSV file: x, y and the widths to the right and to the left, in metres
// (docs/importing.md). An error names the line, the column, the value and what is allowed.
func ReadCircuit(path string, options ReadOptions) (*CircuitFile, error) {
	return circuit.ReadFile(path, options)
}

// Import makes a Track of measured circuits, one env for each circuit: a smooth curve through the points, sampled at
// constant spacing, and the road around it with the measured widths. All devices give the same bits. The caller closes
// the Track.
//
// It returns a *ConfigError (ErrConfig) for each wrong option, an *ArgumentError (ErrInvalid) for a wrong circuit,
// ErrCapture inside a capture, ErrUnsupported for more points than the device supports, the error of ctx if it ends
// between two circuits, or an error of the device.
func Import(ctx context.Context, device Device, options ImportOptions, circuits ...Circuit) (*Track, error) {
	return track.Import(ctx, device, options, circuits...)
}
