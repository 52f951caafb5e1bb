package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/track"
)

// Config is a configuration in its JSON form: an object with a member for each field and each group of track.Fields, in
// their order, {"generator": "bezier", "num_envs": 512, ..., "corners": {"min_count": 9, ...}, ...}. Derived values are
// left out. A mixed batch also has "mix": a list of objects, one for each component, with its weight, its generator and
// the parameters of its first loop that differ from the configuration itself, {"weight": 2, "generator": "bezier",
// "bezier": {...}}.
type Config track.Config

// maxComponents is the maximum number of components of a mixed batch. track.Config.Validate has the same limit.
const maxComponents = 64

const generatorField = "generator"

// MarshalJSON implements json.Marshaler.
func (c Config) MarshalJSON() ([]byte, error) {
	config := track.Config(c)
	out, err := appendFields([]byte{'{'}, config, func(f track.Field) bool { return !f.IsDerived(config) })
	if err != nil {
		return nil, err
	}
	components := config.Components()
	for k, component := range components {
		if k == 0 {
			out = append(appendComma(out), `"mix":[`...)
		} else {
			out = append(out, ',')
		}
		weight, err := json.Marshal(c.Mix[k].Weight)
		if err != nil {
			return nil, fmt.Errorf("export: weight of component %d: %w", k, err)
		}
		out = append(append(out, `{"weight":`...), weight...)
		out, err = appendFields(out, component, func(f track.Field) bool {
			return f.Name == generatorField || !reflect.DeepEqual(f.Value(component), f.Value(config))
		})
		if err != nil {
			return nil, fmt.Errorf("export: component %d: %w", k, err)
		}
		out = append(out, '}')
	}
	if len(components) > 0 {
		out = append(out, ']')
	}
	return append(out, '}'), nil
}

// appendFields appends the wanted fields as members of an object. The fields of a group are members of a nested object.
func appendFields(out []byte, c track.Config, wanted func(track.Field) bool) ([]byte, error) {
	group := ""
	for _, field := range track.Fields() {
		if !wanted(field) {
			continue
		}
		value := field.Value(c)
		switch v := value.(type) {
		case track.Range:
			value = []float64{v.Min, v.Max}
		case []int:
			value = append([]int{}, v...) // an empty list is [], not null
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("export: field %s of the configuration: %w", field.Name, err)
		}
		if field.Group() != group {
			if group != "" {
				out = append(out, '}')
			}
			group = field.Group()
			out = fmt.Appendf(appendComma(out), "%q:{", group)
		}
		out = fmt.Appendf(appendComma(out), "%q:%s", field.Leaf(), text)
	}
	if group != "" {
		out = append(out, '}')
	}
	return out, nil
}

// appendComma appends the separator before the next member of an object.
func appendComma(out []byte) []byte {
	if out[len(out)-1] == '{' {
		return out
	}
	return append(out, ',')
}

// UnmarshalJSON implements json.Unmarshaler. Missing fields get their defaults. Unknown fields are skipped, so that
// files of later versions can be read. A name of the reference system is an error if the field has another name here.
// Values are not checked against their ranges.
func (c *Config) UnmarshalJSON(text []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	out := track.DefaultConfig()
	if err := setFields(&out, raw, func(track.Field) bool { return true }); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	var mix []json.RawMessage
	if text, ok := raw["mix"]; ok {
		if err := json.Unmarshal(text, &mix); err != nil {
			return fmt.Errorf("config: mix: %w", err)
		}
	}
	// A component needs far more memory and time than its text, so the number is checked before they are read.
	if len(mix) > maxComponents {
		return fmt.Errorf("config: mix has %d components, expected at most %d", len(mix), maxComponents)
	}
	for k, text := range mix {
		component, err := readComponent(out, text)
		if err != nil {
			return fmt.Errorf("config: mix[%d]: %w", k, err)
		}
		out.Mix = append(out.Mix, component)
	}
	*c = Config(out)
	return nil
}

// readComponent reads a component of a mixed batch. Missing fields get their values from the configuration.
func readComponent(config track.Config, text json.RawMessage) (track.Component, error) {
	component := config.NewComponent(1, track.DefaultConfig().Generator)
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return component, err
	}
	if text, ok := raw["weight"]; ok {
		if err := json.Unmarshal(text, &component.Weight); err != nil {
			return component, err
		}
	}
	config.FirstLoop = component.FirstLoop
	err := setFields(&config, raw, func(f track.Field) bool { return !f.Shared() })
	component.FirstLoop = config.FirstLoop
	return component, err
}

// setFields sets the fields that the members of an object name. It returns an error for a field that is not allowed.
func setFields(c *track.Config, raw map[string]json.RawMessage, allowed func(track.Field) bool) error {
	members := map[string]map[string]json.RawMessage{"": raw}
	for _, group := range track.Groups() {
		text, ok := raw[group.Name]
		if !ok || group.Name == "" {
			continue
		}
		var inner map[string]json.RawMessage
		if err := json.Unmarshal(text, &inner); err != nil {
			return fmt.Errorf("%s: found %s, expected an object", group.Name, npy.Clip(string(text)))
		}
		members[group.Name] = inner
	}
	for _, field := range track.Fields() {
		if _, ok := raw[field.Reference]; ok && field.Reference != field.Name {
			return fmt.Errorf("unknown field %s: its name is %s", field.Reference, field.Name)
		}
		text, ok := members[field.Group()][field.Leaf()]
		if !ok {
			continue
		}
		if !allowed(field) {
			return fmt.Errorf("%s: all components share it", field.Name)
		}
		value, err := configValue(field, text)
		if err != nil {
			return fmt.Errorf("%s: %w", field.Name, err)
		}
		if err := field.Set(c, value); err != nil {
			return err
		}
	}
	return nil
}

// configValue converts JSON into a value that the field's Set accepts. It returns an error if the types do not match.
func configValue(field track.Field, text json.RawMessage) (any, error) {
	if field.Type() == reflect.TypeFor[[]int]() {
		var list []int
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("found %s, expected a list of whole numbers", npy.Clip(string(text)))
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
				return nil, fmt.Errorf("found %s, expected two numbers", npy.Clip(string(text)))
			}
			bound, err := number.Float64()
			if err != nil || math.IsInf(bound, 0) {
				return nil, fmt.Errorf("%s is out of range", npy.Clip(number.String()))
			}
			bounds[i] = bound
		}
		return track.Range{Min: bounds[0], Max: bounds[1]}, nil
	}
	return nil, fmt.Errorf("found %s, expected a number, true or false, a text or a pair of numbers",
		npy.Clip(string(text)))
}
