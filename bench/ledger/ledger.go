// Package ledger keeps hashes of generated tracks, for comparison with other devices, machines and versions.
//
// A ledger is a JSON file. It says where it was made and holds, for each configuration, the SHA-256 of every array of
// the result and a short hash of every env, so that a comparison can name the env that differs.
package ledger

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
)

// Format is the version of the layout of ledgers.
const Format = 1

// Ledger is the content of a file.
type Ledger struct {
	Format  int           `json:"format"`
	Made    Origin        `json:"made"`
	Entries []Entry       `json:"entries"`         // batches of tracks
	Gates   []CourseEntry `json:"gates,omitempty"` // batches of gate courses
}

// Origin says where a ledger was made. Comparisons ignore it.
type Origin struct {
	Version  string `json:"version"`  // of TrackGen
	Go       string `json:"go"`       // e.g. "go1.26.8"
	Platform string `json:"platform"` // e.g. "linux/amd64"
	Device   string `json:"device"`   // e.g. "cpu"
	Hardware string `json:"hardware"` // description of the device
	Driver   string `json:"driver"`
}

// NewOrigin describes this program and a device.
func NewOrigin(version string, info backend.Info) Origin {
	return Origin{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Device: info.Name, Hardware: info.Description, Driver: info.Driver}
}

// Entry is one batch: its configuration, seed and epoch, and its hashes.
type Entry struct {
	Config export.Config `json:"config"` // effective
	Seed   int32         `json:"seed"`   // of the first env; env e has Seed+e
	Epoch  int32         `json:"epoch"`  // of all envs
	Arrays []Array       `json:"arrays"`
	Envs   []EnvHash     `json:"envs"` // of each env, over its part of every array
}

// Compute generates the batch of a configuration on a device and hashes it.
//
// Errors are those of the configuration (track.ErrConfig) and of the device.
func Compute(ctx context.Context, device backend.Device, config track.Config, seed, epoch int32) (Entry, error) {
	batch, config, err := generate(ctx, device, config, seed, epoch)
	if err != nil {
		return Entry{}, fmt.Errorf("ledger: %w", err)
	}
	entry := Entry{Config: export.Config(config), Seed: seed, Epoch: epoch}
	entry.Arrays, entry.Envs = hash(batch)
	return entry, nil
}

// Check generates the first envs of an entry again and returns how they differ, or nil if they are equal. If envs is 0
// or exceeds the number of envs of the entry, Check generates all of them. It ignores arrays that the entry does not
// have, such as those of later versions. If it generates only some of the envs, it compares the hash of each env.
func Check(ctx context.Context, device backend.Device, entry Entry, envs int) (*Difference, error) {
	config := track.Config(entry.Config)
	if envs > 0 {
		config.NumEnvs = min(envs, len(entry.Envs))
	}
	batch, _, err := generate(ctx, device, config, entry.Seed, entry.Epoch)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return entry.compare(batch), nil
}

func generate(ctx context.Context, device backend.Device, config track.Config, seed,
	epoch int32) (_ *track.Batch, _ track.Config, err error) {
	generator, err := track.NewGenerator(device, config, track.WithSeed(seed), track.WithEpoch(epoch))
	if err != nil {
		return nil, config, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	batch, err := generator.Track().Batch(ctx) // allocated with the generator
	return batch, generator.Config(), err
}

// Write writes the ledger as JSON.
func (l Ledger) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(l); err != nil {
		return fmt.Errorf("ledger: write: %w", err)
	}
	return nil
}

// Limits of Read. They allow hundreds of entries with thousands of envs.
const (
	maxBytes   = 1 << 26
	maxEntries = 1000
)

// Read reads a ledger and checks its form. A file that is not a ledger, is truncated or has another layout returns an
// error.
func Read(r io.Reader) (Ledger, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return Ledger{}, fmt.Errorf("ledger: read: %w", err)
	case len(text) > maxBytes:
		return Ledger{}, fmt.Errorf("ledger: read: the file has more than %d bytes", maxBytes)
	}
	var layout struct {
		Format *int `json:"format"`
	}
	if err := json.Unmarshal(text, &layout); err != nil {
		return Ledger{}, fmt.Errorf("ledger: read: %w", err)
	}
	if layout.Format == nil || *layout.Format != Format {
		return Ledger{}, fmt.Errorf("ledger: read: this is not a ledger of format %d", Format)
	}
	var file struct {
		Format  int           `json:"format"`
		Made    Origin        `json:"made"`
		Entries entries       `json:"entries"`
		Gates   courseEntries `json:"gates"`
	}
	if err := decodeStrictly(text, &file); err != nil {
		return Ledger{}, fmt.Errorf("ledger: read: %w", err)
	}
	l := Ledger{Format: file.Format, Made: file.Made, Entries: file.Entries, Gates: file.Gates}
	if len(l.Entries) == 0 && len(l.Gates) == 0 {
		return Ledger{}, errors.New("ledger: read: entries is empty: must hold at least one, or gates must")
	}
	return l, nil
}

