// Package settings reads fields of configurations, of tracks and of gate courses, from YAML files and key=value
// arguments, and writes a configuration as YAML with comments.
//
// A file maps names of fields (trackgen.Fields, trackgen.GateFields) to values. The fields of a group are nested in it,
// or named with a dot:
//
//	generator: bezier
//	road:
//	  half_width: 12 cm
//	bezier:
//	  style_sampling: true
//	  scale_range: [0.8, 1.2 m]
//	relax.sweeps: 80
//
// It may also list the components of a mixed batch. Values have the same syntax in files and in arguments. A length may
// have a unit (m, cm, mm, km), and so may an angle (rad, deg). A range is [a, b] or a:b. Quotes around a value are
// optional.
package settings

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// Setting is a field with its value, or all components of a mixture.
type Setting[C any] struct {
	Field  config.Field[C]
	Value  any       // of the type that config.Field.Set expects
	Origin string    // where the value was set: "race.yaml:3", "--set"
	Mix    []Part[C] // components of a mixture; if not nil, Field and Value are unused
}

// Parse parses text as the value of the named field, or as a mixture if name is mix. Errors start with the origin.
func (l Language[C]) Parse(name, text, origin string) (Setting[C], error) {
	if name == mixField {
		s, err := l.parseMix(text, origin)
		switch {
		case err == nil:
			return s, nil
		case origin != mixFlag: // which names the field
			err = fmt.Errorf("%s: %w", mixField, err)
		}
		return Setting[C]{}, fmt.Errorf("%s: %w", origin, err)
	}
	field, err := l.lookUp("", name)
	if err != nil {
		return Setting[C]{}, fmt.Errorf("%s: %w", origin, err)
	}
	value, err := parseValue(field, text)
	if err != nil {
		return Setting[C]{}, fmt.Errorf("%s: %w", origin, err)
	}
	return Setting[C]{Field: field, Value: value, Origin: origin}, nil
}

// Assignments parses arguments of the form key=value. Each key may occur once. The error joins the errors of all
// arguments.
func (l Language[C]) Assignments(arguments []string, origin string) ([]Setting[C], error) {
	var list []Setting[C]
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
			wrong = append(wrong, fmt.Errorf("%s: %s must be of the form key=value, for example %s", origin,
				quote(argument), l.example))
			continue
		case seen[name]:
			wrong = append(wrong, fmt.Errorf("%s: %s is set twice", origin, name))
			continue
		}
		setting, err := l.Parse(name, text, origin)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		seen[name] = true
		list = append(list, setting)
	}
	return list, errors.Join(wrong...)
}

// Apply stores the settings in c and returns the origin of each field that is set. Later settings override earlier
// ones. The components of a mixture are applied last: each starts with the fields of c. If no setting names a
// generator, a mixture sets it to mixed.
func (l Language[C]) Apply(c *C, list []Setting[C]) (origins map[string]string, err error) {
	origins = make(map[string]string, len(list))
	var mix *Setting[C]
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
			generator, _ := l.kind.Named(generatorField)
			wrong = append(wrong, generator.Set(c, mixed))
		}
		origins[mixField] = mix.Origin
		wrong = append(wrong, l.applyMix(c, mix.Mix, origins)...)
	}
	return origins, errors.Join(wrong...)
}

// Locate returns err, an error of the Validate of a configuration, with each message prefixed by the origin of its
// field.
func Locate(err error, origins map[string]string) error {
	if err == nil {
		return nil
	}
	var located []error
	for _, part := range Parts(err) {
		var wrong *config.Error
		if errors.As(part, &wrong) {
			if origin := origins[wrong.Field]; origin != "" {
				part = fmt.Errorf("%s: %w", origin, part)
			}
		}
		located = append(located, part)
	}
	return errors.Join(located...)
}

// joinedType is the type of the errors of errors.Join. Other types that wrap several errors add text of their own.
var joinedType = reflect.TypeOf(errors.Join(errNesting))

