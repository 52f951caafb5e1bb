//go:build slow

package race_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/track"
)

// TestSoak makes 10^9 agent-steps: about an hour on two cores. It goes on where it has stopped with -race.first, and
// -race.steps makes less of it.
func init() { *soakSteps, *soakEnvs, *soakLong = 1_000_000_000, 512, 8000 }

// The reference driver laps at least 95 % of 512 unseen tracks of each generator without leaving the road.
func TestLapsOfEveryGenerator(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for _, generator := range []string{track.Bezier, track.Hull, track.Polar, track.Voronoi, track.Checkpoint,
		track.Repulsive} {
		finished, _ := lapsOn(t, device, generator, 512, 20_000, race.Centre)
		assert.GreaterOrEqual(t, finished, 512*95/100, generator)
		finished, _ = lapsOn(t, device, generator, 512, 20_000, race.Racing)
		assert.GreaterOrEqual(t, finished, 512*95/100, "%s, racing lines", generator)
	}
}

// The reference driver flies a lap through the gates of at least 95 % of 512 unseen courses of each generator without
// missing one.
func TestFlightsOfEveryGenerator(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for _, generator := range []string{gate.Bezier, gate.Hull, gate.Polar, gate.Voronoi, gate.Checkpoint, gate.Repulsive} {
		t.Log(generator)
		finished, clean := flightsOn(t, device, openings(t, device, generator, 512), 5000)
		assert.GreaterOrEqual(t, finished, 512*95/100, generator)
		assert.GreaterOrEqual(t, clean, 512*95/100, generator)
	}
}
