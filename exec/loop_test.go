package exec_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// countdownDef is an absorbing iteration: while left is positive it decrements left and adds its scalar to sum. It sets
// the flag if and only if left is still positive.
var countdownDef = kernel.Def{
	Name: "test.countdown",
	Params: []kernel.Param{
		{Name: "flag", Type: kernel.Int32, Buffer: true, Access: kernel.Write},
		{Name: "left", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite},
		{Name: "sum", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite},
		{Name: "runs", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite},
		{Name: "step", Type: kernel.Int32},
	},
	Go: func(_, _ int32, args *kernel.Args) {
		flag, left, sum := kernel.Slice[int32](args, 0), kernel.Slice[int32](args, 1), kernel.Slice[int32](args, 2)
		kernel.Slice[int32](args, 3)[0]++ // not part of the result
		if left[0] > 0 {
			left[0]--
			sum[0] += int32(args.Scalars[0])
		}
		flag[0] = min(left[0], 1)
	},
}

// countdown is a loop whose number of iterations only the device knows.
type countdown struct {
	start, flag, left, sum, runs exec.Array[int32]
}

func newCountdown(t testing.TB, device backend.Device, start int32) *countdown {
	zero := func() exec.Array[int32] { return newArray(t, device, int32(0)) }
	return &countdown{start: newArray(t, device, start), flag: zero(), left: zero(), sum: zero(), runs: zero()}
}

// begin resets the state for a generation (R38).
func (c *countdown) begin(lc *exec.LaunchContext) {
	exec.Copy(lc, c.left, c.start)
	exec.Copy(lc, c.flag, c.start)
	exec.Fill(lc, c.sum, 0)
	exec.Fill(lc, c.runs, 0)
}

func (c *countdown) iteration(lc *exec.LaunchContext, i int) {
	l := lc.Prepare(&countdownDef, 1)
	exec.Bind(l, c.flag)
	exec.Bind(l, c.left)
	exec.Bind(l, c.sum)
	exec.Bind(l, c.runs)
	l.Int32(int32(i + 1))
	l.Launch()
}

func (c *countdown) generate(n, first, every int) exec.Enqueue {
	return func(lc *exec.LaunchContext) {
		c.begin(lc)
		exec.BoundedLoop(lc, n, c.iteration, exec.LoopOptions{Active: c.flag, FirstCheck: first, CheckEvery: every})
	}
}

// wantSum is the sum of a countdown of n iterations; wantRuns is the number of iterations that run with early exit.
func wantSum(n, start int) int32 {
	steps := min(n, start)
	return int32(steps * (steps + 1) / 2)
}

func wantRuns(n, start, first, every int) int32 {
	run := min(first, n)
	for run < n && max(start-run, 0) > 0 {
		run += min(every, n-run)
	}
	return int32(run)
}

// eager runs body on device and returns its error.
func eager(t testing.TB, ctx context.Context, device backend.Device, body exec.Enqueue) error {
	t.Helper()
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	body(lc)
	return lc.Err()
}

