package track

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// shortLoops is a device that ends loops as Mesa's software driver does.
type shortLoops struct{ backend.Device }

func (d shortLoops) Caps() backend.Caps {
	caps := d.Device.Caps()
	caps.LoopIterations = 65535
	return caps
}

// A configuration that may need longer loops than the device makes is refused; the defaults fit every device known.
func TestLoopsTooLongForTheDevice(t *testing.T) {
	opened, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	device := shortLoops{opened}
	for name, config := range map[string]Config{
		"sweeps": {RelaxIters: 5000}, "points": {NMax: 4000, HalfWidth: 0.01}, "dense": {RelaxSepEvery: 1, RelaxIters: 500},
		"samples": {Generator: Polar, PolarNumKnots: 200, NumPointsPerSegment: 600}, "corners": {MaxNumPoints: 200},
		"hull":  {Generator: Hull, NumPointsPerSegment: 1300},
		"sites": {Generator: Voronoi, VoronoiNumSites: 12000},
		"envs":  {Generator: Polar, PolarNumKnots: 4, NumPointsPerSegment: 2, NumPoints: 8, HalfWidth: 0.5, NMax: 64, NumEnvs: 5_000_000, RelaxEnable: new(false)},
		"clips": {Generator: Checkpoint, NumPoints: 600, CheckpointClipFallback: true},
	} {
		_, err := NewGenerator(device, config)
		assert.ErrorIs(t, err, backend.ErrUnsupported, name)
		assert.ErrorContains(t, err, "ends them after 65535", name)
		assert.NoError(t, config.WithDefaults().checkLoops(opened), "the CPU ends no loop")
	}
	for _, config := range []Config{{}, {Generator: Hull}, {Generator: Polar}, {Generator: Voronoi}, {Generator: Checkpoint}, {Generator: Repulsive}, {Generator: Checkpoint, CheckpointClipFallback: true}, {RelaxIters: 300}, {NMax: 700, HalfWidth: 0.03}, {RelaxSepCacheSlots: new(24)}} {
		assert.NoError(t, config.WithDefaults().checkLoops(device), "%+v", config)
	}
}
