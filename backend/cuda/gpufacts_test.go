//go:build cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/bench/gpucheck/facts"
	"github.com/trackgen-go/trackgen/bench/producers"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// find writes what a test found out for bench/gpucheck. A later call replaces it.
func find(t testing.TB, found facts.Facts) {
	text, err := found.Write()
	require.NoError(t, err)
	t.Log(text)
}

// What the driver says of the device, without a context: this works even if nothing else does.
func TestGPUDevice(t *testing.T) {
	needGPU(t)
	s, err := readSettings()
	require.NoError(t, err)
	l, version, _, err := connect(s.libraries)
	require.NoError(t, err)
	about, f := l.describe(0)
	require.NoError(t, f.as(deviceName(0), "describe the device"))
	get := func(attribute int) int {
		value, f := l.attribute(0, attribute)
		require.NoError(t, f.as(deviceName(0), "attribute"), attribute)
		return value
	}
	modes := map[int]string{0: "default", 2: "prohibited", 3: "exclusive process"}
	mode, known := modes[get(20)]
	if !known {
		mode = fmt.Sprint(get(20))
	}
	// The clocks are gone from some drivers, and MPS is new in 12.x: 0 and false if the driver does not know them.
	optional := func(attribute int) int {
		value, f := l.attribute(0, attribute)
		if f.failed() {
			t.Logf("attribute %d: %s", attribute, f.name)
			return 0
		}
		return value
	}
	kernelModule, err := os.ReadFile("/sys/module/nvidia/version") // which WSL and Jetson do not have
	if err != nil {
		t.Log(err)
	}
	find(t, facts.Facts{Device: &facts.Device{
		Library: l.path, DriverVersion: version, KernelModule: strings.TrimSpace(string(kernelModule)),
		Capability: fmt.Sprintf("%d.%d", about.major, about.minor), Multiprocessors: about.multiprocessors,
		MemoryBytes: about.bytes, ClockMHz: optional(13) / 1000, MemoryClockMHz: optional(36) / 1000, BusBits: get(37),
		L2Bytes: get(38), Threads: get(39), SharedBytes: get(81), Registers: get(82),
		Watchdog: get(17) != 0, ComputeMode: mode, MPS: optional(133) != 0, ECC: get(32) != 0, Integrated: get(18) != 0,
		Preemption: get(90) != 0,
	}})
}

// Each trial of the probe is a test of its own, on a device that has not tried anything, so that one that hangs hides
// no other.
func TestGPUTrial(t *testing.T) {
	needGPU(t)
	for _, trial := range trials {
		t.Run(trial.name, func(t *testing.T) {
			t.Setenv(conditionalsVariable, "off")
			d := openTest(t)
			if d.version < conditionalVersion {
				t.Skipf("the driver is of CUDA %s; conditionals need %s", versionText(d.version),
					versionText(conditionalVersion))
			}
			require.NoError(t, d.loadControl())
			d.ifs, d.loops = support{works: true}, support{works: true}
			bench, err := newTrialBench(d)
			defer func() { require.NoError(t, bench.close()) }()
			require.NoError(t, err)
			begin := time.Now()
			reason, err := bench.try(trial)
			require.NoError(t, err)
			took := milliseconds(time.Since(begin))
			find(t, facts.Facts{Trials: []facts.Trial{{Name: trial.name, Works: reason == "", Reason: reason,
				Milliseconds: took}}})
			report(t, map[string]float64{"trial ms": took})
			require.Empty(t, reason)
		})
	}
}

// How deep IFs can be nested: the depth doubles up to the limit of this module, or until one does not work.
func TestGPUNesting(t *testing.T) {
	needGPU(t)
	d := openTest(t)
	if !d.Caps().CaptureConditionals {
		t.Skip("there are no conditionals: " + d.ifs.reason)
	}
	limit := recorder.LimitsCUDA.Depth
	s, x, flag := newStream(t, d), view(t, d, 1), view(t, d, 1)
	set(t, d, flag, 1)
	found := &facts.Nesting{Limit: limit}
	for depth := 1; depth <= limit; depth *= 2 {
		set(t, d, x, 0)
		g, err := captured(s, func() error { return nest(s, flag, x, depth) })
		if err == nil {
			err = errors.Join(s.Replay(g), s.Sync(), g.Close())
		}
		if err == nil && get(t, d, x) != 5 {
			err = errors.New("the innermost body does not run")
		}
		if err != nil {
			found.Reason = fmt.Sprintf("%d deep: %v", depth, err)
			find(t, facts.Facts{Nesting: found})
			return
		}
		found.Depth = depth
		find(t, facts.Facts{Nesting: found})
		report(t, map[string]float64{"depth": float64(depth)})
	}
}

