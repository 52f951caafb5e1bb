package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/gate"
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

// GateConfig is a configuration of gate courses in its JSON form: that of Config, with the fields of gate.Fields.
type GateConfig gate.Config

// MarshalJSON implements json.Marshaler.
func (c Config) MarshalJSON() ([]byte, error) { return marshalConfig(track.Kind(), track.Config(c)) }

// MarshalJSON implements json.Marshaler.
func (c GateConfig) MarshalJSON() ([]byte, error) { return marshalConfig(gate.Kind(), gate.Config(c)) }

// ConfigJSON returns the JSON form of a configuration of any kind, as that of Config. It has the fields of the table of
// the kind.
func ConfigJSON[C any](kind config.Kind[C], c C) ([]byte, error) { return marshalConfig(kind, c) }

// marshalConfig returns the JSON form of a configuration. Kinds without components may lack the functions for them.
func marshalConfig[C any](kind config.Kind[C], c C) ([]byte, error) {
	out, err := appendFields([]byte{'{'}, kind, c, func(f config.Field[C]) bool { return !f.IsDerived(c) })
	if err != nil {
		return nil, err
	}
	var components []C
	var weights []float64
	if kind.Components != nil {
		components, weights = kind.Components(c), kind.Weights(c)
	}
	for k, component := range components {
		if k == 0 {
			out = append(appendComma(out), `"mix":[`...)
		} else {
			out = append(out, ',')
		}
		weight, err := json.Marshal(weights[k])
		if err != nil {
			return nil, fmt.Errorf("export: weight of component %d: %w", k, err)
		}
		out = append(append(out, `{"weight":`...), weight...)
		out, err = appendFields(out, kind, component, func(f config.Field[C]) bool {
			return f.Name == generatorField || !reflect.DeepEqual(f.Value(component), f.Value(c))
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
func appendFields[C any](out []byte, kind config.Kind[C], c C, wanted func(config.Field[C]) bool) ([]byte, error) {
	group := ""
	for _, field := range kind.Fields() {
		if !wanted(field) {
			continue
		}
		value := field.Value(c)
		switch v := value.(type) {
		case config.Range:
			value = []float64{v.Min, v.Max}
		case []int:
			value = append([]int{}, v...) // an empty list is [], not null
		case []float64:
			value = append([]float64{}, v...)
		case []string:
			value = append([]string{}, v...)
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
			if group != "" {
				out = fmt.Appendf(appendComma(out), "%q:{", group)
			}
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
	read, err := unmarshalConfig(track.Kind(), text)
	if err == nil {
		*c = Config(read)
	}
	return err
}

// UnmarshalJSON implements json.Unmarshaler, as that of Config does.
func (c *GateConfig) UnmarshalJSON(text []byte) error {
	read, err := unmarshalConfig(gate.Kind(), text)
	if err == nil {
		*c = GateConfig(read)
	}
	return err
}

// unmarshalConfig reads the JSON form of a configuration.
func unmarshalConfig[C any](kind config.Kind[C], text []byte) (C, error) {
	out := kind.Default()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return out, err
	}
	if err := setFields(kind, &out, raw, func(config.Field[C]) bool { return true }); err != nil {
		return out, fmt.Errorf("config: %w", err)
	}
	var mix []json.RawMessage
	if text, ok := raw["mix"]; ok {
		if err := json.Unmarshal(text, &mix); err != nil {
			return out, fmt.Errorf("config: mix: %w", err)
		}
	}
	// A component needs far more memory and time than its text, so the number is checked before they are read.
	if len(mix) > maxComponents {
		return out, fmt.Errorf("config: mix has %d components, expected at most %d", len(mix), maxComponents)
	}
	var weights []float64
	var singles []C
	for k, text := range mix {
		weight, single, err := readComponent(kind, out, text)
		if err != nil {
			return out, fmt.Errorf("config: mix[%d]: %w", k, err)
		}
		weights, singles = append(weights, weight), append(singles, single)
	}
	kind.SetComponents(&out, weights, singles)
	return out, nil
}

// readComponent reads a component of a mixed batch. Missing fields get their values from the configuration.
func readComponent[C any](kind config.Kind[C], single C, text json.RawMessage) (weight float64, _ C, _ error) {
	weight = 1
	generator, _ := kind.Named(generatorField)
	if err := generator.Set(&single, generator.Default); err != nil {
		return 0, single, err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return 0, single, err
	}
	if text, ok := raw["weight"]; ok {
		if err := json.Unmarshal(text, &weight); err != nil {
			return 0, single, err
		}
	}
	err := setFields(kind, &single, raw, func(f config.Field[C]) bool { return !f.Shared() })
	return weight, single, err
}

// setFields sets the fields that the members of an object name. It returns an error for a field that is not allowed.
func setFields[C any](kind config.Kind[C], c *C, raw map[string]json.RawMessage,
	allowed func(config.Field[C]) bool) error {
	members := map[string]map[string]json.RawMessage{"": raw}
	for _, group := range kind.Groups() {
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
	for _, field := range kind.Fields() {
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

// configList converts a list in JSON.
func configList[T int | float64 | string](text json.RawMessage, of string) (any, error) {
	var list []T
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("found %s, expected a list of %s", npy.Clip(string(text)), of)
	}
	return list, nil
}

// configValue converts JSON into a value that the field's Set accepts. It returns an error if the types do not match.
func configValue[C any](field config.Field[C], text json.RawMessage) (any, error) {
	switch field.Type() {
	case reflect.TypeFor[[]int]():
		return configList[int](text, "whole numbers")
	case reflect.TypeFor[[]float64]():
		return configList[float64](text, "numbers")
	case reflect.TypeFor[[]string]():
		return configList[string](text, "names")
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
		return config.Range{Min: bounds[0], Max: bounds[1]}, nil
	}
	return nil, fmt.Errorf("found %s, expected a number, true or false, a text or a pair of numbers",
		npy.Clip(string(text)))
}