// All lowerings compute the same bits, and those that end early end after the same window.
func TestBoundedLoopLowerings(t *testing.T) { // R31, R32, R34-R38
	cpu, gpu, recording := openCPU(t), asGPU(t), asGPU(t)
	recording.caps.EagerConditionals = true
	type way struct {
		name  string
		early bool
		run   func(t testing.TB, c func(backend.Device) *countdown, n, first, every int) *countdown
	}
	eagerly := func(device backend.Device, ctx context.Context) func(testing.TB, func(backend.Device) *countdown, int, int,
		int) *countdown {
		return func(t testing.TB, make func(backend.Device) *countdown, n, first, every int) *countdown {
			c := make(device)
			require.NoError(t, eager(t, ctx, device, c.generate(n, first, every)))
			return c
		}
	}
	recorded := func(device backend.Device, ctx context.Context) func(testing.TB, func(backend.Device) *countdown, int,
		int, int) *countdown {
		return func(t testing.TB, make func(backend.Device) *countdown, n, first, every int) *countdown {
			c := make(device)
			graph := capture(t, device.DefaultStream(), func() {
				require.NoError(t, eager(t, ctx, device, c.generate(n, first, every)))
			})
			require.NoError(t, device.DefaultStream().Replay(graph))
			require.NoError(t, device.DefaultStream().Replay(graph), "every generation sets its flag")
			return c
		}
	}
	ctx := t.Context()
	ways := []way{
		{"R34 (a) eager CPU", true, eagerly(cpu, ctx)},
		{"C4 (a) eager CPU inside unconditional()", true, eagerly(cpu, exec.Unconditional(ctx, true))},
		{"R36 (c) eager GPU", false, eagerly(gpu, ctx)},
		{"D3 (a) AllowHostPoll", true, eagerly(gpu, exec.AllowHostPoll(ctx, true))},
		{"D3 AllowHostPoll undone", false, eagerly(gpu, exec.AllowHostPoll(exec.AllowHostPoll(ctx, true), false))},
		{"R43, D3 (b') eager work that is recorded", true, eagerly(recording, ctx)},
		{"R35 (b) own capture", true, recorded(gpu, ctx)},
		{"D14 (b) CPU capture", true, recorded(cpu, ctx)},
		{"R36, C4 (c) capture inside unconditional()", false, recorded(cpu, exec.Unconditional(ctx, true))},
	}
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			for _, n := range []int{0, 1, 5, 8} {
				for _, start := range []int{0, 1, 3, 20} {
					for _, check := range [][2]int{{0, 1}, {0, 3}, {2, 1}, {2, 2}, {9, 1}, {1, 100}, {0, math.MaxInt}} {
						build := func(d backend.Device) *countdown { return newCountdown(t, d, int32(start)) }
						c := w.run(t, build, n, check[0], check[1])
						assert.Equal(t, wantSum(n, start), read(t, c.sum)[0], "n %d, start %d, check %v", n, start, check)
						runs := int32(n)
						if w.early {
							runs = wantRuns(n, start, check[0], check[1])
						}
						assert.Equal(t, runs, read(t, c.runs)[0], "n %d, start %d, check %v", n, start, check)
					}
				}
			}
		})
	}
}

func TestBoundedLoopWithoutFlag(t *testing.T) { // R33
	for _, device := range []backend.Device{openCPU(t), asGPU(t)} {
		var seen []int
		require.NoError(t, eager(t, t.Context(), device, func(lc *exec.LaunchContext) {
			exec.BoundedLoop(lc, 3, func(_ *exec.LaunchContext, i int) { seen = append(seen, i) },
				exec.LoopOptions{FirstCheck: 7})
		}))
		assert.Equal(t, []int{0, 1, 2}, seen)
	}
}

func TestBoundedLoopPollsOncePerWindow(t *testing.T) { // R34, D3
	device := asGPU(t)
	c := newCountdown(t, device, 3)
	device.take()
	require.NoError(t, eager(t, exec.AllowHostPoll(t.Context(), true), device, c.generate(10, 1, 2)))
	log := device.take()
	assert.Len(t, slices.DeleteFunc(log, func(op string) bool { return op != "sync" }), 2,
		"a window and the check that ends")
}

func TestBoundedLoopInPrepare(t *testing.T) { // R42, R57
	cpu, recording := openCPU(t), asGPU(t)
	recording.caps.EagerConditionals = true
	for _, device := range []backend.Device{cpu, recording} {
		p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		c := newCountdown(t, device, 2)
		require.NoError(t, p.Prepare(t.Context(), c.generate(9, 1, 2)))
		assert.Equal(t, []int32{9}, read(t, c.runs))
		_, err := p.Run(t.Context(), c.generate(9, 1, 2), exec.RunOptions{Policy: exec.Eager})
		require.NoError(t, err)
		assert.Equal(t, []int32{3}, read(t, c.runs))
	}
}

