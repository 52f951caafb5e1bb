//go:build cgo && (linux || darwin)

package vulkan

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// sequence returns n different words.
func sequence(n int, start int32) []int32 {
	words := make([]int32, n)
	for i := range words {
		words[i] = start + int32(i)
	}
	return words
}

// Copies of any size, at offsets that cannot be bound and in several dispatches, change exactly the bytes that they
// should.
func TestCopiesInConditionals(t *testing.T) {
	d := openTest(t, backend.Options{})
	const words = 3000
	flag := alloc(t, d, 1)
	from, to := alloc(t, d, sequence(words, 1)...), alloc(t, d, sequence(words, -words)...)
	d.maxRange = 2048 // so that a copy takes several dispatches
	for _, bytes := range []int64{0, 1, 2, 3, 4, 5, 63, 64, 1535, 1536, 1537, 8001} {
		write(t, d, to, sequence(words, -words)...)
		when(t, d.DefaultStream(), flag, func(inner backend.Stream) {
			require.NoError(t, inner.Copy(part(to, 20, bytes), part(from, 36, bytes)))
		})
		got := read(t, d, to)
		for i := range int64(words) {
			want := uint32(int32(i) - words)
			for b := range int64(4) {
				if at := 4*i + b; at >= 20 && at < 20+bytes {
					source := uint32(1 + (at-20+36)/4)
					want = want&^(0xff<<(8*b)) | source&(0xff<<(8*b))
				}
			}
			require.Equal(t, int32(want), got[i], "word %d of a copy of %d bytes", i, bytes)
		}
	}
	when(t, d.DefaultStream(), flag, func(inner backend.Stream) { require.NoError(t, inner.Fill(part(to, 4, 8000), 9)) })
	got := read(t, d, to)
	require.Equal(t, []int32{-words, 9}, got[:2])
	require.Equal(t, []int32{9, 2006}, got[2000:2002], "left by the last copy")
}

// A view larger than a kernel can access is refused, and the message contains the limit.
func TestViewBeyondRange(t *testing.T) {
	d := openTest(t, backend.Options{})
	x := alloc(t, d, sequence(1000, 0)...)
	d.maxRange = 2048
	err := d.DefaultStream().Launch(affineDef, backend.Launch{N: 1, Buffers: []backend.View{x}, Scalars: []uint32{1, 1}})
	require.ErrorIs(t, err, backend.ErrUnsupported)
	require.ErrorContains(t, err, "2048")
	require.ErrorContains(t, err, "maxStorageBufferRange")
	affine(t, d.DefaultStream(), part(x, 0, 2048), 1, 5)
	require.Equal(t, int32(5), read(t, d, x)[0])
}

// Many nested bodies: gates and tables of all sizes, in a batch and in a graph.
func TestManyConditionals(t *testing.T) {
	for _, work := range []float64{0, 1, 1000} {
		t.Run(fmt.Sprint("submissions of ", work), func(t *testing.T) { testManyConditionals(t, work) })
	}
}

func testManyConditionals(t *testing.T, work float64) {
	d := openTest(t, backend.Options{}, func(s *settings) { s.work = work })
	flags := alloc(t, d, 1, 0, 1, 1)
	x := alloc(t, d, 0, 0)
	flag := func(i int64) backend.View { return part(flags, 4*i, 4) }
	first, second := part(x, 0, 4), part(x, 4, 4)
	emit := func(s backend.Stream) {
		when(t, s, flag(0), func(a backend.Stream) {
			for range 300 { // more than fits one workgroup of the gate
				affine(t, a, first, 1, 1)
			}
			when(t, a, flag(1), func(b backend.Stream) {
				affine(t, b, first, 1, 1000)
				when(t, b, flag(2), func(c backend.Stream) { affine(t, c, first, 1, 1000) })
			})
			when(t, a, flag(2), func(b backend.Stream) {
				when(t, b, flag(3), func(c backend.Stream) { affine(t, c, second, 1, 1) })
			})
		})
	}
	for range 4 {
		emit(d.DefaultStream())
	}
	require.Equal(t, []int32{1200, 4}, read(t, d, x))
	s := newStream(t, d)
	g := recordGraph(t, s, func() { emit(s); emit(s) })
	require.Equal(t, 2*(1+300+1+1+1+1+1+1+1), g.Nodes())
	for range 3 {
		require.NoError(t, s.Replay(g))
	}
	require.NoError(t, s.Sync())
	require.Equal(t, []int32{3000, 10}, read(t, d, x))
}

