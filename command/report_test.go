package command

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func TestReport(t *testing.T) {
	p := plan{config: tracktest.Config("polar", 200), schedule: schedule{first: 7, epoch: 3}}
	summary := export.Summary{
		Envs: 200, Valid: 197, Yield: 0.985, Reasons: export.ReasonCounts{{Reason: "curvature", Envs: 2},
			{Reason: "turning", Envs: 1}},
		Length: &export.Statistics{Min: 2.5, Mean: 4.98765, Median: 4.9, Max: 12},
		Points: &export.Statistics{Min: 40, Mean: 83.33, Median: 82, Max: 200},
	}
	info := trackgen.DeviceInfo{Name: "cpu", Backend: "cpu", Description: "A processor", Workers: 4}
	r := newReport(p, info, summary, new(origins), result{counters: trackgen.Counters{Truncated: 1, Dropped: 2},
		elapsed: 250 * time.Millisecond}, []string{"a.npz", "a.png"})
	var text strings.Builder
	require.NoError(t, r.writeText(&text))
	assert.Equal(t, `200 polar tracks
  seeds      7 to 206, epoch 3
  valid      197 of 200 (98.5 %)
  not valid  curvature 2, turning 1
  length     mean 4.988, median 4.9, from 2.5 to 12
  points     mean 83.33, median 82, from 40 to 200
  note       truncated: 1 of the loops needs more points than N_max: raise output.max_points (384), or output.spacing (0.06)
  time       250ms, 800 tracks/s
  device     cpu: A processor, 4 workers
  wrote      a.npz
  wrote      a.png
`, text.String())

	text.Reset()
	require.NoError(t, writeJSON(&text, r))
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(text.String()), &object))
	assert.Equal(t, "polar", object["generator"])
	assert.InDelta(t, 0.985, object["yield"], 0)
	assert.InDelta(t, 206, object["last_seed"], 0)
	assert.InDelta(t, 2, object["cache_overflows"], 0)
	assert.InDelta(t, 800, object["tracks_per_second"], 0)
	notes, _ := object["notes"].([]any)
	require.Len(t, notes, 2)
	assert.Contains(t, notes[0], "truncated: 1 of the loops needs more points than N_max: raise output.max_points (384)")
	assert.Contains(t, notes[1], "cache_overflows: 2 times the relaxation found more than 16 points close to a point")
	assert.Equal(t, map[string]any{"curvature": 2.0, "turning": 1.0}, object["reasons"])
	assert.Equal(t, []any{"a.npz", "a.png"}, object["files"])
}

// A track is narrow if its hole, as a circle, is no wider than its road: its length is at most 2 pi widths.
func TestNarrowTracks(t *testing.T) {
	const n = 3
	batch := trackgen.NewBatch(4, n)
	batch.WidthRight, batch.WidthLeft = make([]float32, 4*n), make([]float32, 4*n)
	for e, length := range []float32{6.2, 6.3, 6.2, 31} { // 2 pi widths are 6.283, and 31.4 for the last track
		batch.Length[e], batch.Valid[e] = length, 1
		batch.WidthRight[e*n], batch.WidthLeft[e*n] = 0.4, 0.6
	}
	batch.Valid[2] = 0
	batch.WidthRight[3*n], batch.WidthLeft[3*n] = 2, 3
	from := new(origins)
	from.add(batch)
	assert.Equal(t, 2, from.narrow)

	config := tracktest.Config("bezier", 4)
	config.Road.HalfWidth = 0.5
	r := newReport(plan{config: config}, trackgen.DeviceInfo{}, export.Summary{Envs: 4, Valid: 3}, from, result{}, nil)
	assert.Equal(t, []string{"narrow: 2 of 3 valid tracks are little more than a ring around a hole no wider than the " +
		"road: lower road.half_width (0.5), or enlarge scale (1)"}, r.Notes)
	assert.Equal(t, r.Notes, r.warnings)
}

