//go:build cgo && linux

package cuda

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/bench/gpucheck/facts"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// The environment variables by which bench/gpucheck controls the tests that it runs on a GPU.
const (
	reportVariable    = "TRACKGEN_GPU_REPORT"    // the file for the measurements, a JSON object of numbers
	envsVariable      = "TRACKGEN_GPU_ENVS"      // the size of the batch
	generatorVariable = "TRACKGEN_GPU_GENERATOR" // the generator to measure
	deviceVariable    = "TRACKGEN_GPU_DEVICE"    // the device to measure
)

// needGPU skips a test if no GPU is to be measured.
func needGPU(t *testing.T) {
	t.Helper()
	if !onGPU() {
		t.Skipf("what an emulated driver takes means nothing; %s=1 on a machine with a GPU", gpuVariable)
	}
}

// gpuEnvs returns the batch size on a GPU, and otherwise elsewhere.
func gpuEnvs(t testing.TB, otherwise int) int {
	text := os.Getenv(envsVariable)
	if text == "" {
		return otherwise
	}
	envs, err := strconv.Atoi(text)
	require.NoError(t, err, envsVariable)
	return envs
}

// report writes measurements, by name and unit, to the requested file.
func report(t testing.TB, values map[string]float64) {
	t.Log(values)
	if path := os.Getenv(reportVariable); path != "" {
		data, err := json.Marshal(values)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// median runs a function 21 times, or fewer times, but at least 3, if a second has passed. It returns the median time
// in milliseconds.
func median(t *testing.T, run func() error) float64 {
	var times []time.Duration
	for start := time.Now(); len(times) < 3 || len(times) < 21 && time.Since(start) < time.Second; {
		begin := time.Now()
		require.NoError(t, run())
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	return milliseconds(times[len(times)/2])
}

// Measures the time to open the device, which tries conditionals, and to make the first generator of each kind, whose
// kernels the driver compiles.
func TestGPUFirstTouch(t *testing.T) {
	needGPU(t)
	begin := time.Now()
	d := openTest(t)
	opened := facts.Opened{FirstMilliseconds: milliseconds(time.Since(begin)), Conditionals: d.ifs.works,
		Loops: d.loops.works, Reason: d.loops.reason}
	begin = time.Now()
	second := openTest(t)
	opened.SecondMilliseconds = milliseconds(time.Since(begin))
	require.Equal(t, d.Caps(), second.Caps())
	find(t, facts.Facts{Opened: &opened})
	values := map[string]float64{"open ms": opened.FirstMilliseconds}
	for _, name := range track.Generators() {
		begin := time.Now()
		generator, err := track.NewGenerator(d, onDriver(tracktest.Config(name, 1)))
		require.NoError(t, err)
		values[name+" ms"] = milliseconds(time.Since(begin))
		require.NoError(t, generator.Close())
	}
	report(t, values)
	if d.version >= conditionalVersion {
		require.Empty(t, d.loops.reason, "why there are no conditionals or no loops")
	}
}

// What a graph of somebody else keeps comes back when the graph and everything instantiated from it are gone, not
// before.
func TestGPUUserObject(t *testing.T) {
	needGPU(t)
	o := newOwner(t, start(t, 0, 0))
	d := openTest(t)
	main := o.newStream(1)
	s, x := adopt(t, d, main), view(t, d, 10)
	require.NoError(t, d.Load(incrementDef))
	kept := func() int {
		reap()
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.outstanding
	}
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, increment(s, x))
	graph, executable := o.end(main)
	o.replay(executable, main)
	o.must("cuGraphDestroy", graph)
	time.Sleep(100 * time.Millisecond)
	require.Equal(t, 1, kept(), "the memory is given back while an executable graph uses it")
	o.replay(executable, main)
	o.must("cuGraphExecDestroy", executable)
	begin := time.Now()
	require.Eventually(t, func() bool { return kept() == 0 }, 10*time.Second, 100*time.Microsecond)
	report(t, map[string]float64{"returned ms": milliseconds(time.Since(begin))})
}

// A producer in captures of somebody else, with and without conditionals, gives the same bits as the CPU.
func TestGPULife(t *testing.T) {
	needGPU(t)
	o := newOwner(t, start(t, 0, 0))
	stream := o.newStream(1)
	for _, generator := range track.Generators() {
		config := lifeConfig(generator)
		l := life{t: t, o: o, stream: stream, config: config}
		words, err := l.run()
		require.NoError(t, err, generator)
		require.Equal(t, wantedOfLife(t, config), words, generator)
	}
}

// Measures one generator on one device: a generation and a regeneration, emitted and replayed.
func TestGPUTimes(t *testing.T) {
	needGPU(t)
	name := os.Getenv(deviceVariable)
	if name == "" {
		name = "cuda:0"
	}
	d, err := backend.Open(name)
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	generator := os.Getenv(generatorVariable)
	if generator == "" {
		generator = track.Generators()[0]
	}
	report(t, measure(t, d, onDriver(tracktest.Config(generator, gpuEnvs(t, 512)))))
}

// onDriver returns a small configuration if TRACKGEN_LIBCUDA is set, because times on an emulated driver mean nothing.
func onDriver(config track.Config) track.Config {
	if os.Getenv("TRACKGEN_LIBCUDA") != "" {
		return tracktest.Small(config)
	}
	return config
}

func measure(t *testing.T, d backend.Device, config track.Config) map[string]float64 {
	values := make(map[string]float64)
	begin := time.Now()
	generator, err := track.NewGenerator(d, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	values["first ms"] = milliseconds(time.Since(begin))
	s := d.DefaultStream()
	values["eager ms"] = median(t, func() error {
		lc, err := exec.For(t.Context(), d)
		if err != nil {
			return err
		}
		generator.Enqueue(lc)
		if err := lc.Err(); err != nil {
			return err
		}
		return s.Sync()
	})
	mask, err := exec.NewArray[int32](d, config.NumEnvs)
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	replay := func(record func() error) (graph backend.Graph, ms func() float64) {
		require.NoError(t, s.BeginCapture())
		require.NoError(t, record())
		graph, err := s.EndCapture()
		require.NoError(t, err)
		return graph, func() float64 {
			return median(t, func() error {
				if err := s.Replay(graph); err != nil {
					return err
				}
				return s.Sync()
			})
		}
	}
	whole, ms := replay(func() error { _, err := generator.Generate(t.Context()); return err })
	values["replay ms"], values["nodes"] = ms(), float64(whole.Nodes())
	masked, ms := replay(func() error { _, err := generator.Regenerate(t.Context(), mask); return err })
	values["regenerate none ms"] = ms()
	every := make([]int32, config.NumEnvs)
	for i := range every {
		every[i] = 1
	}
	require.NoError(t, mask.Write(t.Context(), every))
	values["regenerate all ms"] = ms()
	require.NoError(t, whole.Close())
	require.NoError(t, masked.Close())
	return values
}
