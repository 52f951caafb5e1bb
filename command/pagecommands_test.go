package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runElsewhere are pages whose commands other tests run, by the names of the tests.
var runElsewhere = map[string]string{
	"docs/f1tenth.md":             "TestCommandsOfTheF1TENTHPage",
	"docs/course.md":              "TestPicturesOfTheCoursePage",
	"docs/writing-a-generator.md": "TestGenerator",
}

// notRun are beginnings of commands of pages that TestCommandsOfPages does not run, and why.
var notRun = map[string]string{
	"trackgen explore":                     "serves until it is ended: TestExploreRuns",
	"trackgen verify":                      "a minute: testdata/script/verify.txtar",
	"trackgen ledger check":                "half a minute: testdata/script/ledger.txtar",
	"trackgen bench":                       "a minute: testdata/script/bench.txtar",
	"trackgen devices":                     "opens the devices of this machine: testdata/script/devices.txtar",
	"trackgen dataset":                     "hours: testdata/script/dataset.txtar",
	"trackgen man":                         "needs man, or writes into the home directory: testdata/script/man.txtar",
	"trackgen graph --regenerate --format": "needs Graphviz: testdata/script/graph.txtar",
	"trackgen import track.csv":            "needs a circuit: testdata/script/import_columns.txtar",
	"trackgen import line.csv":             "needs a circuit: testdata/script/import_columns.txtar",
	"trackgen import borders.csv":          "needs a circuit: testdata/script/import_forms.txtar",
	"trackgen import --left":               "needs a circuit: testdata/script/import_forms.txtar",
	"trackgen import small_track.csv":      "needs a circuit: testdata/script/import_forms.txtar",
	"trackgen import reinvent_base.npy":    "needs a circuit: testdata/script/import_forms.txtar",
	"trackgen import circuit.geojson":      "needs a circuit: testdata/script/import_forms.txtar",
	"git clone":                            "another host",
	"make ":                                "builds or tests everything",
	"mkdir ../mine":                        "makes a module beside this one",
	"go mod edit":                          "changes a module beside this one",
	"go run ./":                            "programs of this module, which their own tests run",
	"go tool pprof":                        "reads a profile of a benchmark",
	"export VK_DRIVER_FILES":               "sets the drivers of this machine",
	"emulate=":                             "make test runs the emulator",
	"$emulate":                             "make test runs the emulator",
	"TRACKGEN_EMULATE=ptx":                 "make test runs the emulator",
	"scp ":                                 "another machine",
	"ssh ":                                 "another machine",
	"jq ":                                  "a program of others",
	"ros2 ":                                "a program of others",
	"git tag":                              "changes the repository: scripts/release-check.sh tags a clone",
	"git push":                             "publishes",
	"scripts/release.sh":                   "builds a release: scripts/release-check.sh",
	"GITHUB_TOKEN=":                        "publishes",
	"python3 -m twine":                     "publishes",
	"sha256sum --check":                    "needs a release: scripts/release-check.sh",
	"go install github.com":                "needs a published version",
	"python3 -m pip":                       "needs a published version",
	"python3 -m venv":                      "make wheel installs the package and tests it",
	"pip install":                          "make wheel installs the package and tests it",
}

// pageCommands returns the commands of a page, each as one line without its comment.
func pageCommands(page []byte) (commands []string) {
	for _, block := range shellBlock.FindAllSubmatch(page, -1) {
		text := strings.ReplaceAll(string(block[1]), "\\\n", " ")
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, " #")
			if line = strings.TrimSpace(line); line != "" {
				commands = append(commands, line)
			}
		}
	}
	return commands
}

// Commands of pages run, in the order of the pages, except those of notRun, all of which a page has.
func TestCommandsOfPages(t *testing.T) {
	if testing.Short() {
		t.Skip("generates thousands of tracks")
	}
	t.Parallel()
	root, folder := "..", t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Monza.csv"), []byte(ellipse(1, 5)), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "out"), 0o755))
	runIn(t, folder, "trackgen generate --quiet --envs 12 --set elevation.profile=uniform --set elevation.max=0.3 "+
		"--out hills.npz")
	pages := []string{"README.md"}
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	for _, path := range docs {
		pages = append(pages, "docs/"+filepath.Base(path))
	}
	used, ran := map[string]bool{}, 0
	for _, name := range pages {
		page, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		if runElsewhere[name] != "" {
			continue
		}
		if block := yamlBlock.FindSubmatch(page); block != nil && name == "docs/batches.md" {
			require.NoError(t, os.WriteFile(filepath.Join(folder, "mix.yaml"), block[1], 0o600))
		}
		for _, line := range pageCommands(page) {
			if reason := reasonNotToRun(line); reason != "" {
				used[reason] = true
				continue
			}
			ran++
			command := exec.Command("sh", "-c", line)
			command.Dir, command.Env = folder, append(os.Environ(), "TRACKGEN_DEVICE=cpu")
			output, err := command.CombinedOutput()
			assert.NoErrorf(t, err, "%s: %s\n%s", name, line, bytes.TrimSpace(output))
		}
	}
	assert.GreaterOrEqual(t, ran, 25)
	for begins := range notRun {
		assert.True(t, used[begins], "no page has a command that begins with %q", begins)
	}
}

// yamlBlock matches a file of settings of a page.
var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// reasonNotToRun returns the key of notRun for a command, or "".
func reasonNotToRun(line string) string {
	for begins := range notRun {
		if strings.HasPrefix(line, begins) {
			return begins
		}
	}
	return ""
}

// The tests that run the commands of other pages exist, and their pages too.
func TestPagesThatAreRunElsewhere(t *testing.T) {
	var sources []byte
	for _, pattern := range []string{"*_test.go", filepath.Join("..", "*_test.go"),
		filepath.Join("..", "examples", "*_test.go"), filepath.Join("..", "cmd", "kernelgen", "*_test.go")} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			sources = append(sources, text...)
		}
	}
	for page, test := range runElsewhere {
		assert.FileExists(t, filepath.Join("..", page))
		assert.True(t, bytes.Contains(sources, []byte("func "+test+"(")), "%s of %s", test, page)
	}
	var scripts []string
	for _, reason := range notRun {
		scripts = append(scripts, regexp.MustCompile(`testdata/\S+`).FindAllString(reason, -1)...)
	}
	slices.Sort(scripts)
	for _, path := range slices.Compact(scripts) {
		assert.FileExists(t, path)
	}
}
