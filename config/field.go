package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
)

// Unit says what a number in the configuration measures.
type Unit uint8

// The units.
const (
	Dimensionless Unit = iota
	Length             // track units (metres)
	Angle              // radians
)

// Group is a part of a configuration: a struct in it, and a mapping in configuration files.
type Group struct {
	Name  string // first part of the names of its fields: "relax"; empty for the fields outside of groups
	Title string // heading in documents
}

// Field documents one field of a configuration C.
type Field[C any] struct {
	Name      string   // as in configuration files: "road.half_width"
	Reference string   // name in the reference system, as in docs/spec/pipeline.md; empty if it has no such setting
	Doc       string   // one sentence, without the range
	Unit      Unit     // of numbers and ranges
	Default   any      // int, float64, bool or string; nil if the default is derived
	Derived   string   // what the zero value stands for, if it stands for a value derived from other fields
	Path      string   // of the struct field, where that is not Name: "reward.ends.laps" for "ends.laps"
	Choices   []string // of strings, and of those in lists: the allowed values

	// ChoicesNow returns the allowed values where they change while the program runs; else it is nil. Table.Fields and
	// Table.Named put them into Choices.
	ChoicesNow func() []string

	Min, Max float64 // of numbers: the range, closed unless MinOpen or MaxOpen
	MinOpen  bool
	MaxOpen  bool
	NonZero  bool // 0 is not allowed

	index []int
	apart bool // see Shared
}

// Group returns the name of the group that the field belongs to: "relax" for "relax.sweeps", empty for "num_envs".
func (f Field[C]) Group() string {
	group, _, found := strings.Cut(f.Name, ".")
	if !found {
		return ""
	}
	return group
}

// Leaf returns the name of the field within its group: "sweeps" for "relax.sweeps".
func (f Field[C]) Leaf() string { return f.Name[strings.LastIndexByte(f.Name, '.')+1:] }

// Type returns the Go type of the field: int, float64, bool, string, Range, []int, []float64 or []string.
func (f Field[C]) Type() reflect.Type { return reflect.TypeFor[C]().FieldByIndex(f.index).Type }

// Allowed describes the values that the field accepts, as error messages and the documentation print them.
func (f Field[C]) Allowed() string {
	fieldType := f.Type()
	switch {
	case fieldType == reflect.TypeFor[[]string]():
		return "a list of different names of " + strings.Join(f.Choices, ", ") + f.orDefault()
	case len(f.Choices) > 0:
		return "one of " + strings.Join(f.Choices, ", ")
	}
	noun := "a number"
	switch {
	case fieldType == reflect.TypeFor[Range]():
		noun = "a pair [min, max] with min <= max, each"
	case fieldType.Kind() == reflect.Bool:
		return "true or false"
	case fieldType.Kind() == reflect.Int:
		noun = "a whole number"
	case fieldType == reflect.TypeFor[[]int]():
		noun = "a list of whole numbers, each"
	case fieldType == reflect.TypeFor[[]float64]():
		noun = "a list of numbers, each"
	}
	if f.NonZero {
		noun += " other than 0,"
	}
	return noun + fmt.Sprintf(" %s %s and %s %s", compare(">", f.MinOpen), Shortest(f.Min), compare("<", f.MaxOpen),
		Shortest(f.Max)) + f.orDefault()
}

// orDefault says which value stands for a derived default.
func (f Field[C]) orDefault() string {
	if f.Derived == "" {
		return ""
	}
	return ", or " + f.zeroText() + " for the default"
}

// DefaultText describes the default as the documentation prints it: "50", or "0: 0.6 times road.half_width" for a zero
// value that stands for a derived one. A text that is derived has no such value.
func (f Field[C]) DefaultText() string {
	switch zero := f.zeroText(); {
	case f.Derived != "" && zero == "":
		return f.Derived
	case f.Derived != "":
		return zero + ": " + f.Derived
	}
	return fmt.Sprint(f.Default)
}

// zeroText returns the zero value as configuration files write it.
func (f Field[C]) zeroText() string { return Text(reflect.Zero(f.Type()).Interface()) }

// Text returns a value of a field as configuration files write it.
func Text(value any) string {
	switch v := value.(type) {
	case float64:
		return Shortest(v)
	case []int:
		return strings.ReplaceAll(fmt.Sprint(v), " ", ", ")
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	case []float64:
		texts := make([]string, len(v))
		for i, number := range v {
			texts[i] = Shortest(number)
		}
		return Text(texts)
	default:
		return fmt.Sprint(v)
	}
}

