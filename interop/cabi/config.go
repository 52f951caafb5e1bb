package main

// #include "library.h"
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/track"
)

// maxConfig is the length of the longest configuration in bytes, with its parts.
const maxConfig = 128 << 10

// inText is the name of the text of a configuration in messages.
const inText = "config"

// unchecked is for configurations that are checked when they have all parts.
func unchecked[C any](C) error { return nil }

// readSettings sets the fields of base that a text names, and checks the result. Errors are those of configurations.
func readSettings[C any](language settings.Language[C], base C, text string, check func(C) error) (C, error) {
	if strings.TrimSpace(text) == "" {
		return base, check(base)
	}
	list, err := language.Read(inText, strings.NewReader(text))
	if err != nil {
		return base, &settingError{err}
	}
	origins, err := language.Apply(&base, list)
	if err != nil {
		return base, &settingError{err}
	}
	if err := settings.Locate(check(base), origins); err != nil {
		return base, &settingError{err}
	}
	return base, nil
}

// configParts are the text of a configuration without that of the generator, and that one.
type configParts struct {
	own           string
	tracks, gates *string
}

// splitParts takes the members "tracks" and "gates" out of a JSON object.
func splitParts(text string) (parts configParts, err error) {
	members, err := membersOf(text)
	if err != nil {
		return parts, err
	}
	own := []string{}
	for _, m := range members {
		value := string(m.value)
		switch m.name {
		case kindTracks:
			parts.tracks = &value
		case kindGates:
			parts.gates = &value
		default:
			own = append(own, fmt.Sprintf("%q: %s", m.name, value))
		}
	}
	parts.own = "{" + strings.Join(own, ",\n") + "}"
	return parts, nil
}

// generator returns the configuration of the tracks or of the gates. Without either there are tracks with the defaults.
func (p configParts) generator() (*track.Config, *gate.Config, error) {
	switch {
	case p.tracks != nil && p.gates != nil:
		return nil, nil, &config.Error{Field: kindGates, Value: "an object beside that of tracks",
			Allowed: "one of tracks and gates"}
	case p.gates != nil:
		c, err := readGates(*p.gates)
		return nil, &c, inPart(kindGates, err)
	case p.tracks != nil:
		c, err := readTracks(*p.tracks)
		return &c, nil, inPart(kindTracks, err)
	}
	c := track.DefaultConfig()
	return &c, nil, nil
}

// inPart adds the name of a part to an error.
func inPart(part string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", part, err)
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of a JSON object in their order. Each name occurs once.
func membersOf(text string) (list []member, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	wrong := func(problem string) error {
		return &settingError{fmt.Errorf("%s: %s: must be a JSON object", inText, problem)}
	}
	if len(text) > maxConfig {
		return nil, wrong(fmt.Sprintf("%d bytes, more than %d", len(text), maxConfig))
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, wrong("does not begin with {")
	}
	seen := make(map[string]bool)
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, wrong(err.Error())
		}
		m := member{name: name.(string)} // names of members are strings
		if err := decoder.Decode(&m.value); err != nil {
			return nil, wrong(err.Error())
		}
		if seen[m.name] {
			return nil, &settingError{fmt.Errorf("%s: %s is set twice", inText, m.name)}
		}
		seen[m.name] = true
		list = append(list, m)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, wrong(err.Error())
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, wrong("text after the object")
	}
	return list, nil
}

// joinParts returns the JSON form of a configuration with that of its generator.
func joinParts[C any](kind config.Kind[C], c C, tracks *track.Config, gates *gate.Config) (json.RawMessage, error) {
	own, err := export.ConfigJSON(kind, c)
	if err != nil {
		return nil, err
	}
	var part []byte
	name := kindTracks
	switch {
	case tracks != nil:
		part, err = json.Marshal(export.Config(tracks.Resolved()))
	case gates != nil:
		name = kindGates
		part, err = json.Marshal(export.GateConfig(gates.Resolved()))
	}
	if err != nil || part == nil {
		return own, err
	}
	return fmt.Appendf(own[:len(own)-1], ",%q:%s}", name, part), nil
}

// Names of the kinds of producers.
const (
	kindTracks = "tracks"
	kindGates  = "gates"
	kindCourse = "course"
	kindRace   = "race"
)

// kind is a kind of producer. Its exported fields are those of tg_kinds.
type kind struct {
	Name   string   `json:"name"`
	Doc    string   `json:"doc"`
	Calls  []string `json:"calls"`
	Inputs []string `json:"inputs"`

	make    func(d *device, config string, options []generation.Option) (producer, error)
	resolve func(config string) (json.RawMessage, error)
	fields  func() []fieldInfo
}

