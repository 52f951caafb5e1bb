// Package settings reads fields of trackgen.Config from YAML files and key=value arguments, and writes a configuration
// as YAML with comments.
//
// A file is a mapping of the names of fields (trackgen.Fields) to values, with those of a group below it, or with dots:
//
//	generator: bezier
//	road:
//	  half_width: 12 cm
//	bezier:
//	  style_sampling: true
//	  scale_range: [0.8, 1.2 m]
//	relax.sweeps: 80
//
// and perhaps the components of a mixed batch. Values follow one grammar in files and in arguments. A length may carry
// a unit (m, cm, mm, km) and so may an angle (rad, deg); a range is [a, b] or a:b. Quotes around a value make no
// difference.
package settings

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/suggest"
)

// Setting is one field with the value that somebody gave it, or all components of a mixture.
type Setting struct {
	Field  trackgen.Field
	Value  any    // as trackgen.Field.Set takes it
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
			wrong = append(wrong, fmt.Errorf("%s: %s must be of the form key=value, for example road.half_width=0.2",
				origin, quote(argument)))
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
// The components of a mixture begin as the first loop that c then has, and make the generator mixed where no setting
// names one.
func Apply(c *trackgen.Config, list []Setting) (origins map[string]string, err error) {
	origins = make(map[string]string, len(list))
	var mix *Setting
	var wrong []error
	for _, s := range list {
		if s.Mix != nil {
			mix = &s
			continue
		}
		if err := s.Field.Set(c, s.Value); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", s.Origin, err))
		}
		origins[s.Field.Name] = s.Origin
	}
	if mix != nil {
		if origins[generatorField] == "" {
			c.Generator = trackgen.Mixed
		}
		origins[mixField] = mix.Origin
		wrong = append(wrong, applyMix(c, mix.Mix, origins)...)
	}
	return origins, errors.Join(wrong...)
}

// Locate returns err, as trackgen.Config.Validate made it, with the origin of each field in front of its message.
func Locate(err error, origins map[string]string) error {
	if err == nil {
		return nil
	}
	var located []error
	for _, part := range Parts(err) {
		var wrong *trackgen.ConfigError
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

// Parts takes an error of errors.Join apart, and the parts that are such errors too. So it does with an error that has
// a method Parts() []error.
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

// Override returns the settings of earlier without those that later ones make void: a mixture, where a generator is
// named later, and a generator, where a mixture comes later.
func Override(earlier, later []Setting) []Setting {
	void := make(map[string]bool)
	for _, s := range later {
		switch {
		case s.Mix != nil:
			void[generatorField] = true
		case s.Field.Name == generatorField && s.Value != trackgen.Mixed:
			void[mixField] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(earlier), func(s Setting) bool { return void[s.Name()] })
}

const generatorField = "generator"

// Names lists the names of all fields, and mix.
func Names() []string {
	names := []string{mixField}
	for _, f := range trackgen.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// isGroup reports whether a name is that of a group of fields.
func isGroup(name string) bool {
	return name != "" && slices.ContainsFunc(trackgen.FieldGroups(),
		func(g trackgen.FieldGroup) bool { return g.Name == name })
}

// listed tells where all names are.
const listed = " (trackgen config lists all fields)"

// lookUp finds a field by its name. The error for another word says what was meant: a field within a group, the name of
// the reference system, or a slip.
func lookUp(name string) (trackgen.Field, error) {
	field, ok := trackgen.FieldNamed(name)
	if ok {
		return field, nil
	}
	if isGroup(name) {
		return field, fmt.Errorf("%s is a group of fields, not a field: give the name of one in it%s", name, listed)
	}
	leaf := name[strings.LastIndexByte(name, '.')+1:]
	if meant, ok := trackgen.FieldOfReference(leaf); ok {
		return field, fmt.Errorf("unknown field %s: its name is %s%s", quote(name), meant.Name, listed)
	}
	return field, fmt.Errorf("unknown field %s%s%s", quote(name), didYouMean(name, leaf), listed)
}

// didYouMean returns a phrase with the field that a word most likely stands for, and "" where none is near: by its
// name, by its name within its group, or by that of the reference system.
func didYouMean(name, leaf string) string {
	var words, leaves, references []string
	full := make(map[string]string)
	add := func(list *[]string, word, means string) {
		if _, known := full[word]; !known && word != "" {
			full[word] = means
			*list = append(*list, word)
		}
	}
	for _, name := range Names() {
		add(&words, name, name)
	}
	for _, group := range trackgen.FieldGroups() {
		add(&words, group.Name, group.Name)
	}
	for _, f := range trackgen.Fields() {
		add(&leaves, f.Leaf(), f.Name)
		add(&references, f.Reference, f.Name)
	}
	nearest := suggest.Nearest(name, words)
	if nearest == "" {
		nearest = suggest.Nearest(leaf, append(leaves, references...))
	}
	if nearest == "" {
		return ""
	}
	return `; did you mean "` + full[nearest] + `"?`
}
