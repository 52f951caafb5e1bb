package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// realFlag is the value of a flag for a real number. The command checks its range. It implements pflag.Value.
type realFlag struct{ value *float64 }

func realNumber(value *float64, initial float64) realFlag {
	*value = initial
	return realFlag{value}
}

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
func (f realFlag) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return errors.New("must be a number such as 0.05")
	}
	*f.value = v
	return nil
}

// String implements pflag.Value. It returns "" for a default that is not positive, so that the help omits it.
func (f realFlag) String() string {
	if f.value == nil || !(*f.value > 0) {
		return ""
	}
	return strconv.FormatFloat(*f.value, 'g', -1, 64)
}

// Type implements pflag.Value. The help shows the word as the name of the value.
func (f realFlag) Type() string { return "number" }

// numbers is the value of a flag for whole numbers in a range, separated by commas. It implements pflag.Value.
type numbers struct {
	values   *[]int
	min, max int
}

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
func (n numbers) Set(text string) error {
	var values []int
	for field := range strings.SplitSeq(text, ",") {
		var v int
		if err := numberFlag(&v, 0, n.min, n.max).Set(strings.TrimSpace(field)); err != nil {
			return fmt.Errorf("each %w", err)
		}
		values = append(values, v)
	}
	*n.values = values
	return nil
}

// String implements pflag.Value. The default is an empty list.
func (n numbers) String() string { return "" }

// Type implements pflag.Value. The help shows the word as the name of the value.
func (n numbers) Type() string { return "numbers" }

// number is the value of a flag for a whole number in a range. It implements pflag.Value.
type number[T int | int32] struct {
	value    *T
	min, max T
}

func numberFlag[T int | int32](value *T, initial, minimum, maximum T) *number[T] {
	*value = initial
	return &number[T]{value, minimum, maximum}
}

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
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

// Type implements pflag.Value. The help shows the word as the name of the value.
func (n *number[T]) Type() string { return "number" }