// A failed conditional on an eager stream leaves no trace, and the stream is unchanged.
func TestEagerConditionals(t *testing.T) {
	d := openTest(t, backend.Options{})
	flag, x := alloc(t, d, 1), alloc(t, d, 0)
	s, e := newStream(t, d), newEvent(t, d)
	err := s.If(flag, func(inner backend.Stream) error {
		affine(t, inner, x, 1, 1)
		return fmt.Errorf("stop: %w", backend.ErrInvalid)
	})
	require.ErrorIs(t, err, backend.ErrInvalid)
	require.Panics(t, func() {
		_ = s.If(flag, func(inner backend.Stream) error { affine(t, inner, x, 1, 1); panic("stop") })
	})
	when(t, s, flag, func(inner backend.Stream) {
		require.Equal(t, backend.CaptureNone, inner.Capture())
		require.Equal(t, backend.CaptureNone, s.Capture())
		require.NoError(t, s.Fill(x, 1), "the stream accepts other work, which runs before the conditional")
		require.NoError(t, s.Sync())
		require.Equal(t, []int32{1}, read(t, d, x))
		_, err := s.EndCapture()
		require.ErrorIs(t, err, backend.ErrCapture)
		require.ErrorIs(t, inner.Record(e), backend.ErrCapture)
		require.ErrorIs(t, inner.Sync(), backend.ErrCapture)
		require.ErrorIs(t, inner.Anchor(t), backend.ErrCapture)
		require.ErrorIs(t, inner.Close(), backend.ErrInvalid)
		affine(t, inner, x, 1, 1)
	})
	require.NoError(t, s.Record(e))
	require.NoError(t, e.Sync())
	require.Equal(t, []int32{2}, read(t, d, x))
	require.NoError(t, s.BeginCapture())
	g, err := s.EndCapture()
	require.NoError(t, err)
	require.NoError(t, g.Close())
}

// A graph may be replayed inside the body of an eager conditional.
func TestGraphInEagerConditional(t *testing.T) {
	d := openTest(t, backend.Options{})
	flag, x := alloc(t, d, 0), alloc(t, d, 0)
	s := newStream(t, d)
	g := recordGraph(t, s, func() { affine(t, s, x, 1, 1) })
	emit := func() {
		when(t, s, flag, func(inner backend.Stream) { require.NoError(t, inner.Replay(g)) })
		require.NoError(t, s.Sync())
	}
	emit()
	require.Equal(t, []int32{0}, read(t, d, x))
	write(t, d, flag, 1)
	emit()
	require.Equal(t, []int32{1}, read(t, d, x))
}

// A buffer closed during a capture lives until the graph is closed. If the capture is dropped or the body fails, it
// lives until then.
func TestMemoryOfCaptures(t *testing.T) { // R166
	errBody := errors.New("the body fails")
	d := openTest(t, backend.Options{})
	s := newStream(t, d)
	b, err := d.Alloc(4)
	require.NoError(t, err)
	x := backend.View{Buffer: b, Bytes: 4}
	require.NoError(t, s.BeginCapture())
	affine(t, s, x, 1, 1)
	unused, err := d.Alloc(4)
	require.NoError(t, err)
	require.ErrorIs(t, s.If(x, func(inner backend.Stream) error {
		affine(t, inner, backend.View{Buffer: unused, Bytes: 4}, 1, 1)
		return errBody
	}), errBody)
	require.NoError(t, unused.Close())
	require.NoError(t, b.Close())
	g, err := s.EndCapture()
	require.NoError(t, err)
	require.NoError(t, d.waitForStreams())
	require.False(t, unused.(*recorder.Buffer).Memory().Retain(), "only the failed body used it")
	require.NoError(t, s.Replay(g))
	require.NoError(t, d.waitForStreams())
	require.True(t, b.(*recorder.Buffer).Memory().Retain())
	b.(*recorder.Buffer).Memory().Release()
	require.NoError(t, g.Close())

	dropped, err := d.NewStream()
	require.NoError(t, err)
	c, err := d.Alloc(4)
	require.NoError(t, err)
	require.NoError(t, dropped.BeginCapture())
	affine(t, dropped, backend.View{Buffer: c, Bytes: 4}, 1, 1)
	require.ErrorIs(t, dropped.Close(), backend.ErrCapture)
	require.NoError(t, c.Close())
	require.NoError(t, d.waitForStreams())
	require.False(t, b.(*recorder.Buffer).Memory().Retain())
	require.False(t, c.(*recorder.Buffer).Memory().Retain())
	require.Zero(t, d.budget.used)
}

