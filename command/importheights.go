package command

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen"
)

// levelFlag is the value of --height. It also stores that the flag is given.
type levelFlag struct {
	*metresFlag
	given *bool
}

// Set implements pflag.Value.
func (l levelFlag) Set(text string) error {
	*l.given = true
	return l.metresFlag.Set(text)
}

// heightReport describes the heights along a circuit. Lengths are in metres.
type heightReport struct {
	Lowest   number32 `json:"lowest"`
	Highest  number32 `json:"highest"`
	Climb    number32 `json:"climb"`    // sum of all rises of a lap
	Steepest number32 `json:"steepest"` // largest grade, < 0 downhill
	At       number32 `json:"at"`       // arc length of that place
	Moved    number32 `json:"moved"`    // largest change of a height by --height-smoothing
}

// describeHeights returns the report, or nil for a level circuit.
func describeHeights(h *trackgen.HeightSurvey) *heightReport {
	if h == nil {
		return nil
	}
	return &heightReport{Lowest: number32(h.Lowest), Highest: number32(h.Highest), Climb: number32(h.Climb),
		Steepest: number32(h.Steepest), At: number32(h.At), Moved: number32(h.Moved)}
}

// text says in one line how the circuit goes up and down.
func (h *heightReport) text() string {
	way := "up"
	if h.Steepest < 0 {
		way = "down"
	}
	text := fmt.Sprintf("%.2f to %.2f m, %.1f m up and down a lap; steepest %.1f %% %s, %.0f m along", float32(h.Lowest),
		float32(h.Highest), float32(h.Climb), 100*math.Abs(float64(h.Steepest)), way, float32(h.At))
	if h.Moved > 0 {
		text += fmt.Sprintf("; smoothed by up to %.2f m", float32(h.Moved))
	}
	return text
}

// checkBanking returns an error for flags of the bank angle that would have no effect.
func (f *importFlags) checkBanking() error {
	switch {
	case f.options.BankFactor != 0:
		return nil
	case f.options.MaxBank != 0:
		return badInputf("--max-bank applies with --bank-factor only, which banks the road, such as --bank-factor 20")
	case f.options.BankTransition != 0:
		return badInputf("--bank-transition applies with --bank-factor only, which banks the road, such as --bank-factor 20")
	}
	return nil
}
