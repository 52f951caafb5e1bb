package trackgen

import (
	"context"
	"io"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/track"
)

// Circuit is a measured circuit: the points of its centreline in driving order, and the width of the road on either
// side of each point.
type Circuit = track.Circuit

// CircuitFile is the result of ReadCircuit: a Circuit of a file, what its columns hold, and notes on what was not used.
type CircuitFile = circuit.File

// CircuitError says where a file is wrong, what is wrong and what is allowed, and which of the ReadOptions makes the
// file valid.
type CircuitError = circuit.Error

// CircuitStart is where a circuit starts.
type CircuitStart = circuit.Start

// Projection is how the places of a file in degrees became metres.
type Projection = circuit.Projection

// Coordinates says what the coordinates of a GeoJSON file are.
type Coordinates = circuit.Coordinates

// The coordinates of a GeoJSON file.
const (
	CoordinatesOfFile  = circuit.CoordinatesOfFile  // as the file or its format says
	CoordinatesDegrees = circuit.CoordinatesDegrees // longitude and latitude on WGS84
	CoordinatesMetres  = circuit.CoordinatesMetres  // x and y on a plane
)

// ReadOptions set what ReadCircuit accepts. The zero value is ready for use.
type ReadOptions = circuit.Options

// ImportOptions set how Import makes tracks. The zero value of a field means its default.
type ImportOptions = track.ImportOptions

// Survey describes the curve through the points of a circuit and the road along it: radii, the places at which the road
// has no room, and what TrimInner cuts.
type Survey = track.Survey

// HeightSurvey describes the heights along a circuit.
type HeightSurvey = track.HeightSurvey

// SurveyCircuit describes a circuit without a device. It returns the errors of Import for the options and the circuit.
func SurveyCircuit(options ImportOptions, circuit Circuit) (*Survey, error) {
	return track.SurveyCircuit(options, circuit)
}

// ReadCircuit reads a file of one circuit, such as a CSV file with the points of the centreline and the widths to the
// right and to the left, in metres (docs/importing.md). An error in the file is a *CircuitError.
func ReadCircuit(path string, options ReadOptions) (*CircuitFile, error) {
	return circuit.ReadFile(path, options)
}

// ReadCircuits reads all circuits of a file.
func ReadCircuits(path string, options ReadOptions) ([]*CircuitFile, error) {
	return circuit.ReadFiles(path, options)
}

// ReadCircuitsFrom reads all circuits of a file from r; name is the file's name in messages.
func ReadCircuitsFrom(name string, r io.Reader, options ReadOptions) ([]*CircuitFile, error) {
	return circuit.ReadAll(name, r, options)
}

// ReadBorders reads the circuit between two borders, each in a file of its own (docs/importing.md).
func ReadBorders(left, right string, options ReadOptions) (*CircuitFile, error) {
	return circuit.ReadBorders(left, right, options)
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

// Upload copies a Batch, for example one that was read from a file, to the memory of a device, and waits for the copy.
// Track.Batch is the way back. The caller closes the Track.
//
// It returns an *ArgumentError (ErrInvalid) for a batch whose arrays do not have the sizes that its shape says,
// ErrCapture inside a capture, or an error of the device.
func Upload(ctx context.Context, device Device, batch *Batch) (*Track, error) {
	return track.Upload(ctx, device, batch)
}
