// Package settings reads fields of track.Config from YAML files and key=value arguments, and writes a configuration as
// YAML with comments.
//
// A file is one flat mapping of field names (track.Fields) to values:
//
//	generator: polar
//	half_width: 12 cm
//	scale_range: [0.8, 1.2 m]
//	style_sampling: true
//
// and perhaps the components of a mixed batch. Values follow one grammar in files and in arguments. A length may carry a unit (m, cm, mm, km) and so may an angle
// (rad, deg); a range is [a, b] or a:b. Quotes around a value make no difference.
package settings

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/suggest"
	"github.com/trackgen-go/trackgen/track"
)

// Setting is one field with the value that somebody gave it, or all components of a mixture.
type Setting struct {
	Field  track.Field
	Value  any    // as track.Field.Set takes it
	Origin string // where it was given: "race.yaml:3", "--set"
	Mix    []Part // instead of a field
}

// Parse reads text as the value of the named field.
func Parse(name, text, origin string) (Setting, error) {
	if name == mixField {
		s, err := parseMix(text, origin)
		if err != nil {
			return Setting{}, fmt.Errorf("%s: %w", origin, err)
		}
		return s, nil
	}
	field, err := lookUp(name)
	if err != nil {
		return Setting{}, fmt.Errorf("%s: %w", origin, err)
	}
	value, err := parseValue(field, text)
	if err != nil {
		return Setting{}, fmt.Errorf("%s: %w", origin, err)
	}
	return Setting{Field: field, Value: value, Origin: origin}, nil
}

// Assignments reads arguments of the form key=value. A key may be given once.
func Assignments(arguments []string, origin string) ([]Setting, error) {
	var list []Setting
	var wrong []error
	seen := make(map[string]bool)
	for _, argument := range arguments {
		if len(wrong) == maxProblems {
			wrong = append(wrong, fmt.Errorf("%s: and more", origin))
			break
		}
		name, text, found := strings.Cut(argument, "=")
		name, text = strings.TrimSpace(name), strings.TrimSpace(text)
		switch {
		case !found || name == "":
			wrong = append(wrong, fmt.Errorf("%s: %s must be of the form key=value, for example half_width=0.2", origin, quote(argument)))
			continue
		case seen[name]:
			wrong = append(wrong, fmt.Errorf("%s: %s is set twice", origin, name))
			continue
		}
		setting, err := Parse(name, text, origin)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		seen[name] = true
		list = append(list, setting)
	}
	return list, errors.Join(wrong...)
}

// Apply stores the settings in c, later ones over earlier ones, and returns for each field set where its value is from.
func Apply(c *track.Config, list []Setting) (origins map[string]string, err error) {
	origins = make(map[string]string, len(list))
	var mix []Part
	for _, s := range list {
		if s.Mix != nil {
			if err := applyMix(c, s.Mix, origins); err != nil {
				return nil, err
			}
			mix = s.Mix
			origins[mixField] = s.Origin
			continue
		}
		if err := s.Field.Set(c, s.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Origin, err)
		}
		origins[s.Field.Name] = s.Origin
	}
	return origins, checkMix(*c, mix)
}

// Locate returns err, as track.Config.Validate made it, with the origin of each field in front of its message.
func Locate(err error, origins map[string]string) error {
	if err == nil {
		return nil
	}
	var located []error
	for _, part := range Parts(err) {
		var wrong *track.ConfigError
		if errors.As(part, &wrong) {
			if origin := origins[wrong.Field]; origin != "" {
				part = fmt.Errorf("%s: %w", origin, part)
			}
		}
		located = append(located, part)
	}
	return errors.Join(located...)
}

// joinedType is the type of what errors.Join returns. Other errors that wrap several say something of their own.
var joinedType = reflect.TypeOf(errors.Join(errNesting))

// Parts takes an error of errors.Join apart, and the parts that are such errors too. So it does with an error that has a
// method Parts() []error.
func Parts(err error) []error {
	var joined []error
	switch e := err.(type) {
	case interface{ Parts() []error }:
		joined = e.Parts()
	case interface{ Unwrap() []error }:
		if reflect.TypeOf(err) != joinedType {
			return []error{err}
		}
		joined = e.Unwrap()
	default:
		return []error{err}
	}
	var parts []error
	for _, part := range joined {
		parts = append(parts, Parts(part)...)
	}
	return parts
}

// Override returns the settings of earlier without those that later ones make void: a mixture, where a generator is named later,
// and a generator, where a mixture comes later.
func Override(earlier, later []Setting) []Setting {
	void := make(map[string]bool)
	for _, s := range later {
		switch {
		case s.Mix != nil:
			void["generator"] = true
		case s.Field.Name == "generator" && s.Value != track.Mixed:
			void[mixField] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(earlier), func(s Setting) bool { return void[s.Name()] })
}

// Names lists the names of all fields, and mix.
func Names() []string {
	names := []string{mixField}
	for _, f := range track.Fields() {
		names = append(names, f.Name)
	}
	return names
}

func lookUp(name string) (track.Field, error) {
	field, ok := track.FieldNamed(name)
	if !ok {
		return field, fmt.Errorf("unknown field %s%s (trackgen config lists all fields)", quote(name), suggest.Phrase(name, Names()))
	}
	return field, nil
}
