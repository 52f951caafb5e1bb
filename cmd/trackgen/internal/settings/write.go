package settings

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen"
)

// Write writes c as a YAML file that Read accepts, with the documentation of every field. Derived values are commented
// out, so that they are still derived after the file is edited.
func Write(w io.Writer, c trackgen.Config) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "# Configuration of trackgen. A line that is left out takes its default.")
	fmt.Fprintln(out, "# Lengths are in track units (metres, if you say so) and may carry a unit: m, cm, mm, km.")
	fmt.Fprintln(out,
		"# Angles are in radians, or carry a unit: rad, deg. Ranges are written [min, max], lists [a, b, ...].")
	titles := make(map[string]string)
	for _, group := range trackgen.FieldGroups() {
		titles[group.Name] = group.Title
	}
	group, indent := "none yet", ""
	for _, f := range trackgen.Fields() {
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
		case f.IsDerived(c) && f.IsDerived(c.Resolved()):
			fmt.Fprintf(out, "%s# default: %s\n%s#%s:\n", indent, f.Derived, indent, f.Leaf())
		case f.IsDerived(c):
			fmt.Fprintf(out, "%s# default: %s\n%s#%s: %s\n", indent, f.Derived, indent, f.Leaf(), f.Text(c.Resolved()))
		default:
			fmt.Fprintf(out, "%s%s: %s\n", indent, f.Leaf(), f.Text(c))
		}
	}
	writeMix(out, c)
	return out.Flush()
}

// writeMix writes the components of a mixture or, if there are none, an example as a comment.
func writeMix(out *bufio.Writer, c trackgen.Config) {
	fmt.Fprint(out,
		"\n# ---- Mixed batch\n\n# the components: each env draws its loop as one of them says, chosen by weight; what a "+
			"component\n"+
			"# leaves out is as above. generator is mixed then, or left out.\n")
	if len(c.Mix) == 0 {
		fmt.Fprint(out, "# default: none\n#mix:\n#  - generator: bezier\n#    weight: 2\n#  - generator: polar\n")
		return
	}
	fmt.Fprintln(out, "mix:")
	for k, component := range c.Components() {
		weight := strconv.FormatFloat(c.Mix[k].Weight, 'g', -1, 64)
		fmt.Fprintf(out, "  - generator: %s\n    weight: %s\n", component.Generator, weight)
		group, indent := "", "    "
		for _, f := range trackgen.Fields() {
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
