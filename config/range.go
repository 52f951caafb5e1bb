package config

import "fmt"

// Range is a closed interval [Min, Max] from which each env draws its own value.
type Range struct {
	Min, Max float64
}

// String returns the range as configuration files write it.
func (r Range) String() string { return fmt.Sprintf("[%s, %s]", Shortest(r.Min), Shortest(r.Max)) }
