//go:build cgo && (linux || darwin)

package vulkan

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// account keeps the books of a device whose submissions are limited.
type account struct {
	limit       float64
	submissions int
	ordered     bool // each submission has waited for the one before it
	recordings  map[*recording]*load
	heaviest    float64 // work of a command buffer with more than one command that has work
	cuts        int     // recordings went on in another command buffer so many times
	total       float64 // work that was recorded
}

// load is the command buffer that is being recorded.
type load struct {
	work     float64
	commands int
}

func (a *account) install(s *settings) {
	a.recordings = make(map[*recording]*load)
	s.work = a.limit
	s.submit = func(after, value uint64) vk.Result {
		a.submissions++
		a.ordered = a.ordered && after == value-1
		return vk.Success
	}
	s.trace = func(r *recording, c command) {
		l := a.recordings[r]
		if l == nil || c.kind == cutCommand {
			l = new(load)
			a.recordings[r] = l
			if r.used > 1 {
				a.cuts++
			}
		}
		a.total += c.work
		l.work += c.work
		if c.work > 0 {
			l.commands++
		}
		if l.commands > 1 {
			a.heaviest = max(a.heaviest, l.work)
		}
	}
}

// A launch that is too much work for one submission runs as several, and computes the same. One that is not is one
// submission.
func TestLaunchesAreDivided(t *testing.T) {
	const n = 10 * defaultBlock
	work := float64(n * unstatedWork)
	for _, c := range []struct {
		limit float64
		want  int // submissions of one launch
	}{{0, 1}, {work, 1}, {work - 1, 2}, {work / 3, 4}, {work / 10, 10}, {1, 10}} {
		a := account{limit: c.limit}
		d := openTest(t, backend.Options{}, a.install)
		x := alloc(t, d, sequence(n, 1)...)
		s := newStream(t, d)
		a.ordered = true
		before := a.submissions
		affine(t, s, x, 2, 1)
		require.NoError(t, s.Sync())
		require.Equal(t, c.want, a.submissions-before, "submissions of %g of %g", c.limit, work)
		g := recordGraph(t, s, func() { affine(t, s, x, 1, -1); affine(t, s, x, 3, 0) })
		before = a.submissions
		require.NoError(t, s.Replay(g))
		require.NoError(t, s.Sync())
		launches := 2
		if c.limit == 0 {
			launches = 1 // both are in one submission
		}
		require.Equal(t, launches*c.want, a.submissions-before)
		require.True(t, a.ordered)
		want := make([]int32, n)
		for i := range want {
			want[i] = 3 * 2 * (1 + int32(i))
		}
		require.Equal(t, want, read(t, d, x))
	}
}

// The groups of a group kernel are divided too, whatever their number.
func TestGroupsAreDivided(t *testing.T) {
	for _, n := range []int{1, 2, 7, 1000, maxRanges + 1} {
		d := openTest(t, backend.Options{}, func(s *settings) { s.work = 1; s.validation = false })
		found := alloc(t, d, make([]int32, 2*n+2)...)
		require.NoError(t, d.DefaultStream().Launch(groupsDef, backend.Launch{N: int32(n), Buffers: []backend.View{found}}))
		got := read(t, d, found)
		for i := range n {
			require.Equal(t, []int32{int32(i), 48}, got[2*i:2*i+2])
		}
		require.Equal(t, []int32{0, 0}, got[2*n:])
	}
}

// The parts of a launch do not overlap, even those with more workgroups than a device allows in one dimension, which
// are spread over two.
func TestLargePartsDoNotOverlap(t *testing.T) {
	const groups = 2*maxGroups + 4
	const n = groups * minBlock
	d := openTest(t, backend.Options{}, func(s *settings) { s.work, s.validation = n*unstatedWork/1.9, false })
	x := alloc(t, d, make([]int32, n)...)
	require.NoError(t, d.DefaultStream().Launch(affineDef, backend.Launch{N: n, Block: minBlock,
		Buffers: []backend.View{x}, Scalars: []uint32{1, 1}}))
	for i, times := range read(t, d, x) {
		if times != 1 {
			t.Fatalf("item %d ran %d times", i, times)
		}
	}
}

