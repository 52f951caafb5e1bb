package command

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program of another module reports the version of TrackGen, not its own.
func TestVersionIsThatOfTrackGen(t *testing.T) {
	trackgen := &debug.Module{Path: modulePath, Version: "v1.2.3"}
	own := debug.Module{Path: "example.com/generator", Version: "v9.9.9"}
	replaced := &debug.Module{Path: modulePath, Version: "v0.0.0", Replace: &debug.Module{Path: "../.."}}
	for want, info := range map[string]*debug.BuildInfo{
		"v1.2.3":  {Main: own, Deps: []*debug.Module{{Path: "example.com/z", Version: "v7.0.0"}, trackgen}},
		"v1.2.4":  {Main: debug.Module{Path: modulePath, Version: "v1.2.4"}},
		"(devel)": {Main: own, Deps: []*debug.Module{replaced}},
	} {
		assert.Equal(t, want, versionIn(info))
	}
}

// The linker sets variables by name, and says nothing about a name that does not exist.
func TestReleasesSetTheVersion(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", ".goreleaser.yaml"))
	require.NoError(t, err)
	variables := map[string]*string{"released": &released, "revision": &revision}
	set := regexp.MustCompile(`-X (\S+)/command\.(\w+)=`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, set, len(variables))
	for _, s := range set {
		assert.Equal(t, modulePath, s[1])
		require.Contains(t, variables, s[2])
		*variables[s[2]] = "set " + s[2]
	}
	t.Cleanup(func() { released, revision = "", "" })
	assert.Equal(t, "set released", version())
	assert.Equal(t, "set revision", commit())
}