func TestBoundedLoopAllocatesNothing(t *testing.T) { // R20
	device := openCPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	c := newCountdown(t, device, 3)
	iteration := c.iteration
	body := func(lc *exec.LaunchContext) {
		c.begin(lc)
		exec.BoundedLoop(lc, 10, iteration, exec.LoopOptions{Active: c.flag, CheckEvery: 2})
	}
	require.NoError(t, p.Prepare(t.Context(), body))
	ctx := t.Context()
	assert.Zero(t, testing.AllocsPerRun(50, func() {
		if _, err := p.Run(ctx, body, exec.RunOptions{}); err != nil {
			t.Error(err)
		}
	}))
	assert.Equal(t, []int32{4}, read(t, c.runs))
}

func TestPreparedPollAllocatesNothing(t *testing.T) { // R20, D3
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	c := newCountdown(t, device, 3)
	body := c.generate(10, 0, 2)
	ctx := exec.AllowHostPoll(t.Context(), true)
	require.NoError(t, p.Prepare(ctx, body))
	device.refuseHost = backend.ErrOutOfMemory
	_, err := p.Run(ctx, body, exec.RunOptions{Policy: exec.Eager})
	require.NoError(t, err)
	device.refuseHost = nil
	assert.Equal(t, []int32{4}, read(t, c.runs))

	device.refuseHost = backend.ErrOutOfMemory
	defer func() { device.refuseHost = nil }()
	other, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	_, err = other.Run(ctx, body, exec.RunOptions{Policy: exec.Eager})
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
	require.ErrorIs(t, other.Prepare(ctx, body), backend.ErrOutOfMemory)
}

func TestBoundedLoopRefuses(t *testing.T) { // R41, C11, R39
	cpu, gpu, other := openCPU(t), asGPU(t), openCPU(t)
	for _, device := range []backend.Device{cpu, gpu} {
		flag, wide, elsewhere := newArray(t, device, int32(1)), newArray(t, device, int32(1), 1), newArray(t, other, int32(1))
		never := func(*exec.LaunchContext, int) { t.Error("nothing may be emitted") }
		refuse := func(n int, body exec.Iteration, o exec.LoopOptions) error {
			return eager(t, t.Context(), device, func(lc *exec.LaunchContext) { exec.BoundedLoop(lc, n, body, o) })
		}
		requireArgError(t, refuse(-1, never, exec.LoopOptions{}), "n")
		requireArgError(t, refuse(1, nil, exec.LoopOptions{}), "body")
		requireArgError(t, refuse(1, never, exec.LoopOptions{Active: flag, FirstCheck: -1}), "FirstCheck")
		requireArgError(t, refuse(1, never, exec.LoopOptions{Active: flag, CheckEvery: -1}), "CheckEvery")
		requireArgError(t, refuse(1, never, exec.LoopOptions{Active: wide}), "Active length")
		require.ErrorIs(t, refuse(1, never, exec.LoopOptions{Active: elsewhere}), exec.ErrDeviceMismatch)

		static := newSlot(t, device, "relax", exec.Static)
		err := eager(t, t.Context(), device, func(lc *exec.LaunchContext) {
			static.Run(lc, func(lc *exec.LaunchContext) {
				exec.BoundedLoop(lc, 1, never, exec.LoopOptions{Active: flag})
			})
		})
		requireArgError(t, err, "class of the stage")
		assert.Contains(t, err.Error(), "bounded", "says what to do")
		for _, class := range []exec.CaptureClass{exec.Bounded, exec.Host} { // C11
			slot := newSlot(t, device, "relax", class)
			require.NoError(t, eager(t, t.Context(), device, func(lc *exec.LaunchContext) {
				slot.Run(lc, func(lc *exec.LaunchContext) {
					exec.BoundedLoop(lc, 1, func(*exec.LaunchContext, int) {}, exec.LoopOptions{Active: flag})
				})
			}))
		}
		require.NoError(t, eager(t, t.Context(), device, func(lc *exec.LaunchContext) { // no flag: STATIC suffices (R33)
			static.Run(lc, func(lc *exec.LaunchContext) {
				exec.BoundedLoop(lc, 1, func(*exec.LaunchContext, int) {}, exec.LoopOptions{})
			})
		}))
	}
	broken := asGPU(t)
	flag := newArray(t, broken, int32(1))
	broken.wrap(broken.Device.DefaultStream()).claim = backend.CaptureInvalidated // D18
	lc := launchContext(t, broken)
	exec.BoundedLoop(lc, 1, func(*exec.LaunchContext, int) { t.Error("nothing may be emitted") },
		exec.LoopOptions{Active: flag})
	require.ErrorIs(t, lc.Err(), exec.ErrCapture)
}

