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

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// numberWithUnit matches a decimal number followed by an optional unit. It does not match a number with leading zeros,
// which some YAML parsers read as octal.
var numberWithUnit = regexp.MustCompile(
	`^([+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9+\-.,:_]*)$`)

// unit is a unit of a number. A value is converted to the base unit by a multiplication and then a division. Division
// by a power of ten rounds only once, so 30 cm is exactly the float64 0.3.
type unit struct {
	name             string
	multiply, divide float64
}

// units lists the units of lengths and of angles, with the base unit first.
var units = map[config.Unit][]unit{
	config.Length: {{"m", 1, 1}, {"cm", 1, 100}, {"mm", 1, 1000}, {"km", 1000, 1}},
	config.Angle:  {{"rad", 1, 1}, {"deg", math.Pi, 180}},
}

func unitNames(kind config.Unit) []string {
	var names []string
	for _, u := range units[kind] {
		names = append(names, u.name)
	}
	return names
}

// parseValue parses text as a value of the field, and returns it with the type that config.Field.Set expects. It does
// not check the range: the Validate of the configuration does, because a range may depend on other fields.
func parseValue[C any](field config.Field[C], text string) (any, error) {
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
	case reflect.TypeFor[config.Range]():
		low, high, ok := cutRange(text)
		if !ok {
			return nil, refuse(field, text)
		}
		return parseRange(field, low, high)
	case reflect.TypeFor[[]int](), reflect.TypeFor[[]float64](), reflect.TypeFor[[]string]():
		inner, open := strings.CutPrefix(text, "[")
		inner, closed := strings.CutSuffix(inner, "]")
		if !open || !closed {
			return nil, refuse(field, text)
		}
		if strings.TrimSpace(inner) == "" {
			return parseList(field, nil)
		}
		return parseList(field, strings.Split(inner, ","))
	default:
		number, err := parseNumber(field, text)
		if err != nil {
			return nil, err
		}
		value = number
	}
	// Set refuses numbers that the type of the field cannot hold, for example a fraction in a field of type int.
	if field.Set(new(C), value) != nil {
		return nil, refuse(field, text)
	}
	return value, nil
}

// cutRange splits "[a, b]" or "a:b" into a and b.
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

func parseRange[C any](field config.Field[C], low, high string) (config.Range, error) {
	minimum, err := parseNumber(field, low)
	if err != nil {
		return config.Range{}, err
	}
	maximum, err := parseNumber(field, high)
	if err != nil {
		return config.Range{}, err
	}
	return config.Range{Min: minimum, Max: maximum}, nil
}

// longestList is the maximum length of a list. Lists are stages of loops: ascending multiples of 4 up to 256, and
// places that an agent sees.
const longestList = 64

// parseList parses a list of whole numbers, of numbers or of names, as the field has it.
func parseList[C any](field config.Field[C], items []string) (any, error) {
	if len(items) > longestList {
		return nil, fmt.Errorf("%s is a list of %d: must have at most %d numbers", field.Name, len(items), longestList)
	}
	switch field.Type() {
	case reflect.TypeFor[[]string]():
		return parseNames(field, items)
	case reflect.TypeFor[[]float64]():
		list := []float64{}
		for _, item := range items {
			number, err := parseNumber(field, strings.TrimSpace(item))
			if err != nil {
				return nil, err
			}
			list = append(list, number)
		}
		return list, nil
	default:
		return parseWholeNumbers(field, items)
	}
}

// parseNames parses a list of names.
func parseNames[C any](field config.Field[C], items []string) ([]string, error) {
	list := []string{}
	for _, item := range items {
		name := strings.TrimSpace(item)
		if !slices.Contains(field.Choices, name) {
			refusal := refuse(field, name)
			refusal.Allowed += suggest.Phrase(name, field.Choices)
			return nil, refusal
		}
		list = append(list, name)
	}
	return list, nil
}

// parseWholeNumbers parses a list of whole numbers.
func parseWholeNumbers[C any](field config.Field[C], items []string) ([]int, error) {
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

// parseNumber parses a number with an optional unit and returns it in the base unit of the field.
func parseNumber[C any](field config.Field[C], text string) (float64, error) {
	match := numberWithUnit.FindStringSubmatch(text)
	if match == nil {
		return 0, refuse(field, text)
	}
	number, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		return 0, refuse(field, text) // outside the range of float64
	}
	name := match[2]
	if name == "" {
		return number, nil
	}
	if field.Unit == config.Dimensionless {
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

// parsePlain parses a number without a unit.
func parsePlain(text string) (float64, error) {
	match := numberWithUnit.FindStringSubmatch(text)
	if match == nil || match[2] != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(match[1], 64)
}

// refuse returns the error for a text that is not a value of the field.
func refuse[C any](field config.Field[C], text string) *config.Error {
	allowed := field.Allowed()
	if names := unitNames(field.Unit); len(names) > 0 {
		allowed += " (unit: " + strings.Join(names, ", ") + ")"
	}
	return &config.Error{Field: field.Name, Value: quote(text), Allowed: allowed}
}

// longestQuote is the maximum number of bytes of a word that an error message quotes.
const longestQuote = 60

// quote returns text in quotes, with escaped control characters, truncated to longestQuote bytes.
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
