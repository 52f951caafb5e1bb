package track

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

// Group is a part of the configuration: a struct in Config, and a mapping in configuration files.
type Group struct {
	Name  string // first part of the names of its fields: "relax"; empty for the fields outside of groups
	Title string // heading in documents
}

// Field documents one field of Config.
type Field struct {
	Name      string   // as in configuration files: "road.half_width"
	Reference string   // name in the reference system, as in docs/spec/pipeline.md; empty if it has no such setting
	Doc       string   // one sentence, without the range
	Unit      Unit     // of numbers and ranges
	Default   any      // int, float64, bool or string; nil if the default is derived
	Derived   string   // what the zero value stands for, if it stands for a value derived from other fields
	Choices   []string // of strings: the allowed values

	min, max float64 // of numbers: the range, closed unless minOpen or maxOpen
	minOpen  bool
	maxOpen  bool
	nonZero  bool // 0 is not allowed
	index    []int
}

// Group returns the name of the group that the field belongs to: "relax" for "relax.sweeps", empty for "num_envs".
func (f Field) Group() string {
	group, _, found := strings.Cut(f.Name, ".")
	if !found {
		return ""
	}
	return group
}

// Leaf returns the name of the field within its group: "sweeps" for "relax.sweeps".
func (f Field) Leaf() string { return f.Name[strings.LastIndexByte(f.Name, '.')+1:] }

// Type returns the Go type of the field: int, float64, bool, string, Range or []int.
func (f Field) Type() reflect.Type { return configType.FieldByIndex(f.index).Type }

// Allowed describes the values that the field accepts, as error messages and the documentation print them.
func (f Field) Allowed() string {
	if len(f.Choices) > 0 {
		return "one of " + strings.Join(f.Choices, ", ")
	}
	fieldType := f.Type()
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
	}
	if f.nonZero {
		noun += " other than 0,"
	}
	noun += fmt.Sprintf(" %s %s and %s %s", compare(">", f.minOpen), shortest(f.min), compare("<", f.maxOpen),
		shortest(f.max))
	if f.Derived != "" {
		noun += ", or " + f.zeroText() + " for the default"
	}
	return noun
}

// DefaultText describes the default as the documentation prints it: "50", or "0: 0.6 times road.half_width" for a zero
// value that stands for a derived one.
func (f Field) DefaultText() string {
	if f.Derived != "" {
		return f.zeroText() + ": " + f.Derived
	}
	return fmt.Sprint(f.Default)
}

// zeroText returns the zero value as configuration files write it.
func (f Field) zeroText() string { return text(reflect.Zero(f.Type()).Interface()) }

// text returns a value of a field as configuration files write it.
func text(value any) string {
	switch v := value.(type) {
	case float64:
		return shortest(v)
	case []int:
		return strings.ReplaceAll(fmt.Sprint(v), " ", ", ")
	default:
		return fmt.Sprint(v)
	}
}

// comment returns the comment of the struct field: meaning, default and range. A test compares it with the source.
func (f Field) comment() string {
	return fmt.Sprintf("%s: %s. Default: %s; %s.", goName(f.Leaf()), f.Doc, f.DefaultText(), f.Allowed())
}