func TestLoopBodiesFail(t *testing.T) {
	gpu := asGPU(t)
	flag := newArray(t, gpu, int32(1))
	failure := errors.New("no")
	stream := gpu.wrap(gpu.Device.DefaultStream())
	fails := func(fail map[string]error, ctx context.Context) (emitted int, err error) {
		stream.fail = fail
		defer func() { stream.fail = nil }()
		err = eager(t, ctx, gpu, func(lc *exec.LaunchContext) {
			exec.BoundedLoop(lc, 9, func(lc *exec.LaunchContext, i int) {
				emitted++
				if i == 1 && fail == nil {
					lc.Fail(failure)
				}
			}, exec.LoopOptions{Active: flag})
		})
		return emitted, err
	}
	for _, ctx := range []context.Context{t.Context(), exec.AllowHostPoll(t.Context(), true)} {
		emitted, err := fails(nil, ctx)
		assert.Same(t, failure, err)
		assert.Equal(t, 2, emitted)
	}
	_, err := fails(map[string]error{"sync": backend.ErrDeviceLost}, exec.AllowHostPoll(t.Context(), true))
	require.ErrorIs(t, err, backend.ErrDeviceLost)
	assert.Contains(t, err.Error(), "read the flag")
	capture(t, gpu.DefaultStream(), func() {
		emitted, err := fails(nil, t.Context())
		assert.Same(t, failure, err)
		assert.Equal(t, 2, emitted)
	})
}

func TestLoopBodyUsesItsContextAlone(t *testing.T) { // D17, R38
	device := openCPU(t)
	array := newArray(t, device, int32(0))
	for _, emit := range []func(lc *exec.LaunchContext){
		func(outer *exec.LaunchContext) {
			exec.BoundedLoop(outer, 1, func(*exec.LaunchContext, int) { exec.Fill(outer, array, 1) }, exec.LoopOptions{})
		},
		func(outer *exec.LaunchContext) {
			exec.Repeat(outer, 1, array, func(*exec.LaunchContext) { exec.Fill(outer, array, 1) })
		},
	} {
		require.NoError(t, array.Write(t.Context(), []int32{5}))
		require.ErrorIs(t, eager(t, t.Context(), device, emit), exec.ErrCapture)
		assert.Equal(t, []int32{5}, read(t, array))
	}
}

// Nested loops and conditionals require all enclosing flags (D4).
func TestNestedLoops(t *testing.T) { // R44, D4
	for _, whileNodes := range []bool{false, true} {
		device := asGPU(t)
		device.caps.WhileNodes = whileNodes
		outer, inner := newCountdown(t, device, 2), newCountdown(t, device, 3)
		gate := newArray(t, device, int32(1))
		body := func(lc *exec.LaunchContext) {
			outer.begin(lc)
			exec.BoundedLoop(lc, 4, func(lc *exec.LaunchContext, i int) {
				inner.begin(lc)
				exec.SkipUnless(lc, gate, func(lc *exec.LaunchContext) {
					exec.Repeat(lc, 9, inner.flag, func(lc *exec.LaunchContext) { inner.iteration(lc, 0) })
				})
				outer.iteration(lc, i)
			}, exec.LoopOptions{Active: outer.flag})
		}
		graph := capture(t, device.DefaultStream(), func() { require.NoError(t, eager(t, t.Context(), device, body)) })
		require.NoError(t, device.DefaultStream().Replay(graph))
		assert.Equal(t, []int32{2}, read(t, outer.runs))
		assert.Equal(t, []int32{3}, read(t, inner.runs))
		require.NoError(t, gate.Write(t.Context(), []int32{0}))
		require.NoError(t, device.DefaultStream().Replay(graph))
		assert.Equal(t, []int32{0}, read(t, inner.runs))
	}
}