// decodeStrictly decodes JSON and refuses fields that v does not have.
func decodeStrictly(text []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(v)
}

// entries is the list of entries of a file. They are read and checked one by one, because a decoded entry needs far
// more memory than its text.
type entries []Entry

// UnmarshalJSON implements json.Unmarshaler.
func (list *entries) UnmarshalJSON(text []byte) (err error) {
	*list, err = readEntries("entries", text, func(entry *Entry, text []byte) error {
		if err := readEntry(text, entry, track.Kind(), track.FieldOfReference); err != nil {
			return err
		}
		return checkEntry(track.Config(entry.Config), track.Config(entry.Config).Resolved().NumEnvs, entry.Arrays, entry.Envs)
	})
	return err
}

// readEntries reads a list of entries, each by read.
func readEntries[E any](name string, text []byte, read func(entry *E, text []byte) error) ([]E, error) {
	if string(text) == "null" {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		return nil, errors.Join(fmt.Errorf("%s is not a list", name), err)
	}
	var list []E
	for decoder.More() {
		if len(list) == maxEntries {
			return nil, fmt.Errorf("%s has more than %d: must be at most that", name, maxEntries)
		}
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		var entry E
		if err == nil {
			err = read(&entry, raw)
		}
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", name, len(list), err)
		}
		list = append(list, entry)
	}
	return list, nil
}

// readEntry reads an entry and checks the names of the fields of its configuration. of finds a field by the name that
// the reference gives it.
func readEntry[C any](text []byte, entry any, kind config.Kind[C], of func(string) (config.Field[C], bool)) error {
	if err := decodeStrictly(text, entry); err != nil {
		return err
	}
	var raw struct {
		Config map[string]json.RawMessage `json:"config"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	// A field of another version would be ignored, and different tracks would be compared.
	for _, name := range fieldNames(raw.Config) {
		if _, ok := kind.Named(name); !ok {
			if meant, ok := of(name); ok {
				return fmt.Errorf("config has the unknown field %s: its name is %s", name, meant.Name)
			}
			return fmt.Errorf("config has the field %q, which this version does not know", name)
		}
	}
	return nil
}

// fieldNames returns the sorted full names of the fields of a configuration and of its components.
func fieldNames(config map[string]json.RawMessage) []string {
	var names []string
	for name, value := range config {
		var group map[string]json.RawMessage
		var components []map[string]json.RawMessage
		switch {
		case name == "mix" && json.Unmarshal(value, &components) == nil:
			for _, component := range components {
				delete(component, "weight")
				names = append(names, fieldNames(component)...)
			}
		case json.Unmarshal(value, &group) != nil:
			names = append(names, name)
		}
		for leaf := range group {
			names = append(names, name+"."+leaf)
		}
	}
	slices.Sort(names)
	return names
}

// checkEntry refuses an entry that Compute cannot have made. numEnvs is the number of envs of the configuration.
func checkEntry(config interface{ Validate() error }, numEnvs int, arrays []Array, envs []EnvHash) error {
	if reflect.ValueOf(config).IsZero() {
		return errors.New("config is missing")
	}
	if err := config.Validate(); err != nil {
		return err
	}
	if len(envs) != numEnvs {
		return fmt.Errorf("envs has %d hashes: must be one for each of num_envs = %d", len(envs), numEnvs)
	}
	if len(arrays) == 0 {
		return errors.New("arrays is empty: must hold at least one")
	}
	seen := make(map[string]bool, len(arrays))
	for _, array := range arrays {
		if seen[array.Name] {
			return fmt.Errorf("arrays has %q twice: must have each array once", array.Name)
		}
		seen[array.Name] = true
	}
	return nil
}

//go:embed default.json
var builtin []byte

// Default returns the ledger of this version: 256 envs of every generator with its defaults.
func Default() (Ledger, error) { return Read(bytes.NewReader(builtin)) }
