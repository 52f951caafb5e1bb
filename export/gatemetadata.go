package export

import (
	"encoding/json"
	"fmt"

	"github.com/trackgen-go/trackgen/gate"
)

// gateCourse is the member "course" of the metadata of files of gate courses. Files of tracks have none.
const gateCourse = "gates"

// GateMetadata describes how the gate courses of a file were made. As JSON it is
//
//	{"format": 1, "course": "gates", "version": "v1.0.0", "device": "cpu", "config": {"generator": "bezier", ...}}
//
// with the fields of the configuration under the names and in the order of gate.Fields.
type GateMetadata struct {
	Version string      // of TrackGen
	Device  string      // the device that generated the courses; may be empty
	Config  gate.Config // effective configuration
}

// gateMetadataJSON is the JSON form of GateMetadata.
type gateMetadataJSON struct {
	Format  int         `json:"format"`
	Course  string      `json:"course"`
	Version string      `json:"version"`
	Device  string      `json:"device,omitempty"`
	Config  *GateConfig `json:"config"`
}

// MarshalJSON implements json.Marshaler.
func (m GateMetadata) MarshalJSON() ([]byte, error) {
	config := GateConfig(m.Config)
	return json.Marshal(gateMetadataJSON{Format: metadataFormat, Course: gateCourse, Version: m.Version, Device: m.Device,
		Config: &config})
}

// UnmarshalJSON implements json.Unmarshaler, as that of Metadata does.
func (m *GateMetadata) UnmarshalJSON(text []byte) error {
	var raw gateMetadataJSON
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	switch {
	case raw.Format != metadataFormat:
		return fmt.Errorf("format is %d, expected %d", raw.Format, metadataFormat)
	case raw.Course != gateCourse:
		return fmt.Errorf("course is %q, expected %q", raw.Course, gateCourse)
	}
	*m = GateMetadata{Version: raw.Version, Device: raw.Device}
	if raw.Config != nil {
		m.Config = gate.Config(*raw.Config)
	}
	return nil
}

// forShape returns m with num_envs set to the number of envs in the whole file.
func (m GateMetadata) forShape(shape Shape) GateMetadata {
	m.Config.NumEnvs = shape.Envs
	return m
}
