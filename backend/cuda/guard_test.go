//go:build cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

// ownLife makes a generator on a device, uses it eagerly, through its own graphs and by mask, compares the bits at the
// end and closes it.
func ownLife(t testing.TB, d backend.Device, config track.Config, want [][]uint32) (err error) {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	g, err := track.NewGenerator(d, config, track.WithSeed(3), track.WithStream(s))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	mask, err := exec.FromSlice(d, lifeMask)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mask.Close()) }()
	for range lifeRegenerations {
		if _, err := g.Generate(t.Context()); err != nil {
			return err
		}
		if _, err := g.Regenerate(t.Context(), mask); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	words, err := wordsOf(t, g)
	if err == nil && !slices.EqualFunc(words, want, slices.Equal) {
		err = fmt.Errorf("the bits are not those of the CPU")
	}
	return err
}

// While somebody else captures in global mode, no goroutine makes a call that would break the capture, or gives
// anything back to the driver. Many goroutines make, use and close generators and devices at once, on the device that
// records into the capture and on others. The emulated driver returns 900 and breaks the capture if one makes such a
// call.
func TestManyGoroutinesDuringAForeignCapture(t *testing.T) {
	for _, version := range versions {
		t.Run(versionText(version), func(t *testing.T) {
			e := start(t, version, uint64(version))
			loadProducers(t, e)
			o := newOwner(t, e)
			config := lifeConfig("bezier")
			want := wantedOfLife(t, config)
			shared := openTest(t)
			main := o.newStream(1)
			l := life{t: t, o: o, stream: main, config: config, device: shared, adopted: adopt(t, shared, main)}
			var err error
			l.generator, err = track.NewGenerator(shared, config, track.WithSeed(3))
			require.NoError(t, err)
			defer func() { require.NoError(t, l.generator.Close()) }()
			l.mask, err = exec.FromSlice(shared, lifeMask)
			require.NoError(t, err)
			defer func() { require.NoError(t, l.mask.Close()) }()

			o.must("cuStreamBeginCapture", main, modeGlobal)
			_, before := o.info(main)
			require.Equal(t, backend.CaptureForeign, l.adopted.Capture())
			released := given(e)
			var group sync.WaitGroup
			for i := range 6 {
				group.Go(func() {
					for range 2 {
						if i%2 == 0 {
							errorsOf(t, ownLife(t, shared, config, want))
							continue
						}
						other, err := backend.Open("cuda:0")
						if err != nil {
							t.Error(err)
							return
						}
						errorsOf(t, errors.Join(ownLife(t, other, config, want), other.Close()))
					}
				})
			}
			for range lifeRegenerations { // each iteration records a regeneration into the one graph
				errorsOf(t, l.emit()) // not registered, because generators on the same device would then be refused
				runtime.Gosched()
			}
			group.Wait()
			require.Equal(t, released, given(e), "something was given back during the capture")
			status, after := o.info(main)
			require.Equal(t, int32(1), status, "the capture is broken")
			require.Equal(t, before, after)
			graph, executable := o.end(main)
			o.replay(executable, main)
			words, err := l.read()
			require.NoError(t, err)
			require.Equal(t, want, words)
			o.destroy(graph, executable)
			require.NoError(t, view(t, shared, 1).Buffer.Close()) // this gives back what was pending
			if !e.IsReal() {
				require.Greater(t, given(e), released, "nothing is given back after the capture")
			}
		})
	}
}

// given returns the number of calls that gave something back to the driver.
func given(e interface{ Calls(string) int }) (n int) {
	for _, name := range []string{"cuMemFree", "cuMemFreeHost", "cuModuleUnload", "cuGraphDestroy", "cuGraphExecDestroy",
		"cuStreamDestroy",
		"cuEventDestroy", "cuDevicePrimaryCtxRelease"} {
		n += e.Calls(name)
	}
	return n
}

// The garbage collector runs all the time during whole lives of producers, also in captures of somebody else. The
// driver never holds memory of Go, and nothing that it holds is freed.
func TestLivesUnderTheGarbageCollector(t *testing.T) {
	e := start(t, 12080, 3)
	loadProducers(t, e)
	o := newOwner(t, e)
	stream := o.newStream(1)
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	var stop atomic.Bool
	var collector, group sync.WaitGroup
	collector.Go(func() {
		for !stop.Load() {
			runtime.GC()
		}
	})
	for _, generator := range track.Generators() {
		config := lifeConfig(generator)
		want := wantedOfLife(t, config)
		group.Go(func() {
			other, err := backend.Open("cuda:0")
			if err != nil {
				t.Error(err)
				return
			}
			errorsOf(t, errors.Join(ownLife(t, other, config, want), other.Close()))
		})
		l := life{t: t, o: o, stream: stream, config: config}
		words, err := l.run()
		require.NoError(t, err)
		require.Equal(t, want, words)
	}
	group.Wait()
	stop.Store(true)
	collector.Wait()
	reap()
	orphans.sweep()
}