// goName turns "half_width" into HalfWidth.
func goName(name string) string {
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

// shortest prints v with the fewest digits that read back as v, without an exponent where that stays short.
func shortest(v float64) string {
	if magnitude := math.Abs(v); magnitude >= 1e-4 && magnitude < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Bounds returns the least and the greatest number that the field accepts, for a field of numbers, or of lists or pairs
// of numbers. Of a range with an open end, it is the next number, in float32 at the lower end. It is 0 and 0 for all
// other fields.
func (f Field) Bounds() (least, greatest float64) {
	least, greatest = f.min, f.max
	if f.minOpen {
		least = float64(math.Nextafter32(float32(least), math.MaxFloat32))
	}
	if f.maxOpen {
		greatest = math.Nextafter(greatest, least)
	}
	return least, greatest
}

// contains reports whether v is in the range of the field; NaN never is. A value above an open lower end must also be
// above it in float32, in which kernels compute, and one that must not be 0 must not be 0 there.
func (f Field) contains(v float64) bool {
	if f.minOpen && float32(v) <= float32(f.min) || f.maxOpen && v >= f.max || f.nonZero && float32(v) == 0 {
		return false
	}
	return v >= f.min && v <= f.max
}

var (
	configType = reflect.TypeFor[Config]()
	loopField  = fieldOf(configType, reflect.TypeFor[FirstLoop]().Name())
)

// fieldOf returns the index of a field of a struct. The names are constants of this package, and a test covers them.
func fieldOf(of reflect.Type, name string) []int {
	field, _ := of.FieldByName(name)
	return field.Index
}

// bindFields finds the struct field of each entry. The table and the struct are constants of this package, and a test
// checks that they match one to one.
func bindFields(table []Field) []Field {
	for i := range table {
		f := &table[i]
		at := configType
		if group := f.Group(); group != "" {
			f.index = fieldOf(configType, goName(group))
			at = configType.FieldByIndex(f.index).Type
		}
		f.index = slices.Concat(f.index, fieldOf(at, goName(f.Leaf())))
	}
	return table
}

var defaultConfig = withFieldDefaults()

func withFieldDefaults() (c Config) {
	for _, f := range fields {
		if f.Default != nil {
			f.of(&c).Set(reflect.ValueOf(f.Default))
		}
	}
	return c
}

// DefaultConfig returns the configuration of one bezier track with every field at its default.
func DefaultConfig() Config { return defaultConfig }

// Groups lists the groups of fields in the order of the documentation. The first one holds the fields outside of all
// groups.
func Groups() []Group { return slices.Clone(groups) }

// Fields lists every field of Config except Mix, in the order of the documentation.
func Fields() []Field {
	list := slices.Clone(fields)
	for i := range list {
		list[i] = list[i].withChoices()
	}
	return list
}

// withChoices adds the names of the generators, which change with Register.
func (f Field) withChoices() Field {
	if f.Name == generatorField {
		f.Choices = append(Generators(), Mixed)
	}
	return f
}

// FieldNamed returns the field with the given name.
func FieldNamed(name string) (Field, bool) {
	return fieldWhere(func(f Field) bool { return f.Name == name })
}

// FieldOfReference returns the field that has the given name in the reference system and a different name here:
// road.half_width for "half_width". It ignores a group before the name, as in "relax.half_width".
func FieldOfReference(name string) (Field, bool) {
	name = name[strings.LastIndexByte(name, '.')+1:]
	return fieldWhere(func(f Field) bool { return f.Reference == name && f.Reference != f.Name && name != "" })
}

func fieldWhere(is func(Field) bool) (Field, bool) {
	i := slices.IndexFunc(fields, is)
	if i < 0 {
		return Field{}, false
	}
	return fields[i].withChoices(), true
}

// Shared reports whether the field has one value for all components of a mixed batch, because it concerns the batch or
// what comes after the first loop.
func (f Field) Shared() bool { return !slices.Equal(f.index[:len(loopField)], loopField) }

// of returns the field of c as a value that can be set.
func (f Field) of(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(f.index) }

// Set stores value in the field of c. value is an int, float64, bool, string, Range or []int, according to the type of
// the field. A whole float64 is accepted for an int, and an int for a float64. Another type is a *ConfigError, and a
// nil c is a *backend.ArgumentError. Validate, not Set, checks the range.
func (f Field) Set(c *Config, value any) error {
	if c == nil {
		return &backend.ArgumentError{Op: "set " + f.Name, Argument: "configuration", Value: nil, Allowed: "a *Config"}
	}
	target := f.of(c)
	if list, ok := value.([]int); ok {
		value = append([]int(nil), list...)
	}
	v := reflect.ValueOf(value)
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
	return &ConfigError{Field: f.Name, Value: text(value), Allowed: f.Allowed()}
}

// Value returns the value of the field in c: an int, float64, bool, string, Range or []int.
func (f Field) Value(c Config) any {
	value := f.of(&c).Interface()
	if list, ok := value.([]int); ok {
		return slices.Clone(list)
	}
	return value
}

// Text returns the value of the field in c as configuration files write it.
func (f Field) Text(c Config) string { return text(f.Value(c)) }

// IsDerived reports whether the field is zero in c and zero stands for a value derived from other fields.
func (f Field) IsDerived(c Config) bool {
	value := f.of(&c)
	return f.Derived != "" && (value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0)
}
