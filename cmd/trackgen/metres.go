package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// metresFlag is a flag that takes a length. It implements pflag.Value.
type metresFlag struct {
	value   *float64
	allowed metresRange
}

// metresRange says which lengths a flag takes.
type metresRange struct {
	lowest, highest float64
	open            bool // lowest itself is not allowed
	text            string
}

var (
	positive  = metresRange{0, 1e6, true, "a number > 0 and <= 1000000"}
	anyMetres = metresRange{-1e6, 1e6, false, "a number from -1000000 to 1000000"}
)

func metres(value *float64, allowed metresRange) *metresFlag { return &metresFlag{value, allowed} }

// Set implements pflag.Value, which puts the flag and the text in front of the error.
func (m *metresFlag) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !(v >= m.allowed.lowest && v <= m.allowed.highest) ||
		m.allowed.open && v <= m.allowed.lowest {
		return fmt.Errorf("must be %s", m.allowed.text)
	}
	*m.value = v
	return nil
}

// String implements pflag.Value: the default, 0, is left out of the help.
func (m *metresFlag) String() string {
	if m.value == nil || *m.value == 0 || math.IsNaN(*m.value) {
		return ""
	}
	return strconv.FormatFloat(*m.value, 'g', -1, 64)
}

// Type implements pflag.Value.
func (m *metresFlag) Type() string { return "metres" }