// How long the driver compiles the kernels of each package, and all of them at once, without images of an earlier
// process and with them. bench/gpucheck turns the driver's own cache off.
func TestGPUModules(t *testing.T) {
	needGPU(t)
	t.Setenv(cacheVariable, backend.CacheOff)
	packages, names := make(map[string][]*kernel.Def), []string(nil)
	for _, def := range producers.Defs() {
		name := path.Base(def.Module.Name)
		if packages[name] == nil {
			names = append(names, name)
		}
		packages[name] = append(packages[name], def)
	}
	var found facts.Facts
	var loading facts.Loading
	d := openTest(t)
	for _, name := range names {
		took := loadTime(t, d, packages[name]...)
		loading.AloneMilliseconds += took
		found.Modules = append(found.Modules, facts.Module{Name: name, Milliseconds: took})
		find(t, found)
	}
	loading.TogetherMilliseconds = loadTime(t, openTest(t), producers.Defs()...)
	t.Setenv(cacheVariable, t.TempDir())
	loading.FirstColdMilliseconds = firstTracks(t)
	loading.FirstWarmMilliseconds = firstTracks(t)
	t.Setenv(cacheVariable, t.TempDir())
	loading.KeptMilliseconds = loadTime(t, openTest(t), producers.Defs()...)
	d = openTest(t)
	require.True(t, d.cache.writable && !d.cache.broken.Load(), "the cache")
	loading.WarmMilliseconds = loadTime(t, d, producers.Defs()...)
	found.Loading = &loading
	find(t, found)
	report(t, map[string]float64{"one by one ms": loading.AloneMilliseconds, "together ms": loading.TogetherMilliseconds,
		"kept ms": loading.KeptMilliseconds, "warm ms": loading.WarmMilliseconds,
		"first tracks cold ms": loading.FirstColdMilliseconds, "warm": loading.FirstWarmMilliseconds})
}

// loadTime loads kernels and returns how many milliseconds it took.
func loadTime(t *testing.T, d *device, defs ...*kernel.Def) float64 {
	begin := time.Now()
	require.NoError(t, d.Load(defs...))
	return milliseconds(time.Since(begin))
}

// firstTracks opens the device, makes bezier tracks, and returns how many milliseconds it took.
func firstTracks(t *testing.T) float64 {
	begin := time.Now()
	d := openDevice(t)
	g, err := track.NewGenerator(d, tracktest.Config(track.Bezier, gpuEnvs(t, 64)))
	require.NoError(t, err)
	require.NoError(t, d.DefaultStream().Sync())
	took := milliseconds(time.Since(begin))
	require.NoError(t, errors.Join(g.Close(), d.Close()))
	return took
}

// How many blocks of each kernel of groups a multiprocessor runs at once, and why not more. The others have 256 threads
// and little else.
func TestGPUKernels(t *testing.T) {
	needGPU(t)
	var found facts.Facts
	d := openTest(t)
	for _, def := range producers.Defs() {
		if !def.Group {
			continue
		}
		f, err := d.function(def)
		require.NoError(t, err)
		facts := facts.Kernel{Name: path.Base(def.Name), Threads: int(def.Lanes), Registers: f.takes.registers,
			SharedBytes: f.takes.shared, LocalBytes: f.takes.local}
		for i, threads := range blockSizes {
			if int32(threads) == def.Lanes {
				facts.Blocks = int(f.takes.blocks[i])
			}
		}
		found.Kernels = append(found.Kernels, facts)
	}
	find(t, found)
}

// Whether a handle that no node uses keeps the owner of a graph from instantiating it.
func TestGPUUnusedHandle(t *testing.T) {
	needGPU(t)
	o := newOwner(t, start(t, 0, 0))
	d := openTest(t)
	if d.version < conditionalVersion {
		t.Skipf("the driver is of CUDA %s; conditionals need %s", versionText(d.version), versionText(conditionalVersion))
	}
	require.NoError(t, d.Load(incrementDef))
	main := o.newStream(1)
	s, x := adopt(t, d, main), view(t, d, 1)
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, increment(s, x))
	o.info(main)
	o.must("cuGraphConditionalHandleCreate", o.out(), o.cell.Word(3), o.context, 0, 1)
	o.must("cuStreamEndCapture", main, o.out())
	graph := o.result()
	for i := 4; i < 8; i++ {
		o.cell.Set(i, 0)
	}
	code := o.e.Call("cuGraphInstantiateWithParams", o.out(), graph, o.cell.Address(4))
	found := facts.Unused{Code: code, Result: int(int32(o.cell.Word(7)))}
	if code == 0 {
		o.must("cuGraphExecDestroy", o.result())
	}
	o.must("cuGraphDestroy", graph)
	find(t, facts.Facts{Unused: &found})
}
