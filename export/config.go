package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/trackgen-go/trackgen/track"
)

// Config is a configuration as it stands in files: a JSON object whose fields are named and ordered as track.Fields has
// them. Fields without a value are left out.
type Config track.Config

// MarshalJSON implements json.Marshaler.
func (c Config) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for _, field := range track.Fields() {
		value := field.Value(track.Config(c))
		switch v := value.(type) {
		case nil:
			continue
		case track.Range:
			value = []float64{v.Min, v.Max}
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("export: field %s of the configuration: %w", field.Name, err)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%s", field.Name, text)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON implements json.Unmarshaler. Fields that this version does not know are skipped, so that files of later
// versions can be read; the values are not checked against their ranges.
func (c *Config) UnmarshalJSON(text []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	var out track.Config
	for _, field := range track.Fields() {
		text, ok := raw[field.Name]
		if !ok {
			continue
		}
		value, err := configValue(text)
		if err == nil {
			err = field.Set(&out, value)
		}
		if err != nil {
			return fmt.Errorf("config: %s: %w", field.Name, err)
		}
	}
	*c = Config(out)
	return nil
}

// configValue turns JSON into a value that track.Field.Set accepts.
func configValue(text json.RawMessage) (any, error) {
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
