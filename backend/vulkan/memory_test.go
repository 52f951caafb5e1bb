//go:build cgo && (linux || darwin)

package vulkan

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

func TestMemoryLimit(t *testing.T) {
	d := openTest(t, backend.Options{MemoryLimit: 1000})
	b, err := d.Alloc(600)
	require.NoError(t, err)
	_, err = d.AllocHost(500)
	var memory *backend.OutOfMemoryError
	require.ErrorAs(t, err, &memory)
	require.Equal(t, int64(400), memory.Limit)
	require.NoError(t, b.Close())
	h, err := d.AllocHost(1000)
	require.NoError(t, err)
	require.NoError(t, h.Close())
}

func TestLargestBuffer(t *testing.T) {
	d := openTest(t, backend.Options{})
	_, err := d.Alloc(d.maxRange + 1)
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
	require.ErrorContains(t, err, "maxStorageBufferRange")
	require.Equal(t, d.maxBuffer, d.Caps().MaxBufferBytes)
}

// The driver's own limits: a full heap refuses, but only after work in flight has returned its memory.
func TestHeapRunsOut(t *testing.T) {
	d := openTest(t, backend.Options{})
	d.memory.mu.Lock()
	d.memory.limit = d.memory.used + 2<<20
	d.memory.mu.Unlock()
	var buffers []backend.Buffer
	for {
		b, err := d.Alloc(1 << 20)
		if err != nil {
			require.ErrorIs(t, err, backend.ErrOutOfMemory)
			break
		}
		buffers = append(buffers, b)
		require.Less(t, len(buffers), 100)
	}
	require.NotEmpty(t, buffers)
	for _, b := range buffers {
		require.NoError(t, d.DefaultStream().Fill(backend.View{Buffer: b, Bytes: 1 << 20}, 7))
	}
	// The work is in flight, so closing the buffer does not free the memory.
	require.NoError(t, d.EachQueue(func(q recorder.Queue) error { return q.(*stream).flush() }))
	for _, b := range buffers {
		require.NoError(t, b.Close())
	}
	b, err := d.Alloc(1 << 20)
	require.NoError(t, err)
	require.Zero(t, read(t, d, backend.View{Buffer: b, Bytes: 4})[0])
	require.NoError(t, b.Close())
}

// Buffers that are closed before the work on them is submitted keep their memory until that work has run.
func TestCloseBeforeSubmission(t *testing.T) {
	d := openTest(t, backend.Options{})
	x, y := alloc(t, d, 0), alloc(t, d, 0)
	for i := range int32(200) {
		b, err := d.Alloc(4)
		require.NoError(t, err)
		v := backend.View{Buffer: b, Bytes: 4}
		require.NoError(t, d.DefaultStream().Fill(v, uint32(i)))
		add(t, d.DefaultStream(), x, v, y)
		require.NoError(t, d.DefaultStream().Copy(x, y))
		require.NoError(t, b.Close())
	}
	require.Equal(t, []int32{199 * 200 / 2}, read(t, d, x))
}

// Everything is returned: the driver's blocks do not accumulate.
func TestBlocksAreReused(t *testing.T) {
	d := openTest(t, backend.Options{})
	used := int64(0)
	for round := range 30 {
		b, err := d.Alloc(40 << 20)
		require.NoError(t, err)
		require.NoError(t, d.DefaultStream().Fill(backend.View{Buffer: b, Bytes: 40 << 20}, uint32(round)))
		require.NoError(t, d.DefaultStream().Sync())
		require.NoError(t, b.Close())
		require.NoError(t, d.queue.drain())
		if round == 0 {
			used = d.memory.used
		}
	}
	require.Equal(t, used, d.memory.used)
	require.NotEmpty(t, d.queue.idle)
	require.Empty(t, d.queue.running)
}

