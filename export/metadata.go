package export

import (
	"encoding/json"
	"fmt"

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
	return json.Marshal(struct {
		Format  int    `json:"format"`
		Version string `json:"version"`
		Device  string `json:"device,omitempty"`
		Config  Config `json:"config"`
	}{metadataFormat, m.Version, m.Device, Config(m.Config)})
}

// UnmarshalJSON implements json.Unmarshaler. Fields of the configuration that this version does not know are skipped, so
// that files of later versions can be read; the values are not checked against their ranges.
func (m *Metadata) UnmarshalJSON(text []byte) error {
	var raw struct {
		Format  int             `json:"format"`
		Version string          `json:"version"`
		Device  string          `json:"device"`
		Config  json.RawMessage `json:"config"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	if raw.Format != metadataFormat {
		return fmt.Errorf("format is %d, expected %d", raw.Format, metadataFormat)
	}
	var config Config
	if len(raw.Config) > 0 {
		if err := json.Unmarshal(raw.Config, &config); err != nil {
			return err
		}
	}
	*m = Metadata{Version: raw.Version, Device: raw.Device, Config: track.Config(config)}
	return nil
}
