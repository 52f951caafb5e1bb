package track

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const settingsDocument = "../docs/settings.md"

// settingsIntroduction is the beginning of the page, with ~ in place of backquotes.
const settingsIntroduction = `# Settings

Everything that can be set about tracks, by group. ~go test ./track -run TestSettingsPage -update-fields~ writes this
page from the table of fields in ~track/fieldtable.go~, which also drives validation, ~--set~ and configuration files.

A setting has the same name everywhere:

- on the command line, ~--set relax.sweeps=80~;
- in a configuration file for ~--config~, ~relax.sweeps: 80~, or ~sweeps: 80~ further in below ~relax:~;
  ~trackgen config~ prints such a file, with every setting;
- in Go, ~config.Relax.Sweeps = 80~ on a configuration that began as ~trackgen.DefaultConfig()~.

Lengths are in track units (metres if you say so); on the command line and in files they may carry a unit: m, cm, mm,
km. Angles are in radians, or carry a unit: rad, deg. A range is written [min, max]. A default of 0, of [0, 0] or of []
with words behind it stands for a value that is found from other settings.

Besides these there is ~mix~, the components of a mixed batch: [batches.md](batches.md#mixed-batches). Components
share the settings of the groups Road, Elevation, Banking, Relaxation, Output and Validity, and those of the batch but
for the generator and the scale. [spec/pipeline.md](spec/pipeline.md) says what each setting does to the last bit, and which name it has
in TrackGen.
`

// settingsPage returns the reference page of the settings, with a table for each group.
func settingsPage() string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(settingsIntroduction, "~", "`"))
	group := "none yet"
	for _, f := range fields.Documented() {
		if f.Group() != group {
			group = f.Group()
			fmt.Fprintf(&b, "\n## %s\n\n| setting | default | allowed | meaning |\n|---|---|---|---|\n", titleOf(group))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s%s |\n", f.Name, f.DefaultText(), f.Allowed(), f.Doc, unitNote(f.Unit))
	}
	return b.String()
}

func titleOf(group string) string {
	for _, g := range Groups() {
		if g.Name == group {
			return g.Title
		}
	}
	return ""
}

func unitNote(unit Unit) string {
	return map[Unit]string{Dimensionless: "", Length: " (a length)", Angle: " (an angle)"}[unit]
}

// The page matches the settings, defaults and ranges of the table of fields.
func TestSettingsPage(t *testing.T) {
	if *updateFields {
		require.NoError(t, os.WriteFile(settingsDocument, []byte(settingsPage()), 0o644))
		return
	}
	text, err := os.ReadFile(settingsDocument)
	require.NoError(t, err)
	require.Equal(t, settingsPage(), string(text), "write the page anew with -update-fields")
}
