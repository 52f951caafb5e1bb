package gate

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/config"
)

var updatePage = flag.Bool("update-page", false, "write the tables of docs/gates.md")

const page = "../docs/gates.md"

// columnTable returns the table of the columns.
func columnTable() string {
	var b strings.Builder
	b.WriteString("\n\n| column | type, shape | unit | stage | if absent | meaning |\n|---|---|---|---|---|---|\n")
	for _, c := range Schema.Columns() {
		kind, unit := "float32", string(c.Unit)
		if c.Type.String() == "int32" {
			kind = "int32"
		}
		if c.Unit == column.None {
			unit = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s %s | %s | `%s` | %s | %s |\n", c.Name, kind, c.Shape(), unit, c.Stage, c.Absent, c.Doc)
	}
	return b.String() + "\n"
}

// settingTable returns the table of the settings.
func settingTable() string {
	var b strings.Builder
	b.WriteString("\n\n| setting | in TrackGen | default | allowed | meaning |\n|---|---|---|---|---|\n")
	for _, f := range fields.Documented() {
		reference := ""
		if f.Reference != "" {
			reference = "`" + f.Reference + "`"
		}
		unit := map[config.Unit]string{config.Length: " (a length)", config.Angle: " (an angle)"}[f.Unit]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s%s |\n", f.Name, reference, f.DefaultText(), f.Allowed(), f.Doc, unit)
	}
	return b.String() + "\n"
}

// The tables of the page are those of the schema and of the fields, and its program is the example of the front door.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	is, want := string(text), string(text)
	for name, table := range map[string]string{"columns": columnTable(), "settings": settingTable()} {
		before, rest, found := strings.Cut(want, "<!-- "+name+" -->")
		require.True(t, found, name)
		_, after, found := strings.Cut(rest, "<!-- end of "+name+" -->")
		require.True(t, found, name)
		want = before + "<!-- " + name + " -->" + table + "<!-- end of " + name + " -->" + after
	}
	if *updatePage {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, is, "write the tables anew with -update-page")
	_, program, _ := strings.Cut(is, "```go\n")
	program, _, _ = strings.Cut(program, "```")
	example, err := os.ReadFile("../gates_example_test.go")
	require.NoError(t, err)
	for line := range strings.SplitSeq(program, "\n") {
		require.Contains(t, string(example), line)
	}
}
