package world

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/internal/settings"
)

// Kinds of courses.
const (
	CourseTracks  = "tracks"
	CourseGates   = "gates"
	CourseCircuit = "circuit" // the circuits of a file, which comes with the request
)

// Bounds of a request.
const (
	MaxEnvs       = 512     // tracks of a gallery
	MaxStatistics = 1 << 14 // tracks that are only measured
	MaxFile       = 16 << 20
	maxMix        = 16
	maxText       = 256 // bytes of the value of a setting
	maxLaps       = 10
)

// Request is what a call is about. Fields that a call does not need are ignored.
type Request struct {
	Course   string            `json:"course"`
	Settings map[string]string `json:"settings"` // fields that are not at their default, as text
	Mix      []Component       `json:"mix,omitempty"`
	Seed     int64             `json:"seed"`            // of the first track; the next ones have the next seeds
	Seeds    []int64           `json:"seeds,omitempty"` // of each track, instead of Seed and Envs
	Epoch    int64             `json:"epoch"`
	Envs     int               `json:"envs"`
	File     string            `json:"file,omitempty"` // name of the file of a circuit
	Format   string            `json:"format,omitempty"`
	Scale    float64           `json:"scale,omitempty"` // metres of a track unit, for files and for driving; 0: default
	Env      *int              `json:"env,omitempty"`   // the one track of a file; nil: all
	Drive    Drive             `json:"drive"`
}

// Component is a component of a mixed batch.
type Component struct {
	Generator string            `json:"generator"`
	Weight    float64           `json:"weight"`
	Settings  map[string]string `json:"settings,omitempty"` // of its own
}

// Drive says how vehicles drive.
type Drive struct {
	Settings map[string]string `json:"settings,omitempty"` // of the race
	Vehicle  string            `json:"vehicle,omitempty"`  // empty: the default
	Line     string            `json:"line,omitempty"`     // centre or racing; empty: centre
	Brave    float64           `json:"brave,omitempty"`    // 0: 1
	Laps     int               `json:"laps,omitempty"`     // 0: 1
}

// readRequest reads a request, whose unknown fields are errors.
func readRequest(text []byte) (Request, error) {
	var r Request
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return r, refuse("request", err, "a JSON object with the fields of world.Request")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return r, refuse("request", "more than one value", "one JSON object")
	}
	return r, nil
}

// check bounds the seeds and the number of tracks.
func (r Request) check(mostEnvs int) error {
	var wrong []Problem
	if r.Course != CourseCircuit {
		if n := r.envs(); n < 1 || n > mostEnvs {
			wrong = append(wrong, problemOf("envs", n, fmt.Sprintf("a whole number >= 1 and <= %d", mostEnvs)))
		}
	}
	seeds := fmt.Sprintf("a whole number >= %d and <= %d", math.MinInt32, math.MaxInt32)
	last := r.Seed + int64(max(r.Envs, 1)) - 1
	if r.Seeds == nil && (r.Seed < math.MinInt32 || r.Seed > math.MaxInt32 || last > math.MaxInt32) {
		wrong = append(wrong, problemOf("seed", r.Seed, fmt.Sprintf("a whole number >= %d and <= %d", math.MinInt32,
			math.MaxInt32-max(r.Envs, 1)+1)))
	}
	for _, seed := range r.Seeds {
		if seed < math.MinInt32 || seed > math.MaxInt32 {
			wrong = append(wrong, problemOf("seeds", seed, seeds))
			break
		}
	}
	if r.Epoch < math.MinInt32 || r.Epoch > math.MaxInt32 {
		wrong = append(wrong, problemOf("epoch", r.Epoch, seeds))
	}
	if len(r.Mix) > maxMix {
		wrong = append(wrong, problemOf("mix", fmt.Sprint(len(r.Mix), " components"), fmt.Sprint("at most ", maxMix)))
	}
	if len(wrong) > 0 {
		return &Refused{wrong}
	}
	return nil
}

func (r Request) envs() int {
	if r.Seeds != nil {
		return len(r.Seeds)
	}
	return r.Envs
}

// seeds returns the seed of each track.
func (r Request) seeds() []int32 {
	list := make([]int32, r.envs())
	for i := range list {
		if r.Seeds != nil {
			list[i] = int32(r.Seeds[i])
		} else {
			list[i] = int32(r.Seed) + int32(i)
		}
	}
	return list
}

// configure returns the configuration of the settings and the components of a mixture, with one env. Its error is a
// *Refused with every problem.
func configure[C any](l settings.Language[C], given map[string]string, mix []Component, validate func(C) error) (C,
	error) {
	var wrong []Problem
	list := parse(l, given, "", &wrong)
	if len(mix) > 0 {
		list = slices.DeleteFunc(list, func(s settings.Setting[C]) bool { return s.Field.Name == generatorField })
		whole := settings.Setting[C]{Mix: []settings.Part[C]{}}
		for k, component := range mix {
			prefix := fmt.Sprintf("mix[%d].", k)
			if weight := component.Weight; !(weight > 0 && weight <= 1e6) {
				wrong = append(wrong, problemOf(prefix+"weight", weight, "a number > 0 and <= 1000000"))
			}
			part := parse(l, component.Settings, prefix, &wrong)
			part = append(part, parse(l, map[string]string{generatorField: component.Generator}, prefix, &wrong)...)
			whole.Mix = append(whole.Mix, settings.Part[C]{Weight: component.Weight, Settings: part})
		}
		list = append(list, whole)
	}
	c := l.Kind().Default()
	if len(wrong) > 0 {
		return c, &Refused{wrong}
	}
	_, err := l.Apply(&c, list)
	if err == nil {
		err = validate(c)
	}
	if problems, ok := problemsOf(err, "settings"); ok {
		return c, &Refused{problems}
	}
	return c, err
}

// generatorField is the name of the field whose value is the generator.
const generatorField = "generator"

// parse parses settings in the order of their names, and adds what is wrong.
func parse[C any](l settings.Language[C], given map[string]string, prefix string, wrong *[]Problem) (
	list []settings.Setting[C]) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		text := given[name]
		field, known := l.Kind().Named(name)
		switch {
		case name == "mix" || name == "num_envs" || name == "generator" && text == "mixed":
			*wrong = append(*wrong, Problem{Field: prefix + name, Value: text, Message: prefix + name +
				" is no setting of a request: it has fields of their own for the mixture and for the number of tracks"})
			continue
		case len(text) > maxText:
			*wrong = append(*wrong, problemOf(prefix+name, fmt.Sprint("a text of ", len(text), " bytes"),
				fmt.Sprint("at most ", maxText)))
			continue
		}
		s, err := l.Parse(name, text, prefix+name)
		if err != nil {
			p := Problem{Field: prefix + name, Value: text, Message: cmp.Or(unwrapped(err), err).Error()}
			if known {
				p.Allowed = field.Allowed()
			}
			*wrong = append(*wrong, p)
			continue
		}
		list = append(list, s)
	}
	return list
}

// unwrapped returns the cause of an error, without the origin before it.
func unwrapped(err error) error {
	if e, ok := err.(interface{ Unwrap() error }); ok { //nolint:errorlint // the error itself has the origin
		return e.Unwrap()
	}
	return nil
}
