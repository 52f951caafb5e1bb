package main

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore/world"
)

// exploredRequests are settings of the page whose commands and files are tried in a shell.
var exploredRequests = []world.Request{
	{Course: world.CourseTracks, Envs: 24},
	{Course: world.CourseTracks, Envs: 5, Seed: -7, Epoch: 3, Settings: map[string]string{"generator": "hull",
		"road.half_width": "7 cm", "variation.half_width_range": "[0.05, 0.08]", "relax.enabled": "true"}},
	{Course: world.CourseTracks, Seeds: []int64{9, 3, 3, -1}, Settings: map[string]string{"banking.profile": "curvature"}},
	{Course: world.CourseTracks, Envs: 12, Mix: []world.Component{{Generator: "bezier", Weight: 2},
		{Generator: "voronoi", Weight: 0.5}}, Settings: map[string]string{"voronoi.layout": "clustered"}},
	{Course: world.CourseTracks, Envs: 12, Seed: 4, Mix: []world.Component{{Generator: "bezier", Weight: 1,
		Settings: map[string]string{"bezier.handle_length_range": "[0.2, 0.3]", "bezier.style_sampling": "true"}},
		{Generator: "bezier", Weight: 1}}, Settings: map[string]string{"candidates": "2"}},
	{Course: world.CourseGates, Envs: 6, Seed: 2, Settings: map[string]string{"generator": "polar", "gate.width": "6cm"}},
}

// asked returns the first frame of an answer of a world.
func asked(t *testing.T, w *world.World, call string, r world.Request, file []byte) (head map[string]any, body []byte) {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	err = w.Call(t.Context(), call, text, file, func(f world.Frame) error {
		if head != nil {
			return nil
		}
		text, err := json.Marshal(f.Head)
		if err != nil {
			return err
		}
		body = f.Body
		return json.Unmarshal(text, &head)
	})
	require.NoError(t, err)
	return head, body
}

// exploredWorld returns a world whose files have the version of the command that tests run.
func exploredWorld(t *testing.T) *world.World {
	t.Helper()
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	w := world.New(device, world.Options{Version: version()})
	t.Cleanup(func() { w.Close(); require.NoError(t, device.Close()) })
	return w
}

// inShell runs lines in a shell, in a folder.
func inShell(t *testing.T, folder, lines string) {
	t.Helper()
	command := exec.Command("sh", "-e", "-c", lines)
	command.Dir = folder
	command.Env = append(os.Environ(), "TRACKGEN_DEVICE=cpu")
	output, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s\n%s", lines, output)
}

// The command that the page copies, and the file that it saves, make the tracks of the page: the files are equal byte
// for byte to those that the page exports.
func TestExploredCommandMakesTheSameFile(t *testing.T) {
	t.Parallel()
	w := exploredWorld(t)
	for _, r := range exploredRequests {
		r.Format = "npz"
		_, exported := asked(t, w, "export", r, nil)
		r.Format = ""
		described, _ := asked(t, w, "describe", r, nil)
		folder := t.TempDir()
		name := r.Course + ".npz"
		inShell(t, folder, described["command"].(string))
		written, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		assert.True(t, string(exported) == string(written), "%s makes another file", described["command"])

		yaml := described["yaml"].(string)
		require.NoError(t, os.Remove(filepath.Join(folder, name)))
		require.NoError(t, os.WriteFile(filepath.Join(folder, described["name"].(string)), []byte(yaml), 0o600))
		first, _, _ := strings.Cut(yaml, "\n")
		inShell(t, folder, strings.TrimPrefix(first, "# "))
		written, err = os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		assert.True(t, string(exported) == string(written), "%s makes another file", first)
	}
}

