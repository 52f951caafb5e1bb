package settings

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen/track"
)

// Write writes c as a YAML file that Read accepts, every field with its documentation. Fields that were left to a derived
// default stand there as comments, so that an edited copy of the file still derives them.
func Write(w io.Writer, c track.Config) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "# Configuration of trackgen. A line that is left out takes its default.")
	fmt.Fprintln(out, "# Lengths are in track units (metres, if you say so) and may carry a unit: m, cm, mm, km.")
	fmt.Fprintln(out, "# Angles are in radians, or carry a unit: rad, deg. Ranges are written [min, max], lists [a, b, ...].")
	given := c
	c = c.WithDefaults()
	section := ""
	for _, f := range track.Fields() {
		if f.Section != section {
			section = f.Section
			fmt.Fprintf(out, "\n# ---- %s\n\n", section)
		}
		fmt.Fprintf(out, "# %s: %s\n", f.Doc, f.Allowed())
		switch value := f.Value(c); {
		case f.Value(given) == nil && f.Auto != "" && value != nil:
			fmt.Fprintf(out, "# default: %s\n#%s: %s\n", f.Auto, f.Name, text(value))
		case value == nil:
			fmt.Fprintf(out, "# default: %s\n#%s:\n", f.Auto, f.Name)
		default:
			fmt.Fprintf(out, "%s: %s\n", f.Name, text(value))
		}
	}
	writeMix(out, given)
	return out.Flush()
}

// writeMix writes the components, or how they would look.
func writeMix(out *bufio.Writer, c track.Config) {
	fmt.Fprint(out, "\n# ---- Mixed batch\n\n# the components: each env draws its loop as one of them says, chosen by weight; what a component\n"+
		"# leaves out is as above. generator is mixed then, or left out.\n")
	if len(c.Mix) == 0 {
		fmt.Fprint(out, "# default: none\n#mix:\n#  - generator: bezier\n#    weight: 2\n#  - generator: polar\n")
		return
	}
	fmt.Fprintln(out, "mix:")
	for _, component := range c.WithDefaults().Mix {
		fmt.Fprintf(out, "  - generator: %s\n    weight: %s\n", component.Config.Generator, text(component.Weight))
		for _, f := range track.Fields() {
			if f.Name != "generator" && f.IsSet(component.Config) && f.Value(component.Config) != f.Value(c.WithDefaults()) {
				fmt.Fprintf(out, "    %s: %s\n", f.Name, text(f.Value(component.Config)))
			}
		}
	}
}

// text returns a value as YAML that reads back as the same value.
func text(value any) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch v := value.(type) {
	case float64:
		return number(v)
	case track.Range:
		return "[" + number(v.Min) + ", " + number(v.Max) + "]"
	case []int:
		return strings.ReplaceAll(fmt.Sprint(v), " ", ", ")
	default:
		return fmt.Sprint(v)
	}
}
