package race_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/race"
)

var updateFields = flag.Bool("update-fields", false, "write docs/race-settings.md anew")

const settingsDocument = "../docs/race-settings.md"

// settingsIntroduction is the beginning of the page, with ~ in place of backquotes.
const settingsIntroduction = `# Settings of races

Everything that can be set about races, by group. ~go test ./race -run TestSettingsPage -update-fields~ writes this page
from ~race.Fields~, which also drives validation and configuration files. [racing.md](racing.md) explains races.

- On the command line, ~trackgen drive --race-set ends.stuck_time=2~, or ~trackgen bench --race --race-set~ and so on.
- In a file for ~drive --race~ or ~bench --race-config~, ~ends.stuck_time: 2~, or ~stuck_time: 2~ further in below
  ~ends:~.
- In Go, the field of a ~race.Config~ that stands beside it here.

The defaults are those of ~race.DefaultConfig~. ~drive~ takes the parameters of the vehicle, and the limits of the speed
that fit it, from ~--vehicle~. What generates tracks is in [settings.md](settings.md), and what generates gates in
[gates.md](gates.md). A length is in metres. Values are ranges [min, max] where each env draws its own.
`

// settingsPage returns the reference page of the settings, with a table for each group.
func settingsPage() string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(settingsIntroduction, "~", "`"))
	group := "none yet"
	for _, f := range race.Fields() {
		if f.Group() != group {
			group = f.Group()
			fmt.Fprintf(&b, "\n## %s\n\n| setting | in Go | default | allowed | meaning |\n|---|---|---|---|---|\n", titleOf(group))
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", f.Name, goPath(f), defaultText(f), f.Allowed(), f.Doc)
	}
	return b.String()
}

func titleOf(group string) string {
	for _, g := range race.Kind().Groups() {
		if g.Name == group {
			return g.Title
		}
	}
	return ""
}

// defaultText returns the value in a race by default: that of the part, unless a race has another one.
func defaultText(f race.Field) string {
	if value := f.Value(race.DefaultConfig()); !reflect.ValueOf(value).IsZero() {
		return config.Text(value)
	}
	return f.DefaultText()
}

// goPath returns the selector of a field in a configuration.
func goPath(f race.Field) string {
	path := f.Path
	if path == "" {
		path = f.Name
	}
	names := strings.Split(path, ".")
	for i, name := range names {
		names[i] = config.GoName(name)
	}
	return strings.Join(names, ".")
}

// The page matches the settings, defaults and ranges of the tables of fields.
func TestSettingsPage(t *testing.T) {
	if *updateFields {
		require.NoError(t, os.WriteFile(settingsDocument, []byte(settingsPage()), 0o644))
		return
	}
	text, err := os.ReadFile(settingsDocument)
	require.NoError(t, err)
	require.Equal(t, settingsPage(), string(text), "write the page anew with -update-fields")
}
