package settings

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Write writes c as a YAML file that Read accepts, with the documentation of every field. Derived values are commented
// out, so that they are still derived after the file is edited.
func (l Language[C]) Write(w io.Writer, c C) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "# Configuration of "+l.things+". A line that is left out takes its default.")
	fmt.Fprintln(out, "# Lengths are in track units (metres, if you say so) and may carry a unit: m, cm, mm, km.")
	fmt.Fprintln(out,
		"# Angles are in radians, or carry a unit: rad, deg. Ranges are written [min, max], lists [a, b, ...].")
	titles := make(map[string]string)
	for _, group := range l.kind.Groups() {
		titles[group.Name] = group.Title
	}
	group, indent := "none yet", ""
	for _, f := range l.kind.Fields() {
		if f.Group() != group {
			group = f.Group()
			fmt.Fprintf(out, "\n# ---- %s\n\n", titles[group])
			if group != "" {
				fmt.Fprintf(out, "%s:\n", group)
				indent = "  "
			}
		}
		fmt.Fprintf(out, "%s# %s: %s\n", indent, f.Doc, f.Allowed())
		switch {
		case f.IsDerived(c) && f.IsDerived(l.kind.Resolve(c)):
			fmt.Fprintf(out, "%s# default: %s\n%s#%s:\n", indent, f.Derived, indent, f.Leaf())
		case f.IsDerived(c):
			fmt.Fprintf(out, "%s# default: %s\n%s#%s: %s\n", indent, f.Derived, indent, f.Leaf(), f.Text(l.kind.Resolve(c)))
		default:
			fmt.Fprintf(out, "%s%s: %s\n", indent, f.Leaf(), f.Text(c))
		}
	}
	l.writeMix(out, c)
	return out.Flush()
}

// writeMix writes the components of a mixture or, if there are none, an example as a comment.
func (l Language[C]) writeMix(out *bufio.Writer, c C) {
	components, weights := l.kind.Components(c), l.kind.Weights(c)
	fmt.Fprintf(out,
		"\n# ---- Mixed batch\n\n# the components: each env draws its %s as one of them says, chosen by weight; what a "+
			"component\n"+
			"# leaves out is as above. generator is mixed then, or left out.\n", l.drawn)
	if len(components) == 0 {
		fmt.Fprint(out, "# default: none\n#mix:\n#  - generator: bezier\n#    weight: 2\n#  - generator: polar\n")
		return
	}
	fmt.Fprintln(out, "mix:")
	generator, _ := l.kind.Named(generatorField)
	for k, component := range components {
		weight := strconv.FormatFloat(weights[k], 'g', -1, 64)
		fmt.Fprintf(out, "  - generator: %s\n    weight: %s\n", generator.Text(component), weight)
		group, indent := "", "    "
		for _, f := range l.kind.Fields() {
			if f.Name == generatorField || reflect.DeepEqual(f.Value(component), f.Value(c)) {
				continue
			}
			if f.Group() != group {
				group, indent = f.Group(), strings.Repeat(" ", 6)
				fmt.Fprintf(out, "    %s:\n", group)
			}
			fmt.Fprintf(out, "%s%s: %s\n", indent, f.Leaf(), f.Text(component))
		}
	}
}
