package command

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
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
