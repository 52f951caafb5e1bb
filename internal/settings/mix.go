package settings

import (
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// The components of a mixed batch are one setting: mix. In a file, it is a list:
//
//	mix:
//	  - generator: bezier
//	    weight: 2
//	    bezier:
//	      handle_length_range: [0.2, 0.6]
//	  - generator: polar
//
// Each component sets fields that are not shared: of its first loop, or of the control points of gates. Fields that it
// omits have the values of the rest of the file. In an argument, mix is a list of generators with weights:
// "bezier=2,polar,hull=0.5".

const (
	mixField      = "mix"
	mixFlag       = "--" + mixField
	weightField   = "weight"
	weightAllowed = "a number > 0 and <= 1000000"
	maxParts      = 64
)

// Part is one component of a mixture.
type Part[C any] struct {
	Weight   float64 // 0 if not set
	Origin   string
	Settings []Setting[C]
}

// Name returns the name of the field, or mix.
func (s Setting[C]) Name() string {
	if s.Mix != nil {
		return mixField
	}
	return s.Field.Name
}

// parseMix parses a list of generators with weights.
func (l Language[C]) parseMix(text, origin string) (Setting[C], error) {
	generator, _ := l.kind.Named(generatorField)
	s := Setting[C]{Origin: origin}
	known := make(map[string]bool)
	for item := range strings.SplitSeq(text, ",") {
		name, weight, weighted := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		if err := l.checkGenerator(name); err != nil {
			return Setting[C]{}, err
		}
		if known[name] {
			return Setting[C]{}, fmt.Errorf("%s occurs twice: components of one generator with other settings need a file",
				quote(name))
		}
		known[name] = true
		part := Part[C]{Origin: origin, Settings: []Setting[C]{{Field: generator, Value: name, Origin: origin}}}
		if weighted {
			var err error
			if part.Weight, err = parseWeight(strings.TrimSpace(weight)); err != nil {
				return Setting[C]{}, fmt.Errorf("%s: %w", name, err)
			}
		}
		s.Mix = append(s.Mix, part)
	}
	return s, nil
}

// checkGenerator returns an error if name is not a generator of a component.
func (l Language[C]) checkGenerator(name string) error {
	for _, known := range l.kind.Generators() {
		if name == known {
			return nil
		}
	}
	return fmt.Errorf("generator is %s: must be one of %s%s", quote(name), strings.Join(l.kind.Generators(), ", "),
		suggest.Phrase(name, l.kind.Generators()))
}

func parseWeight(text string) (float64, error) {
	weight, err := parsePlain(text)
	if err != nil || weight <= 0 {
		return 0, fmt.Errorf("%s is %s: must be %s", weightField, quote(text), weightAllowed)
	}
	return weight, nil
}

// applyMix replaces the components of c.
func (l Language[C]) applyMix(c *C, parts []Part[C], origins map[string]string) (wrong []error) {
	generator, _ := l.kind.Named(generatorField)
	var weights []float64
	var singles []C
	for k, part := range parts {
		origins[inPart(k, weightField)] = part.Origin
		origins[inPart(k, generatorField)] = part.Origin
		single := *c
		wrong = append(wrong, generator.Set(&single, generator.Default))
		for _, s := range part.Settings {
			err := s.Field.Set(&single, s.Value)
			if err == nil && s.Field.Shared() {
				err = &config.Error{Field: inPart(k, s.Field.Name), Value: s.Field.Text(single),
					Allowed: "left out: all components share it"}
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", s.Origin, err))
			}
			origins[inPart(k, s.Field.Name)] = s.Origin
		}
		weights, singles = append(weights, cmp.Or(part.Weight, 1)), append(singles, single)
	}
	l.kind.SetComponents(c, weights, singles)
	return wrong
}

// inPart returns the name of a field of component k, in the form that the Validate of configurations uses.
func inPart(k int, name string) string { return fmt.Sprintf("%s[%d].%s", mixField, k, name) }

// readMix reads the components of a file.
func (r *fileReader[C]) readMix(key, list *yaml.Node) {
	s := Setting[C]{Origin: fmt.Sprintf("%s:%d", r.name, key.Line)}
	if list.Kind != yaml.SequenceNode || isReference(list) || len(list.Content) == 0 {
		r.problem(key, "mix must be a list of one component or more, each with fields such as generator and weight")
		return
	}
	if len(list.Content) > maxParts {
		r.problem(key, "mix has %d components: must be at most %d", len(list.Content), maxParts)
		return
	}
	before := len(r.wrong)
	for k, node := range list.Content {
		s.Mix = append(s.Mix, r.readPart(k, node))
	}
	if len(r.wrong) == before {
		r.list = append(r.list, s)
	}
}

// readPart reads component k.
func (r *fileReader[C]) readPart(k int, node *yaml.Node) Part[C] {
	part := Part[C]{Origin: fmt.Sprintf("%s:%d", r.name, node.Line)}
	inner := fileReader[C]{language: r.language, name: r.name, part: inPart(k, ""), lines: make(map[string]int),
		wrong: r.wrong}
	if node.Kind != yaml.MappingNode || isReference(node) {
		r.problem(node, "a component of mix must be lines of the form field: value")
		return part
	}
	for key, value := range pairs(node) {
		switch key.Value {
		case weightField:
			inner.readWeight(key, value, &part)
		case mixField:
			inner.problem(key, "a component of mix is of one generator, and has no mix")
		default:
			inner.readEntry(key, value)
		}
	}
	part.Settings, r.wrong = inner.list, inner.wrong
	return part
}

func (r *fileReader[C]) readWeight(key, value *yaml.Node, part *Part[C]) {
	if !r.first(key, weightField) {
		return
	}
	text, err := scalarText(config.Field[C]{}, value)
	if err != nil { // its text is about the value of a field, and weight is not a field
		r.problem(key, "%s%s must be %s", r.part, weightField, weightAllowed)
		return
	}
	if part.Weight, err = parseWeight(text); err != nil {
		r.problem(key, "%s%w", r.part, err)
	}
}
