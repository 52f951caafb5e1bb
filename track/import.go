package track

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/curve"
	"github.com/trackgen-go/trackgen/kernels/inflation"
)

// Circuit is the measured centreline of a closed circuit, in driving order, with the width of the road on either side.
type Circuit struct {
	Name string // in messages; may be empty

	// X, Y are the points, 3 or more. The last point joins the first, and may repeat it. A point equal to the previous
	// one is removed.
	X, Y []float64
	// Z are the heights of the points. nil means ImportOptions.Height everywhere.
	Z []float64
	// Right, Left are the widths from each point to the right and to the left border, > 0. If both are nil,
	// ImportOptions.HalfWidth is used.
	Right, Left []float64
}

// ImportOptions configure how Import makes tracks from measured circuits. The zero value of a field means its default.
type ImportOptions struct {
	// Spacing: maximum distance between points of a track, along the curve. Default: 0.6 times the mean half width of
	// each circuit. Without Relax, it is smaller, down to a quarter of that, if the error of the widths would exceed 1
	// %. A number > 0 and <= 1000000.
	Spacing float64
	// MaxPoints: points stored per track; the rest of a row is NaN, except z. Default: as many as the longest circuit
	// needs; a whole number >= 8 and <= 65536. A circuit that needs more is not valid (ReasonTruncated).
	MaxPoints int
	// HalfWidth: width on either side of circuits that have no widths. Default: none; a number > 0 and <= 1000000.
	HalfWidth float64
	// Relax: push the centreline apart and round it, as for generated tracks, until a road of the largest width of the
	// circuit fits everywhere. Relaxation changes the shape of a circuit, so it is for sketches and coarse data. It
	// works best at the default spacing, and bends the line where it crosses itself.
	Relax bool
	// TrimInner: cut the widths where the road has no room: on the inside of a bend to 0.95 times the radius, and where
	// two parts of the road meet to 0.95 times the room of each. Survey has the number of points and the largest cut.
	TrimInner bool
	// NoCrossings: a circuit that crosses itself is not valid. By default, a crossing at 30 degrees or more is a
	// bridge, as at Suzuka.
	NoCrossings bool
	// Height: height of circuits that have no heights. Default: 0; a number >= -1000000 and <= 1000000.
	Height float64
	// HeightSmoothing: length of the line over which heights are averaged, with weights that fall to 0 at its ends.
	// Waves of the heights of half this length vanish. Default: the heights are as they are; a number > 0 and <=
	// 1000000.
	HeightSmoothing float64
	// MaxGrade: a circuit whose height changes by more than this fraction of the distance in plan view, between two
	// points of the track, is not valid (ReasonGrade). Default: no limit; a number > 0 and <= 1000000.
	MaxGrade float64
	// BankFactor: bank angle of the road in radians times the radius of the bend; the inside of bends is lower. For
	// small angles, it is v^2/g of the speed at which a vehicle needs no side force. Default: the road is not banked; a
	// number > 0 and <= 1000000.
	BankFactor float64
	// MaxBank: largest bank angle to either side, in radians. Default: 0.2; a number > 0 and <= 1.
	MaxBank float64
	// BankTransition: length of the line over which the bank angle is averaged, with weights that fall to 0 at its
	// ends. Default: 5 times the mean width of each road; a number > 0 and <= 1000000.
	BankTransition float64
}

const (
	minMeasuredPoints = 8       // minimum for a track
	maxMeasuredPoints = 1 << 20 // maximum for a Circuit
	// minSteps is the minimum distance between two points of a track, in float32 steps of a coordinate. Below it,
	// rounding errors determine the direction of the road.
	minSteps = 1000
	// maxNoise is the maximum rounding error in the ratio of the width of the road to the radius of a bend. The error
	// is about one step of a coordinate times the width over the square of the spacing.
	maxNoise = 0.02
)

