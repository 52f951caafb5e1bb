package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// countFlag is the value of a flag for a large whole number, which may have a suffix: 64k, 10M, 1G. It implements
// pflag.Value.
type countFlag struct {
	value    *int64
	min, max int64
}

// The suffixes of countFlag, powers of 1000.
var countSuffixes = map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
func (f countFlag) Set(text string) error {
	digits := strings.TrimRight(text, "kKMG")
	factor, known := countSuffixes[text[len(digits):]]
	number, err := strconv.ParseFloat(digits, 64)
	value := number * factor
	if !known || err != nil || value != math.Trunc(value) || value < float64(f.min) || value > float64(f.max) {
		return fmt.Errorf("must be a whole number from %d to %d, such as 5000, 64k or 10M", f.min, f.max)
	}
	*f.value = int64(value)
	return nil
}

// String implements pflag.Value. It returns "" for 0, so that the help omits it.
func (f countFlag) String() string {
	if f.value == nil || *f.value == 0 {
		return ""
	}
	return strconv.FormatInt(*f.value, 10)
}

// Type implements pflag.Value. The help shows the word as the name of the value.
func (f countFlag) Type() string { return "count" }
