package main

import (
	"fmt"
	"strconv"
)

// number is a flag that takes a whole number in a range. It implements pflag.Value.
type number[T int | int32] struct {
	value    *T
	min, max T
}

func numberFlag[T int | int32](value *T, initial, minimum, maximum T) *number[T] {
	*value = initial
	return &number[T]{value, minimum, maximum}
}

// Set implements pflag.Value, which puts the flag and the text in front of the error.
func (n *number[T]) Set(text string) error {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < int64(n.min) || v > int64(n.max) {
		return fmt.Errorf("must be a whole number from %d to %d", n.min, n.max)
	}
	*n.value = T(v)
	return nil
}

// String implements pflag.Value.
func (n *number[T]) String() string {
	if n.value == nil {
		return "0"
	}
	return strconv.FormatInt(int64(*n.value), 10)
}

// Type implements pflag.Value: the word that the help shows for the value.
func (n *number[T]) Type() string { return "number" }
