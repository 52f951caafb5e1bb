package trackgen_test

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"
)

// release is a section of the changelog.
type release struct {
	version string // with v; "" is what is not released
	date    string
	kinds   []string
}

var (
	releaseHeading = regexp.MustCompile(`^## \[([^]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$`)
	kindsOfChange  = []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
)

// releasesOf reads a changelog in the form of Keep a Changelog 1.1.0. It returns an error for another form.
func releasesOf(text string) (list []release, err error) {
	if !strings.HasPrefix(text, "# Changelog\n") {
		return nil, fmt.Errorf("line 1: must be # Changelog")
	}
	for number, line := range strings.Split(text, "\n") {
		wrong := func(what string) error { return fmt.Errorf("line %d, %q: %s", number+1, line, what) }
		switch {
		case strings.HasPrefix(line, "## "):
			m := releaseHeading.FindStringSubmatch(line)
			if m == nil {
				return nil, wrong("must be ## [Unreleased] or ## [1.2.3] - 2026-12-31")
			}
			r := release{version: "v" + m[1], date: m[2]}
			if m[1] == "Unreleased" {
				r.version = ""
			}
			if (r.version == "") != (r.date == "") || r.version == "" && len(list) > 0 {
				return nil, wrong("[Unreleased] comes first and has no date; a release has one")
			}
			if r.version != "" {
				if _, err := time.Parse(time.DateOnly, r.date); err != nil || !semver.IsValid(r.version) {
					return nil, wrong("must have a semantic version and a date")
				}
			}
			list = append(list, r)
		case strings.HasPrefix(line, "### "):
			kind := strings.TrimPrefix(line, "### ")
			if len(list) == 0 || !slices.Contains(kindsOfChange, kind) || slices.Contains(list[len(list)-1].kinds, kind) {
				return nil, wrong("must be one of " + strings.Join(kindsOfChange, ", ") + ", once in a release")
			}
			list[len(list)-1].kinds = append(list[len(list)-1].kinds, kind)
		case strings.HasPrefix(line, "- ") && (len(list) == 0 || len(list[len(list)-1].kinds) == 0):
			return nil, wrong("an entry belongs under a heading such as ### Added")
		}
	}
	if !slices.IsSortedFunc(list, func(a, b release) int {
		if a.version == "" || b.version == "" {
			return cmp.Compare(a.version, b.version)
		}
		return semver.Compare(b.version, a.version)
	}) {
		return nil, fmt.Errorf("the releases must be in order, the newest first")
	}
	return list, nil
}

func TestFormOfTheChangelog(t *testing.T) {
	text, err := os.ReadFile("CHANGELOG.md")
	require.NoError(t, err)
	list, err := releasesOf(string(text))
	require.NoError(t, err)
	require.NotEmpty(t, list)
	assert.Empty(t, list[0].version, "a section for what is not released")
	for wrong, want := range map[string]string{
		"# Changes\n":                                                       "line 1",
		"# Changelog\n## Unreleased\n":                                      "line 2",
		"# Changelog\n## [Unreleased]\n- x\n":                               "line 3",
		"# Changelog\n## [Unreleased]\n### News\n":                          "line 3",
		"# Changelog\n## [1.0.0]\n":                                         "line 2",
		"# Changelog\n## [1.0.0] - 2026-02-30\n":                            "line 2",
		"# Changelog\n## [1.0] - 2026-02-03 x\n":                            "line 2",
		"# Changelog\n## [0.1.0] - 2026-02-03\n## [0.2.0] - 2026-02-04\n":   "newest first",
		"# Changelog\n## [0.1.0] - 2026-02-03\n## [Unreleased]\n":           "line 3",
		"# Changelog\n## [0.1.0] - 2026-02-03\n### Added\n- x\n### Added\n": "line 5",
	} {
		_, err := releasesOf(wrong)
		assert.ErrorContains(t, err, want, "%q", wrong)
	}
	list, err = releasesOf("# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-31\n\n### Fixed\n\n- x\n\n" +
		"## [0.1.0] - 2026-12-01\n")
	require.NoError(t, err)
	assert.Equal(t, []release{{}, {"v0.2.0", "2026-12-31", []string{"Fixed"}}, {"v0.1.0", "2026-12-01", nil}}, list)
}