// Parts splits an error of errors.Join, or one with a method Parts() []error, into its parts, recursively. It returns
// any other error as a single part.
func Parts(err error) []error {
	var joined []error
	switch e := err.(type) { //nolint:errorlint // the parts of err itself, not of an error that it wraps
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

// Override returns the settings of earlier except those that later ones replace: a generator in later replaces a
// mixture, and a mixture in later replaces a generator.
func Override[C any](earlier, later []Setting[C]) []Setting[C] {
	void := make(map[string]bool)
	for _, s := range later {
		switch {
		case s.Mix != nil:
			void[generatorField] = true
		case s.Field.Name == generatorField && s.Value != mixed:
			void[mixField] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(earlier), func(s Setting[C]) bool { return void[s.Name()] })
}

const (
	generatorField = "generator"
	mixed          = "mixed" // generator of a mixed batch
)

// Names returns the names of all fields, and mix.
func (l Language[C]) Names() []string {
	names := []string{mixField}
	for _, f := range l.kind.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// isGroup reports whether name is the name of a group of fields.
func (l Language[C]) isGroup(name string) bool {
	return name != "" && slices.ContainsFunc(l.kind.Groups(),
		func(g config.Group) bool { return g.Name == name })
}

// listed returns the part of error messages that says where to find all names.
func (l Language[C]) listed() string { return " (" + l.command + " lists all fields)" }

// elsewhereError is the error for a field that only the configuration of another kind of course has.
type elsewhereError struct{ name, course, listed string }

// Error implements error.
func (e *elsewhereError) Error() string {
	return fmt.Sprintf("unknown field %s: it is a setting of --course %s%s", quote(e.name), e.course, e.listed)
}

// lookUp returns the field with this name. Its error explains the name of a group, translates a name of the reference
// system, and suggests the nearest name for a misspelt one. The error has prefix in front of the names.
func (l Language[C]) lookUp(prefix, name string) (config.Field[C], error) {
	field, ok := l.kind.Named(name)
	if ok {
		return field, nil
	}
	if l.isGroup(name) {
		return field, fmt.Errorf("%s is a group of fields, not a field: give the name of one in it%s", prefix+name,
			l.listed())
	}
	if meant, ok := l.kind.OfReference(name); ok {
		return field, fmt.Errorf("unknown field %s: its name is %s%s%s", quote(prefix+name), prefix, meant.Name, l.listed())
	}
	if strings.HasPrefix(name, mixField+".") || strings.HasPrefix(name, mixField+"[") {
		return field, fmt.Errorf("unknown field %s: the components of a mixed batch are one setting: give "+
			"generators with weights as mix=bezier=2,polar, or components with their fields as a list in a file%s",
			quote(name), l.listed())
	}
	if course := l.elsewhere(name); course != "" {
		return field, &elsewhereError{name: prefix + name, course: course, listed: l.listed()}
	}
	return field, fmt.Errorf("unknown field %s%s%s", quote(prefix+name), l.didYouMean(name, prefix != ""), l.listed())
}

// didYouMean returns a phrase with the field that the user most likely intended, or "" if there is none. It compares
// name with full names, and then what follows its last dot with names within groups and with names of the reference
// system. The part before the dot must be a group, or the part after it must be correct: a name with mistakes in both
// could be any. In a component of a mixture, it compares with the fields that a component may set.
func (l Language[C]) didYouMean(name string, inPart bool) string {
	group, leaf := "", name
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		group, leaf = name[:dot], name[dot+1:]
	}
	var words, leaves, references []string
	full := make(map[string]string)
	add := func(list *[]string, word, means string) {
		if _, known := full[word]; !known && word != "" {
			full[word] = means
			*list = append(*list, word)
		}
	}
	if inPart {
		add(&words, weightField, weightField)
	} else {
		add(&words, mixField, mixField)
	}
	for _, f := range l.kind.Fields() {
		if inPart && f.Shared() {
			continue
		}
		add(&words, f.Name, f.Name)
		add(&words, f.Group(), f.Group())
		add(&leaves, f.Leaf(), f.Name)
		add(&references, f.Reference, f.Name)
	}
	nearest := suggest.Nearest(name, words)
	if nearest == "" {
		nearest = suggest.Nearest(leaf, append(leaves, references...))
		if group != "" && !l.isGroup(group) && nearest != leaf {
			nearest = ""
		}
	}
	if nearest == "" {
		return ""
	}
	return `; did you mean "` + full[nearest] + `"?`
}