func TestRepeat(t *testing.T) { // D12
	repeat := func(c *countdown, limit int) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			c.begin(lc)
			exec.Repeat(lc, limit, c.flag, func(lc *exec.LaunchContext) { c.iteration(lc, 0) })
		}
	}
	cpu, gpu, whileGPU, recording := openCPU(t), asGPU(t), asGPU(t), asGPU(t)
	gpu.caps.WhileNodes = false
	recording.caps.EagerConditionals = true
	check := func(t *testing.T, device backend.Device, early bool, run func(exec.Enqueue) error) {
		for _, limit := range []int{0, 1, 4, 7} {
			for _, start := range []int{0, 1, 5} {
				c := newCountdown(t, device, int32(start))
				require.NoError(t, run(repeat(c, limit)))
				runs := limit
				if early {
					runs = min(start, limit)
				}
				assert.Equal(t, []int32{int32(runs)}, read(t, c.runs), "limit %d, start %d", limit, start)
				assert.Equal(t, []int32{int32(min(start, limit))}, read(t, c.sum))
			}
		}
	}
	eagerly := func(device backend.Device) func(exec.Enqueue) error {
		return func(body exec.Enqueue) error { return eager(t, t.Context(), device, body) }
	}
	recorded := func(device backend.Device) func(exec.Enqueue) error {
		return func(body exec.Enqueue) error {
			graph := capture(t, device.DefaultStream(), func() { require.NoError(t, eagerly(device)(body)) })
			return errors.Join(device.DefaultStream().Replay(graph), device.DefaultStream().Replay(graph))
		}
	}
	t.Run("eager CPU", func(t *testing.T) { check(t, cpu, true, eagerly(cpu)) })
	t.Run("eager GPU", func(t *testing.T) { check(t, gpu, false, eagerly(gpu)) })
	t.Run("eager where work is recorded", func(t *testing.T) { check(t, recording, true, eagerly(recording)) })
	t.Run("captured on the CPU", func(t *testing.T) { check(t, cpu, true, recorded(cpu)) })
	t.Run("captured in windows", func(t *testing.T) { check(t, gpu, true, recorded(gpu)) })
	t.Run("captured in a node", func(t *testing.T) { check(t, whileGPU, true, recorded(whileGPU)) })

	c := newCountdown(t, cpu, 100)
	graph := capture(t, cpu.DefaultStream(), func() { require.NoError(t, eagerly(cpu)(repeat(c, 1000))) })
	assert.Less(t, graph.Nodes(), 10, "the body is recorded once")

	never := func(*exec.LaunchContext) { t.Error("nothing may be emitted") }
	wide := newArray(t, cpu, int32(1), 1)
	for arg, emit := range map[string]exec.Enqueue{
		"limit":         func(lc *exec.LaunchContext) { exec.Repeat(lc, -1, c.flag, never) },
		"body":          func(lc *exec.LaunchContext) { exec.Repeat(lc, 1, c.flag, nil) },
		"Active":        func(lc *exec.LaunchContext) { exec.Repeat(lc, 1, exec.Array[int32]{}, never) },
		"Active length": func(lc *exec.LaunchContext) { exec.Repeat(lc, 1, wide, never) },
	} {
		requireArgError(t, eagerly(cpu)(emit), arg)
	}
}

// The result of a loop does not depend on its windows (R32, R140).
func TestBoundedLoopProperty(t *testing.T) {
	device := openCPU(t)
	c := newCountdown(t, device, 0)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(rt, "n")
		start := rapid.IntRange(0, 14).Draw(rt, "start")
		first := rapid.IntRange(0, 14).Draw(rt, "first")
		every := rapid.IntRange(1, 14).Draw(rt, "every")
		require.NoError(rt, c.start.Write(t.Context(), []int32{int32(start)}))
		lc, err := exec.For(t.Context(), device)
		require.NoError(rt, err)
		c.generate(n, first, every)(lc)
		require.NoError(rt, lc.Err())
		sum, err := c.sum.Read(t.Context())
		require.NoError(rt, err)
		require.Equal(rt, wantSum(n, start), sum[0])
		runs, err := c.runs.Read(t.Context())
		require.NoError(rt, err)
		require.Equal(rt, wantRuns(n, start, first, every), runs[0])
	})
}