// The commands for driving, for statistics and for circuits run, and the circuit is that of the page.
func TestExploredCommandsRun(t *testing.T) {
	t.Parallel()
	w := exploredWorld(t)
	folder := t.TempDir()
	circuit := []byte(ellipse(1, 5))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Monza it's.csv"), circuit, 0o600))
	ofCircuit := world.Request{Course: world.CourseCircuit, File: "Monza it's.csv", Format: "npz",
		Settings: map[string]string{"reverse": "true", "spacing": "4 m", "recenter": "true", "start_along": "30"}}
	_, exported := asked(t, w, "export", ofCircuit, circuit)
	for _, c := range []struct {
		request world.Request
		files   []string
	}{
		{ofCircuit, []string{"circuit.npz"}},
		{world.Request{Course: world.CourseTracks, Envs: 3, Format: "drive", Drive: world.Drive{Brave: 1.2, Laps: 2,
			Line: "racing", Settings: map[string]string{"ends.stuck_time": "2"}}}, []string{"tracks.npz", "driven.png"}},
		{world.Request{Course: world.CourseGates, Envs: 2, Format: "drive", Settings: map[string]string{
			"gate.width": "0.06"}}, []string{"gates.npz", "driven.png"}},
		{world.Request{Course: world.CourseTracks, Envs: 30, Format: "statistics"}, []string{"tracks.npz", "stats.png"}},
	} {
		described, _ := asked(t, w, "describe", c.request, nil)
		inShell(t, folder, described["command"].(string))
		for _, name := range c.files {
			require.FileExists(t, filepath.Join(folder, name), described["command"])
			if name == "circuit.npz" {
				written, err := os.ReadFile(filepath.Join(folder, name))
				require.NoError(t, err)
				assert.True(t, string(exported) == string(written), described["command"])
			}
			require.NoError(t, os.Remove(filepath.Join(folder, name)))
		}
	}
}

// The times of laps on the page are those of trackgen drive.
func TestExploredLapTimes(t *testing.T) {
	t.Parallel()
	w := exploredWorld(t)
	r := world.Request{Course: world.CourseTracks, Envs: 2, Seed: 3}
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var last []byte
	require.NoError(t, w.Call(t.Context(), "drive", text, nil, func(f world.Frame) error { last = f.Body; return nil }))
	output, err := exec.Command("trackgen", "drive", "--envs", "2", "--seed", "3", "--format", "json", "--quiet").Output()
	require.NoError(t, err)
	var report struct {
		Tracks []struct {
			Best float64 `json:"best_lap"`
		} `json:"vehicles"`
	}
	require.NoError(t, json.Unmarshal(output, &report), string(output))
	require.Len(t, report.Tracks, 2)
	for e, driven := range report.Tracks {
		word := last[4*(10*e+7):]
		lap := math.Float32frombits(uint32(word[0]) | uint32(word[1])<<8 | uint32(word[2])<<16 | uint32(word[3])<<24)
		assert.InDelta(t, driven.Best, float64(lap), 1e-5)
	}
}

// The command prints a link under which the page answers, begins with the given configuration, and ends with a signal
// as a run that is done.
func TestExploreRuns(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	command := exec.CommandContext(ctx, "trackgen", "explore", "--quiet", "--set", "road.half_width=7cm", "--seed", "5")
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	link, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	base, token, found := strings.Cut(strings.TrimSpace(link), "/#token=")
	require.True(t, found, link)
	require.True(t, strings.HasPrefix(base, "http://127.0.0.1:"), link)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/call/tables",
		strings.NewReader("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	require.NoError(t, err)
	request.Header.Set("X-Trackgen-Token", token)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	head, _, err := world.ReadFrame(answer.Body, 0)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	var tables world.Tables
	require.NoError(t, json.Unmarshal(head, &tables))
	assert.Equal(t, &world.Request{Course: world.CourseTracks, Seed: 5,
		Settings: map[string]string{"road.half_width": "0.07"}}, tables.Start)
	require.NoError(t, command.Process.Signal(syscall.SIGINT))
	require.NoError(t, command.Wait(), "exit code 0")
}
