package export

import (
	"encoding/json"
	"fmt"

	"github.com/trackgen-go/trackgen/track"
)

// metadataFormat is the version of the file layout. It increases when older readers would misread a newer file.
const metadataFormat = 1

// Metadata describes how the tracks of a file were made. As JSON it is
//
//	{"format": 1, "version": "v1.0.0", "device": "cpu", "config": {"generator": "bezier", "num_envs": 512, ...}}
//
// with the fields of the configuration under the names and in the order of track.Fields. Empty fields are left out.
// Files of measured circuits have "import" instead of "config"; see Import.
type Metadata struct {
	Version string       // of TrackGen
	Device  string       // the device that generated the tracks; may be empty
	Config  track.Config // effective configuration of generated tracks
	Import  *Import      // source of measured circuits; nil for generated tracks
	Labels  *Labels      // how the labels of the file were computed; nil for a file without labels
}

// Labels describes columns of labels, which say how hard tracks are to drive: see package export/labels.
type Labels struct {
	Settings map[string]float64 `json:"settings"` // of the car and of the classes of corners, by their names
	Units    map[string]string  `json:"units"`    // by column: "time", "length/time", "count" and the like
}

// Import describes the files of measured circuits and how they were converted to tracks. As JSON it is
//
//	{"circuits": [{"file": "Monza.csv", "sha256": "9f86...", "points": 1159}], "options": {"spacing": 3}}
//
// Options without a value are left out.
type Import struct {
	Circuits []ImportedCircuit // of env 0, 1, ...
	Options  track.ImportOptions
}

// ImportedCircuit is one measured circuit.
type ImportedCircuit struct {
	File   string      `json:"file"`             // name without folders
	SHA256 string      `json:"sha256"`           // of the file, in hexadecimal digits
	Points int         `json:"points"`           // number of points of the line that was read
	Origin *[2]float64 `json:"origin,omitempty"` // subtracted from the coordinates of the file; nil if nothing was

	// Projection converted the degrees of the file to metres, from which Origin was subtracted. It is nil if the file
	// has no degrees.
	Projection *Projection `json:"projection,omitempty"`
}

// importJSON is the JSON form of Import.
type importJSON struct {
	Circuits []ImportedCircuit `json:"circuits"`
	Options  importOptionsJSON `json:"options"`
}

// importOptionsJSON has the fields of track.ImportOptions.
type importOptionsJSON struct {
	Spacing     float64 `json:"spacing,omitempty"`
	MaxPoints   int     `json:"max_points,omitempty"`
	HalfWidth   float64 `json:"half_width,omitempty"`
	Relax       bool    `json:"relax,omitempty"`
	TrimInner   bool    `json:"trim_inner,omitempty"`
	NoCrossings bool    `json:"no_crossings,omitempty"`
	Height      float64 `json:"height,omitempty"`

	HeightSmoothing float64 `json:"height_smoothing,omitempty"`
	MaxGrade        float64 `json:"max_grade,omitempty"`
	BankFactor      float64 `json:"bank_factor,omitempty"`
	MaxBank         float64 `json:"max_bank,omitempty"`
	BankTransition  float64 `json:"bank_transition,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (i Import) MarshalJSON() ([]byte, error) {
	return json.Marshal(importJSON{Circuits: i.Circuits, Options: importOptionsJSON(i.Options)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *Import) UnmarshalJSON(text []byte) error {
	var raw importJSON
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	*i = Import{Circuits: raw.Circuits, Options: track.ImportOptions(raw.Options)}
	return nil
}

// forShape returns m with num_envs set to the number of envs in the whole file, which may have been generated in
// chunks.
func (m Metadata) forShape(shape Shape) Metadata {
	m.Config.NumEnvs = shape.Envs
	return m
}

// MarshalJSON implements json.Marshaler.
func (m Metadata) MarshalJSON() ([]byte, error) {
	out := struct {
		Format  int     `json:"format"`
		Version string  `json:"version"`
		Device  string  `json:"device,omitempty"`
		Config  *Config `json:"config,omitempty"`
		Import  *Import `json:"import,omitempty"`
		Labels  *Labels `json:"labels,omitempty"`
	}{Format: metadataFormat, Version: m.Version, Device: m.Device, Import: m.Import, Labels: m.Labels}
	if m.Import == nil {
		config := Config(m.Config)
		out.Config = &config
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler. It skips unknown fields of the configuration, so that files of later
// versions can be read. It does not check values against their ranges.
func (m *Metadata) UnmarshalJSON(text []byte) error {
	var raw struct {
		Format  int             `json:"format"`
		Version string          `json:"version"`
		Device  string          `json:"device"`
		Config  json.RawMessage `json:"config"`
		Import  *Import         `json:"import"`
		Labels  *Labels         `json:"labels"`
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
	*m = Metadata{Version: raw.Version, Device: raw.Device, Config: track.Config(config), Import: raw.Import,
		Labels: raw.Labels}
	return nil
}
