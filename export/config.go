package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/trackgen-go/trackgen/track"
)

// Config is a configuration as it stands in files: a JSON object whose fields are named and ordered as track.Fields has
// them. Fields without a value are left out. A mixed batch has "mix" besides: a list of objects with the weight of each
// component and the fields of its first loop, {"weight": 2, "generator": "bezier", ...}.
type Config track.Config

// maxComponents is how many components a mixed batch may have, as track.Config.Validate has it.
const maxComponents = 64

// MarshalJSON implements json.Marshaler.
func (c Config) MarshalJSON() ([]byte, error) {
	out, err := appendFields([]byte{'{'}, track.Config(c), func(track.Field) bool { return true })
	if err != nil {
		return nil, err
	}
	for k, component := range c.Mix {
		if k == 0 {
			out = append(appendComma(out), `"mix":[`...)
		} else {
			out = append(out, ',')
		}
		weight, err := json.Marshal(component.Weight)
		if err != nil {
			return nil, fmt.Errorf("export: weight of component %d: %w", k, err)
		}
		out = append(append(out, `{"weight":`...), weight...)
		if out, err = appendFields(out, component.Config, func(f track.Field) bool { return !f.Shared() && f.IsSet(component.Config) }); err != nil {
			return nil, fmt.Errorf("export: component %d: %w", k, err)
		}
		out = append(out, '}')
	}
	if len(c.Mix) > 0 {
		out = append(out, ']')
	}
	return append(out, '}'), nil
}

// appendFields appends the members of an object, those fields that are wanted and have a value.
func appendFields(out []byte, c track.Config, wanted func(track.Field) bool) ([]byte, error) {
	for _, field := range track.Fields() {
		value := field.Value(c)
		if value == nil || !wanted(field) {
			continue
		}
		if v, ok := value.(track.Range); ok {
			value = []float64{v.Min, v.Max}
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("export: field %s of the configuration: %w", field.Name, err)
		}
		out = fmt.Appendf(appendComma(out), "%q:%s", field.Name, text)
	}
	return out, nil
}

// appendComma appends what stands before the next member of an object.
func appendComma(out []byte) []byte {
	if out[len(out)-1] == '{' {
		return out
	}
	return append(out, ',')
}

// UnmarshalJSON implements json.Unmarshaler. Fields that this version does not know are skipped, so that files of later
// versions can be read; the values are not checked against their ranges.
func (c *Config) UnmarshalJSON(text []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	out, err := configOf(raw)
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	var mix []json.RawMessage
	if text, ok := raw["mix"]; ok {
		if err := json.Unmarshal(text, &mix); err != nil {
			return fmt.Errorf("config: mix: %w", err)
		}
	}
	// A component takes far more memory than its text, and time.
	if len(mix) > maxComponents {
		return fmt.Errorf("config: mix has %d components, expected at most %d", len(mix), maxComponents)
	}
	for k, text := range mix {
		var component track.Component
		var fields map[string]json.RawMessage
		if err = json.Unmarshal(text, &fields); err == nil {
			component.Config, err = configOf(fields)
		}
		if err == nil && fields["weight"] != nil {
			err = json.Unmarshal(fields["weight"], &component.Weight)
		}
		if err != nil {
			return fmt.Errorf("config: mix[%d]: %w", k, err)
		}
		out.Mix = append(out.Mix, component)
	}
	*c = Config(out)
	return nil
}

// configOf returns the configuration of the members of an object that are fields.
func configOf(raw map[string]json.RawMessage) (track.Config, error) {
	var out track.Config
	for _, field := range track.Fields() {
		text, ok := raw[field.Name]
		if !ok {
			continue
		}
		value, err := configValue(field, text)
		if err == nil {
			err = field.Set(&out, value)
		}
		if err != nil {
			return out, fmt.Errorf("%s: %w", field.Name, err)
		}
	}
	return out, nil
}

// configValue turns JSON into a value that Set of the field accepts, or refuses.
func configValue(field track.Field, text json.RawMessage) (any, error) {
	if field.Type() == reflect.TypeFor[[]int]() {
		var list []int
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("found %s, expected a list of whole numbers", clip(string(text)))
		}
		return list, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	switch v := value.(type) {
	case bool, string:
		return v, nil
	case json.Number:
		if n, err := v.Int64(); err == nil && !strings.ContainsAny(v.String(), ".eE") && n == int64(int(n)) {
			return int(n), nil
		}
		return v.Float64()
	case []any:
		if len(v) != 2 {
			break
		}
		bounds := [2]float64{}
		for i := range v {
			number, ok := v[i].(json.Number)
			if !ok {
				return nil, fmt.Errorf("found %s, expected two numbers", clip(string(text)))
			}
			bound, err := number.Float64()
			if err != nil || math.IsInf(bound, 0) {
				return nil, fmt.Errorf("%s is out of range", clip(number.String()))
			}
			bounds[i] = bound
		}
		return track.Range{Min: bounds[0], Max: bounds[1]}, nil
	}
	return nil, fmt.Errorf("found %s, expected a number, true or false, a text or a pair of numbers", clip(string(text)))
}
