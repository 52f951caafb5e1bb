//go:build cgo && linux

package cuda

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

// reportVariable names the file that TestGPUTimes writes its numbers to, as JSON.
const reportVariable = "TRACKGEN_GPU_REPORT"

// report is what was measured on a GPU; times are in milliseconds.
type report struct {
	Device       string
	Driver       string
	Conditionals bool
	Open         float64 // context, probe of conditionals
	Returned     float64 // from the end of a foreign graph until its user object came back
	Generations  []generation
}

// generation is a generator with a number of envs.
type generation struct {
	Generator string
	Envs      int
	First     float64 // memory, PTX compilation and the first generation
	Eager     float64 // median
	Replay    float64 // median, of a graph of the whole generation
	Nodes     int
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// median runs something some times.
func median(t *testing.T, run func() error) float64 {
	var times []time.Duration
	for range 21 {
		begin := time.Now()
		require.NoError(t, run())
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	return milliseconds(times[len(times)/2])
}

// TestGPUTimes measures on a GPU: one table, and a JSON file if asked for.
func TestGPUTimes(t *testing.T) {
	if !onGPU() {
		t.Skipf("times of an emulated driver mean nothing; %s=1 on a machine with a GPU", gpuVariable)
	}
	begin := time.Now()
	d := openTest(t)
	r := report{Device: d.Info().Description, Driver: d.Info().Driver, Conditionals: d.Caps().CaptureConditionals,
		Open: milliseconds(time.Since(begin))}
	if !r.Conditionals {
		t.Logf("no conditionals: %s", d.reason)
	}
	r.Returned = returned(t, d)
	for _, name := range track.Generators() {
		for _, envs := range []int{512, 4096, 8192} {
			r.Generations = append(r.Generations, measure(t, d, name, envs))
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%s, %s, conditionals %v; open %.1f ms, user object returned after %.1f ms\n", r.Device, r.Driver, r.Conditionals, r.Open, r.Returned)
	fmt.Fprintf(&table, "%-12s %6s %10s %10s %10s %6s\n", "generator", "envs", "first ms", "eager ms", "replay ms", "nodes")
	for _, g := range r.Generations {
		fmt.Fprintf(&table, "%-12s %6d %10.1f %10.3f %10.3f %6d\n", g.Generator, g.Envs, g.First, g.Eager, g.Replay, g.Nodes)
	}
	t.Log("\n" + table.String())
	if path := os.Getenv(reportVariable); path != "" {
		data, err := json.MarshalIndent(r, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append(data, '\n'), 0o600))
	}
}

// returned measures how long the driver takes to give back what a graph of somebody else has kept.
func returned(t *testing.T, d *device) float64 {
	o := newOwner(t, start(t, 0, 0))
	main := o.newStream(1)
	s, x := adopt(t, d, main), view(t, d, 10)
	require.NoError(t, d.Load(incrementDef))
	o.must("cuStreamBeginCapture", main, modeThreadLocal)
	require.NoError(t, increment(s, x))
	graph, exec := o.end(main)
	o.replay(exec, main)
	o.destroy(graph, exec)
	begin := time.Now()
	require.Eventually(t, func() bool {
		reap()
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.outstanding == 0
	}, 10*time.Second, 100*time.Microsecond)
	return milliseconds(time.Since(begin))
}

func measure(t *testing.T, d *device, name string, envs int) generation {
	g := generation{Generator: name, Envs: envs}
	begin := time.Now()
	generator, err := track.NewGenerator(d, track.Config{Generator: name, NumEnvs: envs})
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	s := d.DefaultStream()
	generate := func() error {
		if _, err := generator.Generate(t.Context()); err != nil {
			return err
		}
		return s.Sync()
	}
	require.NoError(t, generate())
	g.First = milliseconds(time.Since(begin))
	g.Eager = median(t, generate)
	require.NoError(t, s.BeginCapture())
	_, err = generator.Generate(t.Context())
	require.NoError(t, err)
	whole, err := s.EndCapture()
	require.NoError(t, err)
	g.Nodes = whole.Nodes()
	g.Replay = median(t, func() error {
		if err := s.Replay(whole); err != nil {
			return err
		}
		return s.Sync()
	})
	require.NoError(t, whole.Close())
	return g
}
