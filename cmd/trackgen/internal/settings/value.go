package settings

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/suggest"
)

// numberWithUnit matches a decimal number, then an optional unit. A number that starts with needless zeros does not
// match, because some readers of YAML take it for octal.
var numberWithUnit = regexp.MustCompile(
	`^([+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9+\-.,:_]*)$`)

// unit is a unit that a number may carry. A value in it is multiplied and then divided to become a value in base units;
// a division by a power of ten rounds once, so that 30 cm is the very number 0.3.
type unit struct {
	name             string
	multiply, divide float64
}

// units lists the units of each kind of number, the base unit first.
var units = map[trackgen.Unit][]unit{
	trackgen.UnitLength: {{"m", 1, 1}, {"cm", 1, 100}, {"mm", 1, 1000}, {"km", 1000, 1}},
	trackgen.UnitAngle:  {{"rad", 1, 1}, {"deg", math.Pi, 180}},
}

func unitNames(kind trackgen.Unit) []string {
	var names []string
	for _, u := range units[kind] {
		names = append(names, u.name)
	}
	return names
}

// parseValue reads text as a value of the field, with the type that trackgen.Field.Set takes. The value's range is left
// to trackgen.Config.Validate, which knows the other fields too.
func parseValue(field trackgen.Field, text string) (any, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, fmt.Errorf("%s has no value: must be %s", field.Name, field.Allowed())
	}
	var value any
	switch field.Type() {
	case reflect.TypeFor[bool]():
		if text != "true" && text != "false" {
			return nil, refuse(field, text)
		}
		return text == "true", nil
	case reflect.TypeFor[string]():
		if len(field.Choices) > 0 && !slices.Contains(field.Choices, text) {
			refusal := refuse(field, text)
			refusal.Allowed += suggest.Phrase(text, field.Choices)
			return nil, refusal
		}
		return text, nil
	case reflect.TypeFor[trackgen.Range]():
		low, high, ok := cutRange(text)
		if !ok {
			return nil, refuse(field, text)
		}
		return parseRange(field, low, high)
	case reflect.TypeFor[[]int]():
		inner, open := strings.CutPrefix(text, "[")
		inner, closed := strings.CutSuffix(inner, "]")
		if !open || !closed {
			return nil, refuse(field, text)
		}
		if strings.TrimSpace(inner) == "" {
			return []int{}, nil
		}
		return parseList(field, strings.Split(inner, ","))
	default:
		number, err := parseNumber(field, text)
		if err != nil {
			return nil, err
		}
		value = number
	}
	// Set knows which numbers can be stored at all: whole ones only in a field of type int, for example.
	if field.Set(new(trackgen.Config), value) != nil {
		return nil, refuse(field, text)
	}
	return value, nil
}

// cutRange takes "[a, b]" or "a:b" apart.
func cutRange(text string) (low, high string, ok bool) {
	separator := ":"
	if inner, found := strings.CutPrefix(text, "["); found {
		inner, found = strings.CutSuffix(inner, "]")
		if !found {
			return "", "", false
		}
		text, separator = inner, ","
	}
	low, high, ok = strings.Cut(text, separator)
	return strings.TrimSpace(low), strings.TrimSpace(high), ok
}

func parseRange(field trackgen.Field, low, high string) (trackgen.Range, error) {
	minimum, err := parseNumber(field, low)
	if err != nil {
		return trackgen.Range{}, err
	}
	maximum, err := parseNumber(field, high)
	if err != nil {
		return trackgen.Range{}, err
	}
	return trackgen.Range{Min: minimum, Max: maximum}, nil
}

// longestList is how many numbers a list may have: the stages of a loop are multiples of 4, ascending to 256 at most.
const longestList = 64

// parseList reads whole numbers.
func parseList(field trackgen.Field, items []string) ([]int, error) {
	if len(items) > longestList {
		return nil, fmt.Errorf("%s is a list of %d: must have at most %d numbers", field.Name, len(items), longestList)
	}
	list := []int{}
	for _, item := range items {
		number, err := parseNumber(field, strings.TrimSpace(item))
		if err != nil {
			return nil, err
		}
		if number != math.Trunc(number) || math.Abs(number) >= 1<<53 {
			return nil, refuse(field, item)
		}
		list = append(list, int(number))
	}
	return list, nil
}

// parseNumber reads a number with an optional unit and returns it in the base unit of the field.
func parseNumber(field trackgen.Field, text string) (float64, error) {
	match := numberWithUnit.FindStringSubmatch(text)
	if match == nil {
		return 0, refuse(field, text)
	}
	number, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		return 0, refuse(field, text) // beyond the range of float64
	}
	name := match[2]
	if name == "" {
		return number, nil
	}
	if field.Unit == trackgen.UnitNone {
		return 0, fmt.Errorf("%s is %s: it takes a plain number, without a unit", field.Name, quote(text))
	}
	for _, u := range units[field.Unit] {
		if u.name == name {
			return number * u.multiply / u.divide, nil
		}
	}
	return 0, fmt.Errorf("%s is %s: unknown unit %s: must be one of %s", field.Name, quote(text), quote(name),
		strings.Join(unitNames(field.Unit), ", "))
}

// parsePlain reads a number without a unit.
func parsePlain(text string) (float64, error) {
	match := numberWithUnit.FindStringSubmatch(text)
	if match == nil || match[2] != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(match[1], 64)
}

// refuse says that text is no value of the field.
func refuse(field trackgen.Field, text string) *trackgen.ConfigError {
	allowed := field.Allowed()
	if names := unitNames(field.Unit); len(names) > 0 {
		allowed += " (unit: " + strings.Join(names, ", ") + ")"
	}
	return &trackgen.ConfigError{Field: field.Name, Value: quote(text), Allowed: allowed}
}

// longestQuote is how many bytes of a hostile word an error message repeats.
const longestQuote = 60

// quote returns text in quotes, control characters escaped, and cut where it is long.
func quote(text string) string {
	if len(text) <= longestQuote {
		return strconv.Quote(text)
	}
	cut := longestQuote
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strconv.Quote(text[:cut]) + "..."
}
