package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// metresFlag is the value of a flag for a length in metres. It implements pflag.Value.
type metresFlag struct {
	value   *float64
	allowed metresRange
}

// metresRange is the range of lengths that a flag accepts, in metres.
type metresRange struct {
	lowest, highest float64
	open            bool // lowest is excluded
	text            string
}

var (
	positive  = metresRange{0, 1e6, true, "a number > 0 and <= 1000000"}
	anyMetres = metresRange{-1e6, 1e6, false, "a number from -1000000 to 1000000"}
)

func metres(value *float64, allowed metresRange) *metresFlag { return &metresFlag{value, allowed} }

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
func (m *metresFlag) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !(v >= m.allowed.lowest && v <= m.allowed.highest) ||
		m.allowed.open && v <= m.allowed.lowest {
		return fmt.Errorf("must be %s%s", m.allowed.text, withoutUnit(text))
	}
	*m.value = v
	return nil
}

// withoutUnit returns what an error adds about a number with a unit, such as 3cm, or "".
func withoutUnit(text string) string {
	number := strings.TrimRightFunc(text, func(r rune) bool { return !('0' <= r && r <= '9') && r != '.' })
	if _, err := strconv.ParseFloat(number, 64); err == nil && number != text {
		return ", without a unit"
	}
	return ""
}

// String implements pflag.Value. It returns "" for the default, 0, so that the help omits it.
func (m *metresFlag) String() string {
	if m.value == nil || *m.value == 0 || math.IsNaN(*m.value) {
		return ""
	}
	return strconv.FormatFloat(*m.value, 'g', -1, 64)
}

// Type implements pflag.Value.
func (m *metresFlag) Type() string { return "metres" }