// If an operation can be recorded only in part, its batch is dropped with an error, nothing is recorded behind it, and
// the stream stays usable.
func TestBatchThatBreaks(t *testing.T) {
	d := openTest(t, backend.Options{})
	s := d.DefaultStream()
	x := alloc(t, d, 5)
	require.NoError(t, s.Sync())
	affine(t, s, x, 2, 1)
	broken := backend.ErrOutOfMemory
	var r *recording
	require.NoError(t, d.EachQueue(func(q recorder.Queue) error { r = q.(*stream).encoder.recording; return nil }))
	r.broken = broken
	launch := backend.Launch{N: 1, Buffers: []backend.View{x}, Scalars: []uint32{2, 1}}
	require.ErrorIs(t, s.Launch(affineDef, launch), broken)
	require.Equal(t, 1, r.operations)
	require.ErrorIs(t, s.Sync(), broken)
	affine(t, s, x, 3, 0)
	require.Equal(t, []int32{15}, read(t, d, x))
}

// The estimate of a launch is the number of its lanes times the iterations that its kernel states.
func TestEstimates(t *testing.T) {
	d := openTest(t, backend.Options{}, func(s *settings) { s.work = 1e6 })
	e := encoder{device: d}
	stated := *groupsDef
	stated.Iterations = func(items int32, args *kernel.Args) float64 {
		return float64(items) + float64(args.Buffers[0].Len) + float64(args.Scalars[0])
	}
	launch := func(def *kernel.Def, n int32) float64 {
		return e.launchWork(&recorder.Operation{Def: def, N: n, Spans: []recorder.Span{{Bytes: 40}}, Scalars: []uint32{5}})
	}
	require.EqualValues(t, 7*unstatedWork, launch(affineDef, 7))
	require.EqualValues(t, 7*48*unstatedWork, launch(groupsDef, 7))
	require.EqualValues(t, 7*48*(1+7+10+5), launch(&stated, 7))
	for _, c := range []struct {
		work   float64
		groups int64
		want   int64
	}{{0, 9, 1}, {1e6, 9, 1}, {1e6 + 1, 9, 2}, {3e6, 9, 3}, {3e6, 10, 4}, {5e6, 9, 9},
		{1e9, 9, 9}, {1e12, 1 << 30, 964}, {2e9, 1, 1}, {math.Inf(1), 9, 9}, {math.NaN(), 9, 9}} {
		each := d.rangeOf(c.work, c.groups)
		require.Equal(t, c.want, divideUp(c.groups, each), "%g over %d", c.work, c.groups)
		require.Zero(t, each%divideUp(each, maxGroups), "%d workgroups are no rectangle", each)
	}
	nan := &command{work: math.NaN()}
	require.True(t, d.full(1, nan))
	require.True(t, d.full(math.NaN(), nan))
	require.True(t, d.full(math.NaN(), &command{}))
	require.False(t, d.full(0, nan), "the first command of a command buffer")
}

// Copies and fills count their bytes, also those of conditionals.
func TestEstimatesOfCopies(t *testing.T) {
	a := account{limit: 1000}
	d := openTest(t, backend.Options{}, a.install)
	x, y, flag := alloc(t, d, sequence(150, 1)...), alloc(t, d, make([]int32, 150)...), alloc(t, d, 1)
	host, _ := hostOf(t, d, 600)
	defer func() { require.NoError(t, host.Close()) }()
	emit := func(s backend.Stream) {
		require.NoError(t, s.Copy(y, x))
		require.NoError(t, s.Fill(y, 3))
	}
	s := newStream(t, d)
	for want, g := range map[int]backend.Graph{
		2: recordGraph(t, s, func() { emit(s) }),
		3: recordGraph(t, s, func() { emit(s); require.NoError(t, s.Download(host, 0, x)) }),
		4: recordGraph(t, s, func() { emit(s); when(t, s, flag, emit) }),
	} {
		before := a.submissions
		require.NoError(t, s.Replay(g))
		require.NoError(t, s.Sync())
		require.Equal(t, want, a.submissions-before)
	}
}

