package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
)

// TestHotPathDoesNotAllocate goes through the interfaces, as exec does.
func TestHotPathDoesNotAllocate(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 4})
	var s backend.Stream = newStream(t, d)
	v, w := alloc(t, d, 5000), alloc(t, d, 5000)
	host, err := d.AllocHost(v.Bytes)
	require.NoError(t, err)
	defer func() { require.NoError(t, host.Close()) }()
	event, err := d.NewEvent()
	require.NoError(t, err)
	defer func() { require.NoError(t, event.Close()) }()
	buffers, scalars := []backend.View{v}, []uint32{3}
	flag := backend.View{Buffer: v.Buffer, Bytes: 4}

	work := func() {
		for _, err := range [...]error{
			s.Launch(quick, backend.Launch{N: 100, Buffers: buffers}),
			s.Launch(increment, backend.Launch{N: 5000, Buffers: buffers}),
			s.Launch(&kernels.StampDef, backend.Launch{N: 5000, Buffers: buffers, Scalars: scalars, MaxBlocks: 2}),
			s.Copy(w, v), s.Fill(w, 9), s.Upload(v, host, 0), s.Download(host, 0, v),
		} {
			if err != nil {
				panic(err)
			}
		}
	}
	require.NoError(t, s.BeginCapture())
	work()
	require.NoError(t, s.If(flag, func(inner backend.Stream) error {
		return inner.Launch(increment, backend.Launch{N: 5000, Buffers: buffers})
	}))
	graph, err := s.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()

	ints(t, v)[0] = 1
	require.Zero(t, testing.AllocsPerRun(50, work), "eager work")
	require.Zero(t, testing.AllocsPerRun(50, func() {
		if s.Replay(graph) != nil || s.Record(event) != nil || s.Wait(event) != nil || s.Sync() != nil {
			panic("a call failed")
		}
	}), "a replay")
}