func newEvent(t *testing.T, d *device) backend.Event {
	t.Helper()
	e, err := d.NewEvent()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// Work that passes from stream to stream keeps its order, through events, graphs and streams that are closed
// immediately.
func TestEventsAcrossStreams(t *testing.T) {
	d := openTest(t, backend.Options{})
	x := alloc(t, d, 1)
	e := newEvent(t, d)
	g := recordGraph(t, d.DefaultStream(), func() { affine(t, d.DefaultStream(), x, 3, 2) })
	want := int32(1)
	require.NoError(t, d.DefaultStream().Record(e))
	for i := range int32(100) {
		s, err := d.NewStream()
		require.NoError(t, err)
		require.NoError(t, s.Wait(e))
		if i%3 == 0 {
			require.NoError(t, s.Replay(g))
			want = 3*want + 2
		}
		affine(t, s, x, 5, i)
		want = 5*want + i
		require.NoError(t, s.Record(e))
		require.NoError(t, s.Close())
	}
	require.NoError(t, e.Sync())
	require.Equal(t, []int32{want}, read(t, d, x))
}

// A gate skips whole workgroups beyond the bound of a launch, unless the body changes the bound first.
func TestBoundInConditional(t *testing.T) {
	for _, work := range []float64{0, 1, 2 * defaultBlock * unstatedWork} {
		t.Run(fmt.Sprint("submissions of ", work), func(t *testing.T) { testBoundInConditional(t, work) })
	}
}

func testBoundInConditional(t *testing.T, work float64) {
	d := openTest(t, backend.Options{}, func(s *settings) { s.work = work })
	const n = 200
	// A kernel that ignores its bound shows which workgroups run: sum = a + b.
	unbounded := *addDef
	unbounded.Bound = 1
	flag, bound, a, b := alloc(t, d, 1), alloc(t, d, 1), alloc(t, d, make([]int32, n)...), alloc(t, d, sequence(n, 1)...)
	for _, changed := range []bool{false, true} {
		sum := alloc(t, d, make([]int32, n)...)
		when(t, d.DefaultStream(), flag, func(inner backend.Stream) {
			if changed {
				require.NoError(t, inner.Copy(part(a, 0, 4), bound))
			}
			require.NoError(t, inner.Launch(&unbounded, backend.Launch{N: n, Buffers: []backend.View{a, b, sum}}))
		})
		want := make([]int32, n) // the bound is 0
		if changed {
			want = sequence(n, 1)
			want[0]++
		}
		require.Equal(t, want, read(t, d, sum), "the body changes the bound: %v", changed)
	}
	for _, end := range []int32{1, defaultBlock, defaultBlock + 1, n, -1} {
		sum := alloc(t, d, make([]int32, n)...)
		write(t, d, part(a, 0, 4), end)
		when(t, d.DefaultStream(), flag, func(inner backend.Stream) {
			require.NoError(t, inner.Launch(&unbounded, backend.Launch{N: n, Buffers: []backend.View{a, b, sum}}))
		})
		ran := 0
		for _, value := range read(t, d, sum) {
			if value != 0 {
				ran++
			}
		}
		groups := (max(end, 0) + defaultBlock - 1) / defaultBlock
		require.EqualValues(t, min(n, groups*defaultBlock), ran, "items that ran with the bound %d", end)
	}
}