// Submissions to drivers that compute on the CPU have no limit, others have one.
func TestDefaultWork(t *testing.T) {
	for kind, want := range map[vk.PhysicalDeviceType]float64{
		vk.PhysicalDeviceTypeCpu: 0, vk.PhysicalDeviceTypeDiscreteGpu: discreteWork,
		vk.PhysicalDeviceTypeIntegratedGpu: defaultWork, vk.PhysicalDeviceTypeVirtualGpu: defaultWork,
		vk.PhysicalDeviceTypeOther: defaultWork,
	} {
		d := description{}
		d.properties.DeviceType = kind
		require.Equal(t, want, workOf(&d))
	}
	require.Zero(t, openTest(t, backend.Options{}).maxWork)
}

// Whole generations in submissions of limited work have the bits of the CPU, in every mode, and no submission has more
// work than the limit unless it is one workgroup.
func TestProducersInParts(t *testing.T) {
	reference, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, reference.Close()) }()
	a := account{limit: 3e6}
	d := openTest(t, backend.Options{}, a.install)
	configs := map[string]track.Config{}
	for _, generator := range track.Generators() {
		configs[generator] = tracktest.Small(tracktest.Config(generator, 7))
	}
	mix := track.DefaultConfig()
	configs[track.Mixed] = tracktest.Config(track.Mixed, 7, func(c *track.Config) {
		c.Candidates, c.Road.HalfWidth, c.Relax.Sweeps = 3, 0.15, 12
		c.Mix = []track.Component{mix.NewComponent(2, track.Bezier), mix.NewComponent(1, track.Hull)}
	})
	for name, config := range configs {
		a.submissions, a.cuts, a.total, a.heaviest = 0, 0, 0, 0
		comparisons, err := parity.Compare(t.Context(), []backend.Device{reference, d}, config, 3, parity.Modes(), nil)
		require.NoError(t, err)
		for _, c := range comparisons {
			require.Nil(t, c.First, "%s on %s, %s: %v", name, c.Device, c.Mode, c.First)
		}
		t.Logf("%s: %d submissions, %d cuts, work %.3g", name, a.submissions, a.cuts, a.total)
		require.LessOrEqual(t, a.heaviest, a.limit, name)
		require.Greater(t, a.cuts, 10, name)
		require.LessOrEqual(t, float64(a.cuts), 2*a.total/a.limit, "%s: two command buffers in succession hold more "+
			"than the limit", name)
	}
}

// If the driver refuses one of several submissions, those before it run, what they use lives until then, and the device
// stays usable.
func TestRefusedPart(t *testing.T) {
	const n = 8 * defaultBlock
	refuse := uint64(0)
	d := openTest(t, backend.Options{}, func(s *settings) {
		s.work = 1
		s.submit = func(_, value uint64) vk.Result {
			if value == refuse {
				return vk.ErrorOutOfDeviceMemory
			}
			return vk.Success
		}
	})
	s := newStream(t, d)
	x := alloc(t, d, make([]int32, n)...)
	refuse = d.queue.submitted + 4
	require.ErrorIs(t, s.Launch(affineDef, backend.Launch{N: n, Buffers: []backend.View{x}, Scalars: []uint32{1, 1}}),
		backend.ErrOutOfMemory)
	refuse = 0
	require.NoError(t, s.Sync())
	require.Equal(t, append(slices.Repeat([]int32{1}, 3*defaultBlock), make([]int32, n-3*defaultBlock)...), read(t, d, x))

	g := recordGraph(t, s, func() { affine(t, s, x, 1, 1) })
	refuse = d.queue.submitted + 6
	require.ErrorIs(t, s.Replay(g), backend.ErrOutOfMemory)
	refuse = 0
	require.NoError(t, s.Replay(g))
	require.NoError(t, s.Sync())
	want := make([]int32, n)
	for i := range want {
		want[i] = 1
		if i < 5*defaultBlock {
			want[i]++
		}
		if i < 3*defaultBlock {
			want[i]++
		}
	}
	require.Equal(t, want, read(t, d, x))
	require.NoError(t, d.queue.drain())
	require.Empty(t, d.queue.running)
}
