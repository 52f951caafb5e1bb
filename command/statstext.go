package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/trackgen-go/trackgen/export"
)

// statsCounts counts the envs of a report of stats, or those of one component.
type statsCounts struct {
	envs, valid int
	yield       float64
	reasons     export.ReasonCounts
}

// cells returns the cells that the row of a component begins with.
func (c statsCounts) cells(name string, weight float64) []string {
	yield := "-"
	if c.envs > 0 {
		yield = fmt.Sprintf("%.4f", c.yield)
	}
	return []string{name, fmt.Sprintf("%.4g", weight), fmt.Sprint(c.envs), fmt.Sprint(c.valid), yield}
}

// statsText is the text of a report of stats: names, in a column of the given width, and values.
type statsText struct {
	strings.Builder
	width int
}

// line appends a line with a name and a formatted value.
func (t *statsText) line(name, format string, args ...any) {
	fmt.Fprintf(t, "%-*s"+format+"\n", append([]any{t.width, name}, args...)...)
}

// head appends the lines that reports begin with. things is what the envs hold.
func (t *statsText) head(file, generator, things string, c statsCounts) {
	t.line("file", "%s", file)
	if generator != "" {
		t.line("generator", "%s", generator)
	}
	t.line(things, "%d", c.envs)
	t.line("valid", "%d", c.valid)
	if len(c.reasons) > 0 {
		t.line("not valid", "%s", reasonCountsText(c.reasons))
	}
	t.line("yield", "%.4f", c.yield)
}

// write writes the text and, below it, the table of the components, if there is one.
func (t *statsText) write(w io.Writer, columns int, components *table) error {
	lines := func(w io.Writer) error {
		_, err := io.WriteString(w, t.String())
		return err
	}
	if err := writeFolded(w, columns, lines); err != nil || components == nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return components.write(w, columns)
}
