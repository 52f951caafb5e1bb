package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/trackgen-go/trackgen/track"
)

// metadataFormat is the version of the layout of files. It grows when older readers would misread a newer file.
const metadataFormat = 1

// Metadata says how the tracks of a file were made. As JSON it is
//
//	{"format": 1, "version": "v1.0.0", "device": "cpu", "config": {"generator": "bezier", "num_envs": 512, ...}}
//
// with the fields of the configuration named and ordered as track.Fields has them; fields without a value are left out.
type Metadata struct {
	Version string       // of TrackGen
	Device  string       // that made the tracks; may be empty
	Config  track.Config // effective configuration
}

// forShape returns m with num_envs set to the envs of the whole file, which may have been generated in chunks.
func (m Metadata) forShape(shape Shape) Metadata {
	m.Config.NumEnvs = shape.Envs
	return m
}

// MarshalJSON implements json.Marshaler.
func (m Metadata) MarshalJSON() ([]byte, error) {
	config, err := marshalConfig(m.Config)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Format  int             `json:"format"`
		Version string          `json:"version"`
		Device  string          `json:"device,omitempty"`
		Config  json.RawMessage `json:"config"`
	}{metadataFormat, m.Version, m.Device, config})
}

func marshalConfig(config track.Config) ([]byte, error) {
	out := []byte{'{'}
	for _, field := range track.Fields() {
		value := field.Value(config)
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

// UnmarshalJSON implements json.Unmarshaler. Fields of the configuration that this version does not know are skipped, so
// that files of later versions can be read; the values are not checked against their ranges.
func (m *Metadata) UnmarshalJSON(text []byte) error {
	var raw struct {
		Format  int                        `json:"format"`
		Version string                     `json:"version"`
		Device  string                     `json:"device"`
		Config  map[string]json.RawMessage `json:"config"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	if raw.Format != metadataFormat {
		return fmt.Errorf("format is %d, expected %d", raw.Format, metadataFormat)
	}
	out := Metadata{Version: raw.Version, Device: raw.Device}
	for _, field := range track.Fields() {
		text, ok := raw.Config[field.Name]
		if !ok {
			continue
		}
		value, err := configValue(text)
		if err == nil {
			err = field.Set(&out.Config, value)
		}
		if err != nil {
			return fmt.Errorf("config: %s: %w", field.Name, err)
		}
	}
	*m = out
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
