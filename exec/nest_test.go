package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// armDef starts an inner loop: it sets work only while the outer flag is set.
var armDef = kernel.Def{
	Name: "test.arm",
	Params: []kernel.Param{
		{Name: "outer", Type: kernel.Int32, Buffer: true, Access: kernel.Read},
		{Name: "start", Type: kernel.Int32},
		{Name: "left", Type: kernel.Int32, Buffer: true, Access: kernel.Write},
		{Name: "flag", Type: kernel.Int32, Buffer: true, Access: kernel.Write},
	},
	Go: func(_, _ int32, args *kernel.Args) {
		left := int32(0)
		if kernel.Slice[int32](args, 0)[0] != 0 {
			left = int32(args.Scalars[0])
		}
		kernel.Slice[int32](args, 1)[0] = left
		kernel.Slice[int32](args, 2)[0] = min(left, 1)
	},
}

// nest is a loop or a conditional with nested ones.
type nest struct {
	kind                   int // 0 bounded loop, 1 repeat, 2 conditional
	n, start, first, every int
	inside                 []*nest
	state                  *countdown
}

func drawNest(rt *rapid.T, depth int) *nest {
	n := &nest{
		kind:  rapid.IntRange(0, 2).Draw(rt, "kind"),
		n:     rapid.IntRange(0, 4).Draw(rt, "n"),
		start: rapid.IntRange(0, 4).Draw(rt, "start"),
		first: rapid.IntRange(0, 3).Draw(rt, "first"),
		every: rapid.IntRange(1, 3).Draw(rt, "every"),
	}
	if depth > 1 {
		for range rapid.IntRange(0, 2).Draw(rt, "inside") {
			n.inside = append(n.inside, drawNest(rt, depth-1))
		}
	}
	return n
}

// build allocates the state of the nest on a device.
func (n *nest) build(t testing.TB, device backend.Device) *nest {
	built := *n
	built.state = newCountdown(t, device, 0)
	built.inside = nil
	for _, inner := range n.inside {
		built.inside = append(built.inside, inner.build(t, device))
	}
	return &built
}

// emit emits the nest inside a body whose flag is outer.
func (n *nest) emit(lc *exec.LaunchContext, outer exec.Array[int32]) {
	l := lc.Prepare(&armDef, 1)
	exec.Bind(l, outer)
	l.Int32(int32(n.start))
	exec.Bind(l, n.state.left)
	exec.Bind(l, n.state.flag)
	l.Launch()
	iteration := func(lc *exec.LaunchContext, i int) {
		for _, inner := range n.inside {
			inner.emit(lc, n.state.flag)
		}
		n.state.iteration(lc, i)
	}
	once := func(lc *exec.LaunchContext) { iteration(lc, 0) }
	switch n.kind {
	case 0:
		exec.BoundedLoop(lc, n.n, iteration, exec.LoopOptions{Active: n.state.flag, FirstCheck: n.first, CheckEvery: n.every})
	case 1:
		exec.Repeat(lc, n.n, n.state.flag, once)
	default:
		exec.SkipUnless(lc, n.state.flag, once)
	}
}

// zero clears the sums, which accumulate over a generation.
func (n *nest) zero(lc *exec.LaunchContext) {
	exec.Fill(lc, n.state.sum, 0)
	for _, inner := range n.inside {
		inner.zero(lc)
	}
}

func (n *nest) sums(t *rapid.T) []int32 {
	values, err := n.state.sum.Read(context.Background())
	require.NoError(t, err)
	for _, inner := range n.inside {
		values = append(values, inner.sums(t)...)
	}
	return values
}

// The bits are the same for all nestings and lowerings of loops and conditionals.
func TestNestsAreTheSameInEveryLowering(t *testing.T) { // R31, R37, R38, R45, D3, D4, D12
	cpu, gpu, recording, windows := openCPU(t), asGPU(t), asGPU(t), asGPU(t)
	recording.caps.EagerConditionals = true
	windows.caps.WhileNodes = false
	poll, unconditional := exec.AllowHostPoll(t.Context(), true), exec.Unconditional(t.Context(), true)
	ways := []struct {
		name     string
		device   backend.Device
		ctx      context.Context
		captured bool
	}{
		{"all windows", gpu, t.Context(), false},
		{"CPU", cpu, t.Context(), false},
		{"host poll", gpu, poll, false},
		{"eager conditionals", recording, t.Context(), false},
		{"CPU capture", cpu, t.Context(), true},
		{"GPU capture", gpu, t.Context(), true},
		{"capture without loop nodes", windows, t.Context(), true},
		{"unconditional capture", gpu, unconditional, true},
	}
	rapid.Check(t, func(rt *rapid.T) {
		drawn := drawNest(rt, 3)
		var want []int32
		for _, way := range ways {
			n := drawn.build(t, way.device)
			on := newArray(t, way.device, int32(1))
			body := func(lc *exec.LaunchContext) {
				n.zero(lc)
				n.emit(lc, on)
			}
			if way.captured {
				graph := capture(t, way.device.DefaultStream(), func() { require.NoError(rt, eager(t, way.ctx, way.device, body)) })
				for range 2 {
					require.NoError(rt, way.device.DefaultStream().Replay(graph))
				}
			} else {
				require.NoError(rt, eager(t, way.ctx, way.device, body))
			}
			got := n.sums(rt)
			if want == nil {
				want = got
			}
			require.Equal(rt, want, got, way.name)
		}
	})
}
