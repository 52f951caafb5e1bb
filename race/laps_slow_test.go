//go:build slow

package race_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/track"
)

// The reference driver laps at least 95 % of 512 unseen tracks of each generator without leaving the road.
func TestLapsOfEveryGenerator(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for _, generator := range []string{track.Bezier, track.Hull, track.Polar, track.Voronoi, track.Checkpoint,
		track.Repulsive} {
		assert.GreaterOrEqual(t, lapsOn(t, device, generator, 512, 20_000), 512*95/100, generator)
	}
}

// It stays among finite numbers, and no env is stuck: over many episodes on new tracks, all that a race holds is finite
// where it must be.
func TestManySteps(t *testing.T) {
	device := coursetest.OpenCPU(t)
	l := newLoop(t, device, nil, lively())
	for range 200_000 {
		l.call(t.Context())
	}
	out, err := l.race.Outcomes().Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out.Return {
		assert.False(t, v-v != 0, "return of agent %d is %v", i, v)
	}
	for e, n := range l.episodes() {
		assert.Greater(t, n, int32(200_000/45/2), "episodes of env %d", e)
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