// Comment returns the comment of the struct field: meaning, default and range. Tests compare it with the source.
func (f Field[C]) Comment() string {
	return fmt.Sprintf("%s: %s. Default: %s; %s.", GoName(f.Leaf()), f.Doc, f.DefaultText(), f.Allowed())
}

// GoName turns "half_width" into HalfWidth.
func GoName(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func compare(sign string, open bool) string {
	if open {
		return sign
	}
	return sign + "="
}

// Shortest prints v with the fewest digits that read back as v, without an exponent where that stays short.
func Shortest(v float64) string {
	if magnitude := math.Abs(v); magnitude >= 1e-4 && magnitude < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// contains reports whether v is in the range of the field; NaN never is. A value above an open lower end must also be
// above it in float32, in which kernels compute, and one that must not be 0 must not be 0 there.
func (f Field[C]) contains(v float64) bool {
	if f.MinOpen && float32(v) <= float32(f.Min) || f.MaxOpen && v >= f.Max || f.NonZero && float32(v) == 0 {
		return false
	}
	return v >= f.Min && v <= f.Max
}

// Shared reports whether the field has one value for all components of a mixed batch (see NewTable).
func (f Field[C]) Shared() bool { return !f.apart }

// of returns the field of c as a value that can be set.
func (f Field[C]) of(c *C) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(f.index) }

// Set stores value in the field of c. value is an int, float64, bool, string, Range, []int, []float64 or []string,
// according to the type of the field. A whole float64 is accepted for an int, and an int for a float64. Another type is
// a *CError, and a nil c is a *backend.ArgumentError. Validate, not Set, checks the range.
func (f Field[C]) Set(c *C, value any) error {
	if c == nil {
		return &backend.ArgumentError{Op: "set " + f.Name, Argument: "configuration", Value: nil, Allowed: "a *C"}
	}
	target := f.of(c)
	v := reflect.ValueOf(cloned(value))
	switch {
	case v.IsValid() && v.Type() == target.Type():
		target.Set(v)
		return nil
	case target.Kind() == reflect.Float64 && v.IsValid() && v.Kind() == reflect.Int:
		target.SetFloat(float64(v.Int()))
		return nil
	case target.Kind() == reflect.Int && v.IsValid() && v.Kind() == reflect.Float64:
		if number := v.Float(); number == math.Trunc(number) && math.Abs(number) < 1<<53 {
			target.SetInt(int64(number))
			return nil
		}
	}
	return &Error{Field: f.Name, Value: Text(value), Allowed: f.Allowed()}
}

// Value returns the value of the field in c, of its type. A list is the caller's.
func (f Field[C]) Value(c C) any {
	return cloned(f.of(&c).Interface())
}

// cloned returns a value that shares no list with another. An empty list becomes nil.
func cloned(value any) any {
	switch list := value.(type) {
	case []int:
		return append([]int(nil), list...)
	case []float64:
		return append([]float64(nil), list...)
	case []string:
		return append([]string(nil), list...)
	}
	return value
}

// Text returns the value of the field in c as configuration files write it.
func (f Field[C]) Text(c C) string { return Text(f.Value(c)) }

// IsDerived reports whether the field is zero in c and zero stands for a value derived from other fields.
func (f Field[C]) IsDerived(c C) bool {
	value := f.of(&c)
	return f.Derived != "" && (value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0)
}

// Check validates the value of one field.
func (f Field[C]) Check(c C) error {
	if f.IsDerived(c) {
		return nil
	}
	value, fits := f.Value(c), true
	switch v := value.(type) {
	case int:
		fits = f.contains(float64(v))
	case float64:
		fits = f.contains(v)
	case Range:
		fits = f.contains(v.Min) && f.contains(v.Max) && v.Min <= v.Max
	case []int:
		fits = !slices.ContainsFunc(v, func(n int) bool { return !f.contains(float64(n)) })
	case []float64:
		fits = !slices.ContainsFunc(v, func(x float64) bool { return !f.contains(x) })
	case []string:
		fits = f.differentChoices(v)
	case string:
		fits, value = slices.Contains(f.Choices, v), strconv.Quote(v)
	}
	if fits {
		return nil
	}
	return &Error{Field: f.Name, Value: Text(value), Allowed: f.Allowed()}
}

// differentChoices reports whether each name of a list is among the choices, and in the list once.
func (f Field[C]) differentChoices(list []string) bool {
	for i, name := range list {
		if !slices.Contains(f.Choices, name) || slices.Contains(list[:i], name) {
			return false
		}
	}
	return true
}