// Notes name the setting that decides: with drawn widths it is their range, and the spacing is that of each env.
func TestSettingsOfDrawnWidths(t *testing.T) {
	config := tracktest.Config("bezier", 4)
	assert.Equal(t, "0.06", spacingText(config.Resolved()))
	config.Variation.HalfWidthRange = trackgen.Range{Min: 0.06, Max: 0.12}
	assert.Equal(t, "0.6 times the half width", spacingText(config.Resolved()))
	assert.Equal(t, "variation.half_width_range ([0.06, 0.12])", widthSetting(config))

	config.Mix = []trackgen.Component{config.NewComponent(1, "polar"), config.NewComponent(1, "bezier")}
	config.Generator, config.Variation = trackgen.Mixed, config.Mix[0].Variation
	config.Mix[0].Variation.HalfWidthRange = trackgen.Range{}
	assert.Equal(t, "variation.half_width_range of the components", widthSetting(config))
	config.Mix = config.Mix[:1]
	assert.Equal(t, "road.half_width (0.1)", widthSetting(config), "what is not of a component has no effect")
}

func TestDevicesReport(t *testing.T) {
	r := listDevices([]trackgen.Backend{
		{Name: "cuda", Err: errors.New("libcuda.so.1 is missing\nand so is the driver")},
		{Name: "vulkan", Devices: []trackgen.DeviceInfo{{Name: "vulkan:0", Backend: "vulkan", Description: "A rasterizer",
			Driver: "25.1", Software: true}, {Name: "vulkan:1", Backend: "vulkan", Description: "Another", Software: true}}},
		{Name: "cpu", Devices: []trackgen.DeviceInfo{{Name: "cpu", Backend: "cpu", Description: "A processor",
			Driver: "go1.26", Workers: 2, Lanes: 8, MemoryBytes: 3 << 29}}},
	}, func(name string) (trackgen.Device, error) {
		if name == "vulkan:1" {
			return nil, errors.New("x+y is wrong\nand x-y too")
		}
		return listed{denormals: name == "cpu"}, nil
	})
	var text strings.Builder
	require.NoError(t, r.writeTable(&text, "", 0))
	assert.Equal(t, `NAME       DESCRIPTION               DRIVER   WORKERS   LANES   MEMORY    DENORMALS
cpu        A processor               go1.26   2         8       1.5 GiB   kept
vulkan:0   A rasterizer (software)   25.1     -         -       -         flushed
vulkan:1   Another (software)                 -         -       -         -
vulkan:1: x+y is wrong; and x-y too
cuda: libcuda.so.1 is missing; and so is the driver
`, text.String())
	assert.Len(t, r.Devices, 3)
	assert.Equal(t, []unavailableReport{{"cuda", "libcuda.so.1 is missing; and so is the driver"}}, r.Unavailable)

	text.Reset()
	require.NoError(t, writeJSON(&text, r.Devices[1:]))
	assert.JSONEq(t, `[{"name": "vulkan:0", "backend": "vulkan", "description": "A rasterizer", "driver": "25.1",
		"software": true, "denormals": false}, {"name": "vulkan:1", "backend": "vulkan", "description": "Another",
		"driver": "", "software": true, "problem": "x+y is wrong; and x-y too"}]`, text.String())

	text.Reset()
	require.NoError(t, writeJSON(&text, listDevices(nil, nil)))
	assert.JSONEq(t, `{"devices": [], "unavailable": []}`, text.String())
}

// listed is a device of a list.
type listed struct {
	trackgen.Device
	denormals bool
}

func (l listed) Caps() backend.Caps { return backend.Caps{Denormals: l.denormals} }

func (l listed) Close() error { return nil }

func TestPictureTitle(t *testing.T) {
	for want, p := range map[string]picture[*trackgen.Batch]{
		"1 bezier track": {generator: "bezier", noun: "track", envs: 1, numbers: []int{0}},
		"2 tracks":       {noun: "track", envs: 2, numbers: []int{0, 1}},
		"1 of 2 tracks":  {noun: "track", envs: 2, numbers: []int{1}},
		"1 invalid of 512 polar gate courses": {generator: "polar", noun: "gate course", envs: 512, which: "invalid",
			numbers: []int{7}},
	} {
		assert.Equal(t, want, p.title())
	}
}

// An error of the input keeps the parts of the error that it wraps, and errors.Is still finds them.
func TestInputErrors(t *testing.T) {
	assert.NoError(t, badInput(nil))
	one, two := errors.New("one"), errors.New("two")
	err := badInput(errors.Join(one, two))
	require.EqualError(t, err, "one\ntwo")
	require.ErrorIs(t, err, two)
	var input *inputError
	require.ErrorAs(t, err, &input)
	assert.Len(t, input.parts, 2)
}
