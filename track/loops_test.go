package track

import (
	"errors"
	"math"
	"strconv"
	"strings"
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

// A configuration that may need longer loops than the device makes is refused, and the error names the field; the
// defaults fit every device known.
func TestLoopsTooLongForTheDevice(t *testing.T) {
	opened := openCPU(t)
	device := shortLoops{opened}
	for field, config := range map[string]Config{
		"relax_iters":              {RelaxIters: 5000},
		"N_max":                    {NMax: 4000, HalfWidth: 0.01},
		"relax_sep_every":          {RelaxSepEvery: 1, NMax: 500, RelaxIters: 51},
		"max_num_points":           {MaxNumPoints: 200},
		"num_points_per_segment":   {Generator: Hull, NumPointsPerSegment: 1300},
		"voronoi_num_sites":        {Generator: Voronoi, VoronoiNumSites: 12000},
		"num_points":               {Generator: Checkpoint, NumPoints: 500, CheckpointBestOfK: 40, CheckpointClipFallback: true},
		"checkpoint_clip_fallback": {Generator: Checkpoint, NumPoints: 600, CheckpointClipFallback: true},
		"mix[1].voronoi_num_sites": {Mix: []Component{
			{Config: Config{Generator: Polar}}, {Config: Config{Generator: Voronoi, VoronoiNumSites: 12000}},
		}},
		"num_envs": {Generator: Polar, PolarNumKnots: 4, NumPointsPerSegment: 2, NumPoints: 8, HalfWidth: 0.5, NMax: 64,
			NumEnvs: 5_000_000, RelaxEnable: new(false)},
	} {
		_, err := NewGenerator(device, config)
		assert.ErrorIs(t, err, backend.ErrUnsupported, field)
		assert.ErrorContains(t, err, "ends them after 65535", field)
		var wrong *ConfigError
		if assert.ErrorAs(t, err, &wrong, field) {
			assert.Equal(t, field, wrong.Field, err)
		}
		assert.Equal(t, config.CheckDevice(device).Error()[:20], wrong.Error()[:20])
		assert.NoError(t, config.CheckDevice(opened), "the CPU ends no loop")
	}
	for _, config := range []Config{{}, {Generator: Hull}, {Generator: Polar}, {Generator: Voronoi}, {Generator: Checkpoint},
		{Generator: Repulsive}, {Generator: Checkpoint, CheckpointClipFallback: true}, {RelaxIters: 300},
		{NMax: 700, HalfWidth: 0.03}, {RelaxSepCacheSlots: new(24)}, {RelaxSepEvery: 1},
		{Generator: Repulsive, RepulsiveResampleEvery: 1}, {ValidityBorderCheck: true, Candidates: 4}, mixture(0)} {
		assert.NoError(t, config.CheckDevice(device), "%+v", config)
	}
}

// The value that the error allows is the last one with which the device can run the configuration.
func TestAllowedLoopsAreExact(t *testing.T) {
	device := shortLoops{openCPU(t)}
	allowed := func(c Config, bound string) int {
		var wrong *ConfigError
		require.ErrorAs(t, c.CheckDevice(device), &wrong)
		rest, ok := strings.CutPrefix(wrong.Allowed, bound+" ")
		require.True(t, ok, wrong.Allowed)
		number, _, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		return n
	}
	n := allowed(Config{RelaxIters: 5000}, "at most")
	assert.NoError(t, Config{RelaxIters: n}.CheckDevice(device))
	assert.Error(t, Config{RelaxIters: n + 1}.CheckDevice(device))
	n = allowed(Config{RelaxSepEvery: 1, NMax: 500, RelaxIters: 51}, "at least")
	assert.NoError(t, Config{RelaxSepEvery: n, NMax: 500, RelaxIters: 51}.CheckDevice(device))
	assert.Error(t, Config{RelaxSepEvery: n - 1, NMax: 500, RelaxIters: 51}.CheckDevice(device))
}

// Where no field alone is to blame, the one that does most is named.
func TestLoopsTooLongByTwoFields(t *testing.T) {
	err := Config{RelaxIters: 5000, NMax: 4000, HalfWidth: 0.01}.CheckDevice(shortLoops{openCPU(t)})
	assert.ErrorContains(t, err, "relax_iters is 5000: must be nearer to 50, and other fields too, on the device cpu (cpu: ")
	var loops *LoopsError
	require.True(t, errors.As(err, &loops))
	assert.EqualValues(t, 65535, loops.Limit)
	assert.Greater(t, loops.Iterations, int64(math.Pow(2, 20)))

	assert.ErrorIs(t, Config{NMax: -1}.CheckDevice(openCPU(t)), ErrConfig)
	assert.ErrorIs(t, Config{}.CheckDevice(nil), backend.ErrInvalid)
}

// The instrumented twins count the iterations that kernels really make, and find one that makes more than it states.
// These settings bring the kernels near to their bounds, or through their other branches.
func TestLoopBoundsHold(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	for _, c := range []Config{
		{Generator: Polar, RelaxSepEvery: 1, RelaxIters: 3, ValidityBorderCheck: true},
		{Generator: Polar, RelaxSepCacheSlots: new(24), RelaxIters: 3},
		{MinNumPoints: 12, MaxNumPoints: 12, RelaxEnable: new(false), Candidates: 2},
		{Generator: Hull, RelaxEnable: new(false)},
		{Generator: Voronoi, VoronoiLayout: "clustered", RelaxEnable: new(false)},
		{Generator: Checkpoint, CheckpointClipFallback: true, CheckpointTurnRate: 1, RelaxEnable: new(false)},
		{Generator: Repulsive, NumPoints: 64, RepulsiveGrowMultMin: 1.5, RepulsiveGrowMultMax: 1.5,
			RepulsiveResampleEvery: 1, RepulsiveObstacleCountMin: 1, RepulsiveObstacleCountMax: 1, RepulsiveSettleIters: 5,
			HalfWidth: 0.1, RelaxEnable: new(false)},
	} {
		c.NumEnvs = 2
		g, err := NewGenerator(device, c)
		require.NoError(t, err, "%+v", c)
		require.NoError(t, g.Close())
	}
}
