package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func TestReport(t *testing.T) {
	p := plan{config: tracktest.Config("polar", 200), first: 7, epoch: 3}
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
	assert.Equal(t, map[string]any{"curvature": 2.0, "turning": 1.0}, object["reasons"])
	assert.Equal(t, []any{"a.npz", "a.png"}, object["files"])
}

func TestDevicesReport(t *testing.T) {
	r := listDevices([]trackgen.Backend{
		{Name: "cuda", Err: errors.New("libcuda.so.1 is missing\nand so is the driver")},
		{Name: "vulkan", Devices: []trackgen.DeviceInfo{{Name: "vulkan:0", Backend: "vulkan", Description: "A rasterizer",
			Driver: "25.1", Software: true}}},
		{Name: "cpu", Devices: []trackgen.DeviceInfo{{Name: "cpu", Backend: "cpu", Description: "A processor",
			Driver: "go1.26", Workers: 2, MemoryBytes: 3 << 29}}},
	})
	var text strings.Builder
	require.NoError(t, r.writeTable(&text, "", 0))
	assert.Equal(t, `NAME       DESCRIPTION               DRIVER   WORKERS   MEMORY
cpu        A processor               go1.26   2         1.5 GiB
vulkan:0   A rasterizer (software)   25.1     -         -
cuda: libcuda.so.1 is missing; and so is the driver
`, text.String())
	assert.Len(t, r.Devices, 2)
	assert.Equal(t, []unavailableReport{{"cuda", "libcuda.so.1 is missing; and so is the driver"}}, r.Unavailable)

	text.Reset()
	require.NoError(t, writeJSON(&text, listDevices(nil)))
	assert.JSONEq(t, `{"devices": [], "unavailable": []}`, text.String())
}

func TestPictureTitle(t *testing.T) {
	for want, p := range map[string]picture{
		"1 bezier track": {config: tracktest.Config("bezier", 1), envs: 1, numbers: []int{0}},
		"2 tracks":       {envs: 2, numbers: []int{0, 1}},
		"1 of 2 tracks":  {envs: 2, numbers: []int{1}},
		"1 invalid of 512 polar tracks": {config: tracktest.Config("polar", 1), envs: 512, which: "invalid",
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
