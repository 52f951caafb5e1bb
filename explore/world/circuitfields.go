package world

import (
	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// circuitConfig are the settings with which a file of circuits is read. Their names are those of the flags of trackgen
// import: half_width is --half-width.
type circuitConfig struct {
	HalfWidth  float64
	Spacing    float64
	MaxGap     float64
	Reverse    bool
	StartAlong float64
	Recenter   bool

	Relax       bool
	TrimInner   bool
	NoCrossings bool

	HeightSmoothing float64
	MaxGrade        float64
	BankFactor      float64
}

// circuitTable lists the fields of circuitConfig.
var circuitTable = config.NewTable([]config.Group{{Name: "", Title: "Circuit"}}, "", []config.Field[circuitConfig]{
	{Name: "half_width", Unit: config.Length, Derived: "that of the file", MinOpen: true, Max: 1e6,
		Doc: "width to either side, for files that have none, or instead of theirs"},
	{Name: "spacing", Unit: config.Length, Derived: "0.6 times the mean half width", MinOpen: true, Max: 1e6,
		Doc: "largest distance between points of the track"},
	{Name: "max_gap", Unit: config.Length, Derived: "25 times the median distance", MinOpen: true, Max: 1e6,
		Doc: "longest distance between points of the file; a longer one means that a piece is missing"},
	{Name: "reverse", Default: false, Doc: "drive the other way round"},
	{Name: "start_along", Unit: config.Length, Default: 0.0, Min: 0, Max: 1e6,
		Doc: "where the lap starts, along the line from the first point"},
	{Name: "recenter", Default: true, Doc: "move the middle of the circuit to the origin"},
	{Name: "relax", Default: false,
		Doc: "push the line apart and round it until a road as wide as the widest place fits, for sketches"},
	{Name: "trim_inner", Default: false, Doc: "cut widths where the road has no room"},
	{Name: "no_crossings", Default: false, Doc: "a circuit that crosses itself is not valid; else it has a bridge"},
	{Name: "height_smoothing", Unit: config.Length, Derived: "heights as they are", MinOpen: true, Max: 1e6,
		Doc: "length of the line over which heights are averaged"},
	{Name: "max_grade", Derived: "no limit", MinOpen: true, Max: 1e6,
		Doc: "steepest grade of a valid circuit: change of height by distance"},
	{Name: "bank_factor", Unit: config.Length, Derived: "no banking", MinOpen: true, Max: 1e6,
		Doc: "bank angle in radians times the radius of the bend"},
})

// circuitLanguage reads the settings of circuits.
var circuitLanguage = settings.Of(config.Kind[circuitConfig]{Table: circuitTable,
	Resolve:    func(c circuitConfig) circuitConfig { return c },
	Components: func(circuitConfig) []circuitConfig { return nil },
	Weights:    func(circuitConfig) []float64 { return nil }}, "circuits")

// validate checks the ranges.
func (c circuitConfig) validate() error { return joined(circuitTable.Check(c)) }

// reading returns the options of the reader.
func (c circuitConfig) reading() trackgen.ReadOptions {
	return trackgen.ReadOptions{MaxGap: c.MaxGap, Reverse: c.Reverse, Start: trackgen.CircuitStart{Along: c.StartAlong}}
}

// importing returns the options of the tracks.
func (c circuitConfig) importing() trackgen.ImportOptions {
	return trackgen.ImportOptions{Spacing: c.Spacing, HalfWidth: c.HalfWidth, Relax: c.Relax, TrimInner: c.TrimInner,
		NoCrossings: c.NoCrossings, HeightSmoothing: c.HeightSmoothing, MaxGrade: c.MaxGrade, BankFactor: c.BankFactor}
}
