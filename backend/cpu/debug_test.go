package cpu

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/kernel"
)

// seedsOf returns the seeds of the twins of a short program.
func seedsOf(t *testing.T, seed uint64) []uint64 {
	d := openTest(t, backend.Options{Debug: true, DebugSeed: seed})
	other := newStream(t, d)
	x := alloc(t, d, 1)
	var seeds []uint64
	def := define(nil)
	def.Twin = func(_ int32, _ *kernel.Args, seed uint64) error {
		seeds = append(seeds, seed)
		return nil
	}
	g := record(t, d.base, func() { require.NoError(t, d.base.Launch(def, launchOf(x))) })
	for range 3 {
		require.NoError(t, d.base.Launch(def, launchOf(x)))
		require.NoError(t, other.Launch(def, launchOf(x)))
		require.NoError(t, d.base.Replay(g))
		require.NoError(t, d.base.Launch(def, backend.Launch{Buffers: []backend.View{x}}), "no items, no twin")
	}
	return seeds
}

func TestDebugSeeds(t *testing.T) {
	seeds := seedsOf(t, 1)
	require.Len(t, seeds, 9)
	distinct := map[uint64]bool{}
	for _, seed := range seeds {
		distinct[seed] = true
	}
	require.Len(t, distinct, 9, "each launch has its own order")
	require.Equal(t, seeds, seedsOf(t, 1), "and the same one in every run")
	require.NotEqual(t, seeds, seedsOf(t, 2))
}

func TestDebugReturnsFindings(t *testing.T) {
	d := openTest(t, backend.Options{Debug: true})
	x := alloc(t, d, 10)
	finding := errors.New("two items write x[0]")
	def := define(func(int32, int32, []int32) { t.Error("the plain function runs in debug mode") })
	def.Twin = func(int32, *kernel.Args, uint64) error { return finding }
	err := d.base.Launch(def, launchOf(x))
	require.ErrorIs(t, err, backend.ErrKernel)
	require.ErrorIs(t, err, finding)
	require.ErrorContains(t, err, "kernel cpu.test: two items write x[0]")

	def.Twin = func(int32, *kernel.Args, uint64) error { panic("a twin that fails") }
	require.ErrorIs(t, d.base.Launch(def, launchOf(x)), backend.ErrKernel)
	def.Twin = nil
	require.ErrorIs(t, d.base.Launch(def, launchOf(x)), backend.ErrUnsupported)
	require.ErrorIs(t, d.Load(def), backend.ErrUnsupported)
}

// A generated twin finds an index out of range and names the line of the kernel.
func TestDebugFindsWrongIndex(t *testing.T) {
	d := openTest(t, backend.Options{Debug: true})
	x := alloc(t, d, 10)
	err := d.base.Launch(&kernels.IncrementDef, backend.Launch{N: 11, Buffers: []backend.View{x}})
	require.ErrorIs(t, err, backend.ErrKernel)
	require.ErrorContains(t, err, "integer.go:")
}

// A twin that launches on another stream would wait for itself.
func TestTwinThatCallsBack(t *testing.T) {
	d := openTest(t, backend.Options{Debug: true})
	other := newStream(t, d)
	x := alloc(t, d, 1)
	def := define(nil)
	def.Go = quick.Go
	def.Twin = func(int32, *kernel.Args, uint64) error { return other.Launch(def, launchOf(x)) }
	require.ErrorIs(t, d.base.Launch(def, launchOf(x)), backend.ErrInvalid)
}

func TestLeakSites(t *testing.T) {
	d := openDevice(t, backend.Options{Debug: true})
	_, err := d.Alloc(12)
	require.NoError(t, err)
	_, err = d.AllocHost(13)
	require.NoError(t, err)
	s, err := d.NewStream()
	require.NoError(t, err)
	_, err = d.NewEvent()
	require.NoError(t, err)
	require.NoError(t, s.BeginCapture())
	_, err = s.EndCapture()
	require.NoError(t, err)
	err = d.Close()
	var leak *backend.LeakError
	require.ErrorAs(t, err, &leak)
	require.Len(t, leak.Leaks, 5)
	for i, kind := range []string{"buffer", "host buffer", "stream", "event", "graph"} {
		require.Equal(t, kind, leak.Leaks[i].Kind)
		require.Contains(t, leak.Leaks[i].Site, "debug_test.go:", kind)
	}
	require.ErrorContains(t, err, "buffer of 12 bytes made at ")
}
