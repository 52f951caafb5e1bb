//go:build cgo && linux

package cuda

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// faults makes calls of the driver fail, one in each life of a producer.
type faults struct {
	t      *testing.T
	o      *owner
	stream uint64
	config track.Config
	want   [][]uint32
	live   string // what is alive in the driver before and after each life
	calls  map[string]int
}

// newFaults starts a driver and runs a life without a fault, to learn which calls there are.
func newFaults(t *testing.T, version int, config track.Config) *faults {
	e := start(t, version, uint64(version))
	loadProducers(t, e)
	o := newOwner(t, e)
	f := &faults{t: t, o: o, stream: o.newStream(1), config: config, want: wantedOfLife(t, config), live: e.Live()}
	before := e.AllCalls()
	f.lives()
	f.calls = e.AllCalls()
	for name, n := range before {
		f.calls[name] -= n
	}
	return f
}

// lives runs a life without a fault.
func (f *faults) lives() {
	l := life{t: f.t, o: f.o, stream: f.stream, config: f.config}
	words, err := l.run()
	require.NoError(f.t, err)
	require.Equal(f.t, f.want, words)
	require.Equal(f.t, f.live, f.left())
}

// left lists what is alive in the driver after all pending disposals.
func (f *faults) left() string {
	reap()
	orphans.sweep()
	return f.o.e.Live()
}

// cautious are calls whose failure does not always fail the life: a registered capture of somebody else counts as open
// if the driver does not answer, and the work continues.
var cautious = map[string]bool{"cuStreamGetCaptureInfo": true, "cuCtxGetCurrent": true}

// fails runs a life in which call n of a function, counted from 0, fails with a code.
func (f *faults) fails(name string, n, code int) {
	t, e := f.t, f.o.e
	goroutines := goleak.IgnoreCurrent()
	l := life{t: t, o: f.o, stream: f.stream, config: f.config}
	e.FailNth(name, n, code)
	words, err := l.run()
	what := fmt.Sprintf("%s: %s, call %d of %d", versionText(e.Version()), name, n, f.calls[name])
	if name == "cuCtxSetCurrent" && e.Failed() == "" { // how often it comes depends on the threads that compile
		e.FailNth(name, math.MaxInt32, code)
		require.NoError(t, err, what)
		require.Equal(t, f.want, words, what)
		return
	}
	require.Equal(t, name, e.Failed(), "%s did not come", what)
	if err == nil {
		require.True(t, cautious[name] || unanswered[name], "%s: an error is expected", what)
		require.Equal(t, f.want, words, what)
	} else {
		var failed *Error
		require.ErrorAs(t, err, &failed, what)
		require.Equal(t, name, failed.Call, what)
		require.Equal(t, code, failed.Code, what)
		require.NotEmpty(t, failed.Op, what)
		require.ErrorContains(t, err, name+" failed with", what)
		if kind := kindOf(code); kind != nil {
			require.ErrorIs(t, err, kind, what)
		}
		require.NotErrorIs(t, err, backend.ErrLeak, what)
	}
	require.Equal(t, f.live, f.left(), "%s: %v", what, err)
	require.Empty(t, e.Complaint(), "%s: %v", what, err)
	require.Equal(t, modeGlobal, e.Call("emulator_mode"), "the thread is left in another capture mode")
	require.NoError(t, goleak.Find(goroutines), what)
}

// spread returns at most most numbers from 0 to n-1, evenly spread and including both ends.
func spread(most, n int) (numbers []int) {
	most = min(most, n)
	for i := range most {
		numbers = append(numbers, i*(n-1)/max(most-1, 1))
	}
	return slices.Compact(numbers)
}

// sweep makes at most most calls of each function fail, spread from the first to the last one. A new driver is started
// after every few functions, because the emulated one remembers what was destroyed and gets slower.
func sweep(t *testing.T, version int, config track.Config, most, code, functions int) {
	calls := newFaults(t, version, config).calls
	for names := range slices.Chunk(slices.Sorted(maps.Keys(calls)), functions) {
		t.Run(names[0], func(t *testing.T) {
			f := newFaults(t, version, config)
			for _, name := range names {
				n := f.calls[name]
				for _, at := range spread(most, n) {
					f.fails(name, at, code)
					f.lives()
				}
			}
		})
	}
	for _, name := range []string{"cuInit", "cuCtxSetCurrent", "cuModuleLoadDataEx", "cuLaunchKernel",
		"cuGraphInstantiateWithParams",
		"cuGraphLaunch", "cuStreamSynchronize", "cuMemAlloc", "cuMemFree", "cuDevicePrimaryCtxRelease",
		"cuThreadExchangeStreamCaptureMode",
		"cuStreamBeginCapture", "cuStreamEndCapture", "cuStreamGetCaptureInfo", "cuUserObjectCreate",
		"cuGraphRetainUserObject",
		"cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync"} {
		require.Positive(t, calls[name], "%s is not called", name)
	}
	for _, name := range []string{"cuGraphAddNode", "cuGraphConditionalHandleCreate", "cuStreamBeginCaptureToGraph",
		"cuStreamUpdateCaptureDependencies"} {
		require.Equal(t, version >= conditionalVersion, calls[name] > 0, name)
	}
}

// Each function of the driver fails in the life of a producer: at its first call, some calls between, and its last one.
// Each time, the error says which call failed, with which code, and during which operation. Nothing is left in the
// driver, on the device or as a goroutine. Captures of somebody else stay open and intact. The next producer, on a
// fresh device, gives the same bits as the CPU.
func TestEveryCallFailsOnceInALife(t *testing.T) {
	sweep(t, 12080, lifeConfig("bezier"), 5, 999, 1000)
}