// Import makes a Track from measured circuits in device memory, one env per circuit: a smooth curve through the points,
// sampled at constant spacing and relaxed if Relax is set, and the road around it with the measured widths. The caller
// closes the Track. All devices give the same bits. A circuit has the same bits alone and beside other circuits, except
// for N_max.
//
// The curve is a closed cubic spline with continuous curvature, which does not depend on the spacing. It passes through
// every point, except for points nearer to one another than 0.3 times the mean width to the narrower side. These are
// smoothed, because their noise would make bends (see Survey.Smoothed). Points within 1/500 of that width of one
// another are one point. Interpolation of the widths by arc length approximates the widths of the points.
//
// Right and left are as seen in the direction of travel. Outer is the border with the larger area (either one for a
// figure of eight), Normal points left, WidthRight and WidthLeft hold the widths. Seed and Epoch are 0.
//
// The heights of a circuit are a cubic spline along the line in plan view, through the heights of the points or, with
// HeightSmoothing, through their means. So the grade is continuous. The three lines have the same height at each point,
// and Tangent, Arclen and Length are those of the line in space, as with the hills of generated tracks. With Relax, the
// heights stay at the same part of the way around. A circuit with one height at all points is level.
//
// Valid and Reason come from the tests of generated tracks, with the widths of each point: the width on the inner side
// of a bend must not exceed its radius (ReasonCurvature), cross-sections of the road must not meet (ReasonSeparation),
// the total turning must be one turn (ReasonTurning), and both widths must be above 0.001 (ReasonWidth). Without Relax,
// the tests use the curve and not the points of the track, so the result does not depend on the spacing.
//
// A crossing of a circuit with itself at 30 degrees or more is a bridge; a circuit may have up to 32. At a bridge, the
// road may overlap itself within two of its widths. With bridges, the total turning may be any whole number of turns.
// Crossings counts the bridges.
//
// It returns a *ConfigError (ErrConfig) for each wrong option, a *backend.ArgumentError for a wrong circuit,
// exec.ErrCapture inside a capture of the stream that ctx resolves to, backend.ErrUnsupported for more points than the
// device supports (see backend.Caps), the error of ctx if it ends between two circuits, or an error of the device.
func Import(ctx context.Context, device backend.Device, options ImportOptions, circuits ...Circuit) (_ *Track,
	err error) {
	const op = "import"
	if err := options.check(); err != nil {
		return nil, err
	}
	if device == nil {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "device", Value: nil, Allowed: "an open backend.Device"}
	}
	if len(circuits) == 0 || len(circuits) > maxEnvs {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "circuits", Value: len(circuits),
			Allowed: fmt.Sprintf("1 to %d", maxEnvs)}
	}
	plans := make([]*measuredCircuit, len(circuits))
	nMax := options.MaxPoints
	for e := range circuits {
		if plans[e], err = newMeasuredCircuit(options, &circuits[e], e); err != nil {
			return nil, during(op, err)
		}
		if options.MaxPoints == 0 {
			nMax = max(nMax, plans[e].needed)
		}
	}
	for _, p := range plans {
		p.setRoom(options, nMax)
		if err := p.checkLoops(device); err != nil {
			return nil, during(op, exec.Doing(p.name, err))
		}
	}
	lc, err := exec.For(ctx, device)
	if err != nil {
		return nil, during(op, err)
	}
	if err := refuseCapture(lc, op); err != nil {
		return nil, err
	}
	if err := device.Load(measuredKernels()...); err != nil {
		return nil, during(op, err)
	}
	t, err := newTrack(device, len(plans), nMax, func(c column.Device) bool {
		return options.BankFactor != 0 || c.Name != bankColumn
	})
	if err != nil {
		return nil, during(op, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	for e, p := range plans {
		if err := ctx.Err(); err != nil {
			return nil, during(op, err)
		}
		if err := p.build(lc, t, e); err != nil {
			return nil, during(op, exec.Doing(p.name, err))
		}
	}
	t.Names = namesOf(circuits)
	return t, nil
}

// check validates the options.
func (m ImportOptions) check() error {
	var wrong []error
	number := func(name string, value, lowest, highest float64, open bool, allowed string) {
		if value == 0 {
			return // the default, or a height of 0
		}
		if !(value >= lowest && value <= highest) || open && value <= lowest {
			wrong = append(wrong, &ConfigError{Field: name, Value: shortest(value), Allowed: allowed})
		}
	}
	number("spacing", m.Spacing, 0, maxLength, true, "a number > 0 and <= 1000000")
	number("half_width", m.HalfWidth, 0, maxLength, true, "a number > 0 and <= 1000000")
	number("height_smoothing", m.HeightSmoothing, 0, maxLength, true, "a number > 0 and <= 1000000")
	number("max_grade", m.MaxGrade, 0, maxLength, true, "a number > 0 and <= 1000000")
	number("bank_factor", m.BankFactor, 0, maxLength, true, "a number > 0 and <= 1000000")
	number("max_bank", m.MaxBank, 0, 1, true, "a number > 0 and <= 1")
	number("bank_transition", m.BankTransition, 0, maxLength, true, "a number > 0 and <= 1000000")
	number("height", m.Height, -maxLength, maxLength, false, "a number >= -1000000 and <= 1000000")
	number("max_points", float64(m.MaxPoints), minMeasuredPoints, maxPoints, false,
		fmt.Sprintf("a whole number >= %d and <= %d", minMeasuredPoints, maxPoints))
	return errors.Join(wrong...)
}

// measuredCircuit is the curve of a circuit and the road along it, with the options of its import.
type measuredCircuit struct {
	name    string
	point   []curve.Vector // given points, after merge
	width   [2][]float64   // of the road at each point, to the right and to the left
	z       []float64      // height of each point; nil if they all have the height level
	level   float64
	half    float64 // mean half width
	narrow  float64 // mean width to the narrower side
	spacing float64
	needed  int // number of points that the circuit needs
	line    *curve.Curve
	height  *curve.Heights // nil without z
	judged  sampled        // the line that the tests use
	cuts    []cut          // limits that TrimInner sets for the widths
	config  Config         // settings of the relaxation, and tolerances
	allowed int32          // 1 if crossings may be bridges, else 0
}

// newMeasuredCircuit checks and converts circuit e of a call.
func newMeasuredCircuit(options ImportOptions, c *Circuit, e int) (*measuredCircuit, error) {
	p := &measuredCircuit{name: fmt.Sprintf("circuits[%d]", e), allowed: 1}
	if c.Name != "" {
		p.name = fmt.Sprintf("circuit %q", c.Name)
	}
	if options.NoCrossings {
		p.allowed = 0
	}
	farthest, err := p.setPoints(options, c)
	if err != nil {
		return nil, err
	}
	if err := p.setHeights(options, c); err != nil {
		return nil, err
	}
	p.merge()
	if len(p.point) < 3 {
		return nil, p.wrong("number of different points", len(p.point), "at least 3")
	}
	p.spacing = options.Spacing
	if p.spacing == 0 {
		p.spacing = defaultSpacing * p.half
	}
	if least := p.leastSpacing(farthest); p.spacing < least {
		return nil, p.wrong("spacing", fmt.Sprintf("%.4g", p.spacing),
			"at least %.3g: a coordinate of %s is a float32 with steps of %.2g, so that points nearer to one another make a "+
				"road of rounding errors; move the circuit to the origin, or take a larger spacing",
			least, shortest(farthest), stepOf(farthest))
	}
	p.line = curve.Fit(p.point, p.smoothing())
	if p.z != nil {
		p.height = p.line.Heights(p.z, options.HeightSmoothing)
	}
	if options.Spacing == 0 && !options.Relax { // relaxation works best at the default
		p.refine(farthest)
	}
	length := p.line.Length()
	p.needed = pointsFor(length, p.spacing)
	switch {
	case p.needed < minMeasuredPoints:
		return nil, p.wrong("spacing", fmt.Sprintf("%.4g", p.spacing),
			"at most 1/%d of the length of the circuit, which is %.6g", minMeasuredPoints, length)
	case options.MaxPoints == 0 && p.needed > maxPoints:
		return nil, p.wrong("length", fmt.Sprintf("%.6g", length),
			"at most %.6g at a spacing of %.4g, which makes %d points; use a larger spacing",
			maxPoints*p.spacing, p.spacing, maxPoints)
	}
	p.judge(options.TrimInner)
	return p, nil
}

// wrong returns the error for an argument of the circuit.
func (p *measuredCircuit) wrong(argument string, value any, allowed string, args ...any) error {
	return &backend.ArgumentError{Op: p.name, Argument: argument, Value: value, Allowed: fmt.Sprintf(allowed, args...)}
}

// setPoints checks the points and the widths of a circuit and stores them. It returns the largest absolute coordinate.
func (p *measuredCircuit) setPoints(options ImportOptions, c *Circuit) (farthest float64, err error) {
	n := len(c.X)
	hasWidths := c.Right != nil || c.Left != nil
	switch {
	case n < 3 || n > maxMeasuredPoints:
		return 0, p.wrong("number of points", n, "3 to %d", maxMeasuredPoints)
	case len(c.Y) != n:
		return 0, p.wrong("length of Y", len(c.Y), "that of X, %d", n)
	case hasWidths && (len(c.Right) != n || len(c.Left) != n):
		return 0, p.wrong("length of Right and Left", fmt.Sprintf("%d and %d", len(c.Right), len(c.Left)),
			"that of X, %d, or 0 for both", n)
	case !hasWidths && options.HalfWidth == 0:
		return 0, p.wrong("half width", "not given", "a number > 0, as the circuit has no widths")
	}
	for i := range n {
		for axis, v := range [...]float64{c.X[i], c.Y[i]} {
			if !(math.Abs(v) <= maxCoordinate) {
				return 0, p.wrong(fmt.Sprintf("%c[%d]", 'X'+axis, i), shortest(v), "a number from -%s to %[1]s",
					shortest(maxCoordinate))
			}
			farthest = max(farthest, math.Abs(v))
		}
		width := [2]float64{options.HalfWidth, options.HalfWidth}
		if hasWidths {
			width = [2]float64{c.Right[i], c.Left[i]}
		}
		for side, v := range width {
			if !(v > 0 && v <= maxLength) {
				return 0, p.wrong(fmt.Sprintf("%s[%d]", [...]string{"Right", "Left"}[side], i), shortest(v),
					"a number > 0 and <= %s", shortest(maxLength))
			}
		}
		p.point = append(p.point, curve.Vector{X: c.X[i], Y: c.Y[i]})
		p.width[0], p.width[1] = append(p.width[0], width[0]), append(p.width[1], width[1])
		p.half += (width[0] + width[1]) / 2 / float64(n)
		p.narrow += min(width[0], width[1]) / float64(n)
	}
	return farthest, nil
}

// banking returns the settings of a banked circuit.
func (p *measuredCircuit) banking(options ImportOptions) BankingConfig {
	bank := DefaultConfig().Banking
	bank.Profile, bank.Factor = inflation.BankNames[1], options.BankFactor
	bank.Transition = 2 * transitionWidths * p.half
	if options.MaxBank != 0 {
		bank.MaxAngle = options.MaxBank
	}
	if options.BankTransition != 0 {
		bank.Transition = options.BankTransition
	}
	return bank
}

// transitionWidths is the default of ImportOptions.BankTransition in widths of the road.
const transitionWidths = 5

// givenProfile is the profile of circuits with heights. No configuration has it.
const givenProfile = "given"

// setHeights checks the heights of a circuit and stores them. A circuit with one height is level.
func (p *measuredCircuit) setHeights(options ImportOptions, c *Circuit) error {
	p.level = options.Height
	if c.Z == nil {
		return nil
	}
	if len(c.Z) != len(c.X) {
		return &backend.ArgumentError{Op: p.name, Argument: "length of Z", Value: len(c.Z),
			Allowed: fmt.Sprintf("that of X, %d, or 0", len(c.X))}
	}
	level := true
	for i, z := range c.Z {
		if !(math.Abs(z) <= maxLength) {
			return &backend.ArgumentError{Op: p.name, Argument: fmt.Sprintf("Z[%d]", i), Value: shortest(z),
				Allowed: fmt.Sprintf("a number from -%s to %[1]s", shortest(maxLength))}
		}
		level = level && z == c.Z[0]
	}
	if p.level = c.Z[0]; !level {
		p.z = slices.Clone(c.Z)
	}
	return nil
}

// maxCoordinate keeps the squares of coordinates, and areas, far below the largest float32.
const maxCoordinate = 1e8

// setRoom sets the number of points stored for the circuit, and the configuration of the stages that generated tracks
// have too.
func (p *measuredCircuit) setRoom(options ImportOptions, nMax int) {
	c := DefaultConfig()
	c.Output.MaxPoints, c.Output.Spacing = nMax, float64(float32(p.spacing))
	c.Road.HalfWidth, c.Road.Height = float64(float32(p.judged.widest())), p.level
	c.Validity.MaxGrade = options.MaxGrade
	if p.height != nil {
		c.Elevation.Profile = givenProfile
	}
	if options.BankFactor != 0 {
		c.Banking = p.banking(options)
	}
	c.Relax.Enabled = options.Relax
	p.config = c
}
