// Package resample is what checkpoints and props share: the settings of a resampling, the measurement of a batch of
// closed lines on a device, and the room for items that follows from it.
package resample

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/resampling"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Limits of settings.
const (
	minItems   = 3
	maxItems   = 1 << 16
	maxSpacing = 1e6
)

// margin is how much more room than the longest line needs a batch gets, because later lines may be longer (C-54).
const margin = 1.5

// Line is a batch of closed lines.
type Line struct {
	Point exec.Array[kernel.Vec3] // [E*N_max]
	Count exec.Array[int32]       // [E]
}

// CheckSpacing returns an error for a distance that no items can have.
func CheckSpacing(spacing float64) error {
	if spacing > 0 && spacing <= maxSpacing && float32(spacing) > 0 {
		return nil
	}
	return &config.Error{Field: "spacing", Value: config.Text(spacing),
		Allowed: fmt.Sprintf("a number > 0 and <= %d", int(maxSpacing))}
}

// CheckItems returns an error for a maximum number of items, named by field. Without one, which is 0, isNeeded says
// whether that is a mistake.
func CheckItems(field string, items int, isNeeded bool) error {
	if items >= minItems && items <= maxItems || items == 0 && !isNeeded {
		return nil
	}
	allowed := fmt.Sprintf("a whole number >= %d and <= %d", minItems, maxItems)
	if !isNeeded {
		allowed += ", or 0 for the default"
	}
	return &config.Error{Field: field, Value: fmt.Sprint(items), Allowed: allowed}
}

// CheckRoom returns an error for more items in all envs than an array may have.
func CheckRoom(field string, items, envs int) error {
	if int64(items)*int64(envs) <= exec.MaxElements {
		return nil
	}
	return &config.Error{Field: field, Value: fmt.Sprint(items),
		Allowed: fmt.Sprintf("one with at most %d in all %d envs", int64(exec.MaxElements), envs)}
}

// Measured is the measurement of a batch of lines, as the kernel measureLine writes it.
type Measured struct {
	Line
	Points int32 // N_max
	Envs   int
	Active *pipeline.List

	Spacing          float32
	Room             int32
	Arclen           exec.Array[float32]
	Perimeter, Step  exec.Array[float32]
	Items, Truncated exec.Array[int32]
}

// Outputs are the names of the outputs of a stage that measures.
type Outputs struct{ Items, Truncated, Step string }

// Measure allocates the measurement of a line.
func Measure(a *allocate.Allocator, line Line, spacing float64, room int, names Outputs) *Measured {
	m := &Measured{Line: line, Envs: a.Envs(), Active: a.Active, Spacing: float32(spacing), Room: int32(room)}
	if a.Err == nil {
		a.Err = a.Device().Load(resampling.Defs...)
	}
	if a.Err != nil {
		return m
	}
	points := line.Point.Len() / m.Envs
	m.Points = int32(points)
	m.Arclen, m.Perimeter = allocate.PerEnv[float32](a, points), allocate.PerEnv[float32](a, 1)
	m.Items, m.Truncated = allocate.Output[int32](a, names.Items, 1), allocate.Output[int32](a, names.Truncated, 1)
	m.Step = allocate.Output[float32](a, names.Step, 1)
	return m
}

// Enqueue emits the measurement of the active envs.
func (m *Measured) Enqueue(lc *exec.LaunchContext) {
	resampling.MeasureLine(lc, m.Envs, resampling.MeasureLineArgs{
		Active: m.Active.Array(), MaxPoints: m.Points, Point: m.Point, Count: m.Count, Spacing: m.Spacing,
		Room: m.Room, Arclen: m.Arclen, Perimeter: m.Perimeter, Step: m.Step, Items: m.Items, Truncated: m.Truncated,
	})
}

// roomOutputs are the names of the outputs of the measurement that Room makes.
var roomOutputs = Outputs{Items: "items", Truncated: "truncated", Step: "step"}

// Room returns the number of items for which a batch should have room: one and a half times those of the longest valid
// line. It measures the lines on the device and waits (C-54). field is the setting that gives the number otherwise.
func Room(device backend.Device, stream backend.Stream, line Line, valid exec.Array[int32], spacing float64,
	field string) (_ int, err error) {
	ctx := context.Background()
	lc, err := exec.For(ctx, device, exec.DefaultStream(stream))
	if err != nil {
		return 0, err
	}
	builder, err := pipeline.NewBuilder(device, line.Count.Len())
	if err != nil {
		return 0, err
	}
	var m *Measured
	program, err := builder.Build(pipeline.StageFunc("measure", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		m = Measure(a, line, spacing, maxItems, roomOutputs)
		return m.Enqueue, a.Err
	}))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	program.Enqueue(lc)
	if err := errors.Join(lc.Err(), lc.Stream().Sync()); err != nil {
		return 0, err
	}
	ctx = exec.With(ctx, lc)
	perimeter, err := m.Perimeter.Read(ctx)
	if err != nil {
		return 0, err
	}
	items, err := m.Items.Read(ctx)
	if err != nil {
		return 0, err
	}
	isValid, err := valid.Read(ctx)
	if err != nil {
		return 0, err
	}
	longest := float32(-1)
	for e := range perimeter {
		if isValid[e] != 0 && items[e] > 0 && perimeter[e] > longest {
			longest = perimeter[e]
		}
	}
	return roomFor(longest, spacing, field)
}

// roomFor returns the number of items for which a batch should have room, from the length of the longest line, which is
// negative if there is none.
func roomFor(longest float32, spacing float64, field string) (int, error) {
	number := math.Ceil(margin * float64(longest) / spacing)
	switch {
	case longest < 0:
		return 0, &config.Error{Field: field, Value: "0", Allowed: "given, because no track is valid to derive it from"}
	case number > maxItems:
		return 0, &config.Error{Field: "spacing", Value: config.Text(spacing),
			Allowed: fmt.Sprintf("large enough for at most %d items on the longest line, of length %g", maxItems, longest)}
	}
	return max(minItems, int(number)), nil
}
