package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/required"
)

// writeManPages writes all pages with a fixed date and returns the folder.
func writeManPages(t *testing.T) string {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	folder := filepath.Join(t.TempDir(), "share", "man1")
	var stdout, stderr bytes.Buffer
	code := newApp(strings.NewReader(""), &stdout, &stderr).execute(t.Context(), []string{"man", "--out", folder})
	require.Equal(t, exitDone, code, stderr.String())
	assert.Empty(t, stdout.String())
	return folder
}

// Every command that the help lists has a page, with its name, its date and all its flags.
func TestManPages(t *testing.T) {
	folder := writeManPages(t)
	pages := 0
	eachCommand(t, func(command *cobra.Command) {
		pages++
		name := strings.ReplaceAll(command.CommandPath(), " ", "-")
		text, err := os.ReadFile(filepath.Join(folder, name+".1"))
		require.NoError(t, err)
		page := string(text)
		assert.Contains(t, page, `.TH "`+strings.ToUpper(name)+`" "1" "1970-01-02" "trackgen `)
		assert.Contains(t, page, ".SH NAME\n"+name+" - ")
		assert.Contains(t, page, ".SH SYNOPSIS\n\\fB"+command.CommandPath())
		command.LocalFlags().VisitAll(func(f *pflag.Flag) {
			assert.Contains(t, page, `\fB--`+f.Name+`\fP`, command.CommandPath())
		})
	})
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, pages)
}

// Programs that show manual pages report no warnings about them.
func TestManPagesAreWellFormed(t *testing.T) {
	folder := writeManPages(t)
	pages, err := filepath.Glob(filepath.Join(folder, "*.1"))
	require.NoError(t, err)
	run := func(t *testing.T, program string, arguments ...string) string {
		t.Helper()
		path := required.Program(t, program)
		command := exec.Command(path, arguments...)
		command.Env = append(os.Environ(), "MANWIDTH=80", "LC_ALL=C.UTF-8")
		output, err := command.CombinedOutput()
		require.NoError(t, err, string(output))
		return string(output)
	}
	t.Run("mandoc", func(t *testing.T) {
		assert.Empty(t, run(t, "mandoc", append([]string{"-T", "lint", "-W", "warning"}, pages...)...))
	})
	t.Run("man", func(t *testing.T) {
		for _, page := range pages {
			for line := range strings.Lines(run(t, "man", "--warnings", "-E", "UTF-8", "-l", page)) {
				if !strings.Contains(line, "cannot adjust line") { // a long word in a narrow column
					assert.NotContains(t, line, "warning", page)
				}
			}
		}
		text := run(t, "man", "-l", filepath.Join(folder, "trackgen-generate.1"))
		words := strings.Join(strings.Fields(text), " ")
		assert.Contains(t, words, "OPTIONS --car-width length ")
		assert.Contains(t, words, "-n, --envs number how many tracks or courses, 1 to 16777216 (default 1)")
		assert.Contains(t, words, "SEE ALSO trackgen(1)")
		assert.Contains(t, words, `--seed 1000 \ --set road.half_width=12cm --out tracks.csv`)
	})
}

func TestMarkdown(t *testing.T) {
	const text = `Arrays [envs, N_max]
*and* <more>.

  .npz  for
        NumPy

  {"a": [1],
   "b": ` + "`c`" + `}
`
	const want = `Arrays \[envs, N\_max\] \*and\* \<more\>.

.npz
: for NumPy

` + "```" + `
{"a": [1], "b": ` + "`c`" + `}
` + "```" + `

`
	assert.Equal(t, want, markdown(text))
}
