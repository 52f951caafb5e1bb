package difficulty

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// Columns are the arrays of a batch of labels, [E]: numbers (F), NaN without a racing line, and counts (I), then 0.
type Columns[F, I any] struct {
	LapTime         F `column:"lap_time,env,none,difficulty" doc:"time of a lap on the racing line"`
	TimePerLength   F `column:"time_per_length,env,none,difficulty" doc:"lap time by length of the centreline"`
	MeanSpeed       F `column:"mean_speed,env,none,difficulty" doc:"length of the racing line by lap time"`
	MinSpeed        F `column:"min_speed,env,none,difficulty" doc:"lowest speed on the racing line"`
	LongestStraight F `column:"longest_straight,env,length,difficulty" doc:"length of the longest straight"`
	WidthMargin     F `column:"width_margin,env,length,difficulty" doc:"least half width of the road less that of the car"`
	Length          F `column:"length,env,length,difficulty" doc:"length of the centreline"`
	MaxCurvature    F `column:"max_curvature,env,none,difficulty" doc:"largest curvature of the racing line, in 1/length"`
	Corners         I `column:"corners,env,none,difficulty" doc:"corners of all classes"`
	SlowCorners     I `column:"slow_corners,env,none,difficulty" doc:"corners with a radius of a slow one"`
	MediumCorners   I `column:"medium_corners,env,none,difficulty" doc:"corners with a radius of a medium one"`
	FastCorners     I `column:"fast_corners,env,none,difficulty" doc:"corners with a radius of a fast one"`
	Hairpins        I `column:"hairpins,env,none,difficulty" doc:"corners, not fast ones, that nearly turn back"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]float32, []int32]

// DeviceColumns are the arrays of Labels.
type DeviceColumns = Columns[exec.Array[float32], exec.Array[int32]]

// Schema lists the columns of labels.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// Labels are the labels of a batch of tracks in device memory. An Assessor fills the same Labels at every refresh;
// Clone makes a copy that no refresh overwrites.
type Labels struct {
	Envs int

	DeviceColumns

	packed column.Packed
	result component.Result[HostColumns, DeviceColumns]
}

// Batch is the labels of a batch of tracks in host memory.
type Batch struct {
	Envs int

	HostColumns
}

// newLabels allocates the columns of a batch.
func newLabels(place component.Place, envs int) (_ *Labels, err error) {
	l := &Labels{Envs: envs}
	l.result, l.packed, err = component.NewPacked(place, Schema, &l.DeviceColumns, envs, nil)
	return l, err
}

// Packed returns the arrays that the columns are parts of, in the order of Schema, for kernels that do the same work in
// a launch of their own. A clone has none.
func (l *Labels) Packed() (floats exec.Array[float32], integers exec.Array[int32]) {
	if l == nil {
		return floats, integers
	}
	return l.packed.Floats, l.packed.Integers
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the labels to host memory. It
// returns exec.ErrCapture inside a capture.
func (l *Labels) Read(ctx context.Context) (*Batch, error) {
	if l == nil {
		return nil, noLabels("read")
	}
	host := &Batch{Envs: l.Envs}
	if err := l.result.Read(ctx, &l.DeviceColumns, &host.HostColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the labels to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone. It returns exec.ErrCapture inside a capture.
func (l *Labels) Clone(ctx context.Context) (_ *Labels, err error) {
	if l == nil {
		return nil, noLabels("clone")
	}
	clone := &Labels{Envs: l.Envs}
	if clone.result, err = l.result.Clone(ctx, &l.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory. Closing twice is a no-op. Closing an Assessor closes its Labels.
func (l *Labels) Close() error {
	if l == nil {
		return nil
	}
	return l.result.Close()
}

func noLabels(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil,
		Allowed: "the Labels of an Assessor"}
}