// kinds lists the kinds of producers.
var kinds = []kind{
	{Name: kindTracks, Doc: "batches of race tracks", Inputs: []string{},
		Calls: []string{"tg_generate", "tg_regenerate", "tg_set_seeds", "tg_set_epoch"},
		make:  newTracks, resolve: resolveTracks, fields: func() []fieldInfo { return fieldsOf(track.Kind()) }},
	{Name: kindGates, Doc: "batches of gate courses", Inputs: []string{},
		Calls: []string{"tg_generate", "tg_regenerate", "tg_set_seeds", "tg_set_epoch"},
		make:  newGates, resolve: resolveGates, fields: func() []fieldInfo { return fieldsOf(gate.Kind()) }},
	{Name: kindCourse, Doc: "tracks or gates, and what agents on them do",
		Inputs: []string{"position", "orientation", "half_extents", "box_position"},
		Calls: []string{"tg_generate", "tg_regenerate", "tg_reset", "tg_bind", "tg_step", "tg_set_seeds",
			"tg_set_epoch"},
		make: newCourse, resolve: resolveCourse, fields: func() []fieldInfo { return fieldsOf(course.Kind()) }},
	{Name: kindRace, Doc: "a course, with vehicles, observations, rewards and episodes", Inputs: []string{"actions"},
		Calls: []string{"tg_regenerate", "tg_reset", "tg_bind", "tg_step", "tg_step_actions", "tg_set_seeds"},
		make:  newRace, resolve: resolveRace, fields: func() []fieldInfo { return fieldsOf(race.Kind()) }},
}

// fieldInfo describes a setting as tg_fields does.
type fieldInfo struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"`
	Default   any      `json:"default"`
	Derived   string   `json:"derived,omitempty"`
	Min       *float64 `json:"min,omitempty"`
	Max       *float64 `json:"max,omitempty"`
	MinOpen   bool     `json:"min_open,omitempty"`
	MaxOpen   bool     `json:"max_open,omitempty"`
	NonZero   bool     `json:"non_zero,omitempty"`
	Choices   []string `json:"choices,omitempty"`
	Unit      string   `json:"unit"`
	Doc       string   `json:"doc"`
	Allowed   string   `json:"allowed"`
	Reference string   `json:"reference,omitempty"`
}

// unitNames are the names of units in tg_fields.
var unitNames = map[config.Unit]string{config.Dimensionless: "none", config.Length: "length", config.Angle: "angle"}

// typeNames are the names of the types of settings in tg_fields.
var typeNames = map[reflect.Type]string{
	reflect.TypeFor[bool](): "bool", reflect.TypeFor[int](): "int", reflect.TypeFor[float64](): "float",
	reflect.TypeFor[string](): "string", reflect.TypeFor[config.Range](): "range",
	reflect.TypeFor[[]int](): "int_list", reflect.TypeFor[[]string](): "string_list",
	reflect.TypeFor[[]float64](): "float_list",
}

// fieldsOf describes the settings of a kind.
func fieldsOf[C any](kind config.Kind[C]) []fieldInfo {
	standard := kind.Default()
	list := []fieldInfo{}
	for _, f := range kind.Fields() {
		info := fieldInfo{Name: f.Name, Type: typeNames[f.Type()], Default: f.Value(standard), Derived: f.Derived,
			MinOpen: f.MinOpen, MaxOpen: f.MaxOpen, NonZero: f.NonZero, Choices: f.Choices, Unit: unitNames[f.Unit],
			Doc: f.Doc, Allowed: f.Allowed(), Reference: f.Reference}
		if r, ok := info.Default.(config.Range); ok {
			info.Default = []float64{r.Min, r.Max}
		}
		if info.Type != "bool" && info.Type != "string" && info.Type != "string_list" {
			info.Min, info.Max = bound(f.Min), bound(f.Max)
		}
		list = append(list, info)
	}
	return list
}

// bound returns an end of a range, nil if there is none.
func bound(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// configOf returns the kind with a name, and the text of a configuration of it, which is empty or a JSON object.
func configOf(op string, name, text C.tgi_text) (*kind, string, error) {
	wanted, err := textOf(op, "kind", name)
	if err != nil {
		return nil, "", err
	}
	found, err := kindOf(wanted)
	if err != nil || text == nil {
		return found, "", err
	}
	config, err := textOf(op, "config", text)
	if err != nil {
		return nil, "", err
	}
	_, err = membersOf(config)
	return found, config, err
}

//export tgo_kinds
func tgo_kinds(json **C.char) C.int32_t {
	return call(func() error {
		if json == nil {
			return missingPointer("list kinds", "json")
		}
		return setJSON(json, kinds)
	})
}

//export tgo_fields
func tgo_fields(name C.tgi_text, json **C.char) C.int32_t {
	return call(func() error {
		if json == nil {
			return missingPointer("list fields", "json")
		}
		kind, _, err := configOf("list fields", name, nil)
		if err != nil {
			return err
		}
		return setJSON(json, kind.fields())
	})
}

//export tgo_resolve
func tgo_resolve(name, config C.tgi_text, json **C.char) C.int32_t {
	return call(func() error {
		if json == nil {
			return missingPointer("resolve configuration", "json")
		}
		kind, text, err := configOf("resolve configuration", name, config)
		if err != nil {
			return err
		}
		resolved, err := kind.resolve(text)
		if err != nil {
			return err
		}
		return setJSON(json, resolved)
	})
}