// The garbage collector may run at any moment: nothing that C uses is on the Go heap.
func TestGarbageCollection(t *testing.T) {
	d := openTest(t, backend.Options{}, func(s *settings) { s.validation = false })
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	x := alloc(t, d, make([]int32, 100)...)
	for range 300 {
		affine(t, d.DefaultStream(), x, 1, 1)
		g := recordOnce(t, d, x)
		require.NoError(t, d.DefaultStream().Replay(g))
		require.NoError(t, g.Close())
	}
	require.Equal(t, int32(600), read(t, d, x)[99])
	close(stop)
	<-stopped
}

func recordOnce(t *testing.T, d *device, x backend.View) backend.Graph {
	t.Helper()
	require.NoError(t, d.DefaultStream().BeginCapture())
	affine(t, d.DefaultStream(), x, 1, 1)
	g, err := d.DefaultStream().EndCapture()
	require.NoError(t, err)
	return g
}

// An eager operation and a replay allocate nothing on the Go heap.
func TestHotPathDoesNotAllocate(t *testing.T) {
	d := openTest(t, backend.Options{}, func(s *settings) { s.validation, s.work = false, defaultWork })
	s := newStream(t, d)
	x, y := alloc(t, d, make([]int32, 1000)...), alloc(t, d, make([]int32, 1000)...)
	g := recordGraph(t, d.DefaultStream(), func() { affine(t, d.DefaultStream(), y, 1, 1) })
	e, err := d.NewEvent()
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	launch := backend.Launch{N: 1000, Buffers: []backend.View{x}, Scalars: []uint32{1, 1}}
	work := func() {
		for _, err := range [...]error{s.Launch(affineDef, launch), s.Copy(y, x), s.Fill(y, 1), s.Replay(g), s.Record(e),
			s.Wait(e), s.Sync()} {
			if err != nil {
				panic(err)
			}
		}
	}
	for range 100 {
		work()
	}
	require.Zero(t, testing.AllocsPerRun(200, work))
}

// Memory types with other properties than those of Vulkan 1.0 are never used, even if they come first or are the only
// ones that the driver has left.
func TestMemoryTypes(t *testing.T) {
	const (
		local, visible, coherent, cached          = 1, 2, 4, 8
		lazy, protected, amdCoherent, amdUncached = 0x10, 0x20, 0x40, 0x80
	)
	types := func(flags ...vk.MemoryPropertyFlagBits) *description {
		d := &description{heaps: []vk.MemoryHeap{{Size: 1 << 30}}}
		for _, f := range flags {
			d.types = append(d.types, vk.MemoryType{PropertyFlags: f})
		}
		return d
	}
	for name, c := range map[string]struct {
		what         *description
		device, host []int
	}{
		"RADV, discrete": {types(local, local, visible|coherent, local|visible|coherent, local|visible|coherent,
			visible|coherent|cached, visible|coherent|cached, local|amdCoherent|amdUncached, local|amdCoherent|amdUncached,
			visible|coherent|amdCoherent|amdUncached, local|visible|coherent|amdCoherent|amdUncached,
			local|visible|coherent|amdCoherent|amdUncached, visible|coherent|cached|amdCoherent|amdUncached,
			visible|coherent|cached|amdCoherent|amdUncached),
			[]int{0, 1, 3, 4}, []int{5, 6, 2, 3, 4}},
		"protected memory first": {types(local|protected, visible|coherent|protected, local, visible|coherent),
			[]int{2}, []int{3}},
		"lazily allocated memory first": {types(local|lazy, local|visible|coherent), []int{1}, []int{1}},
		"nothing but special memory":    {types(local | visible | coherent | amdCoherent), nil, nil},
	} {
		device, host := newDeviceHeap(deviceHandle{}, name, c.what), newHostHeap(deviceHandle{}, name, c.what)
		require.Equal(t, c.device, device.candidates(^uint32(0)), name)
		require.Equal(t, c.host, host.candidates(^uint32(0)), name)
	}
}
