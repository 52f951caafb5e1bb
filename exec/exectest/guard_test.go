package exectest_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
)

// mine is the import path of this package.
var mine = []string{"github.com/trackgen-go/trackgen/exec/exectest_test"}

func of(t testing.TB, g *exectest.Guard, c exectest.Category) []*exectest.Violation {
	t.Helper()
	list, err := g.Of(c)
	require.NoError(t, err)
	return list
}

func TestInstrumentsAreInert(t *testing.T) { // D19, R135
	device := instrumented(t)
	assert.Same(t, device, exectest.Instrument(device), "a device is instrumented once")
	assert.Same(t, device.DefaultStream(), device.CurrentStream())
	out := newArray(t, device, int32(1))
	lc := launchContext(t, device)
	body := func(lc *exec.LaunchContext) { add(lc, 1, out) }
	assert.Zero(t, testing.AllocsPerRun(20, func() { body(lc) }))
	require.NoError(t, lc.Err())
	stream, err := device.NewStream()
	require.NoError(t, err)
	require.NoError(t, device.SetCurrentStream(stream))
	assert.Same(t, stream, device.CurrentStream())
	event, err := device.NewEvent()
	require.NoError(t, err)
	require.NoError(t, errors.Join(stream.Record(event), device.DefaultStream().Wait(event), event.Sync(), event.Close(),
		stream.Close()))
	_, err = device.AdoptStream(1)
	require.ErrorIs(t, err, backend.ErrUnsupported)
}

func TestHostSyncs(t *testing.T) { // R120, R125, R129
	device := instrumented(t)
	out := newArray(t, device, int32(1))
	event, err := device.NewEvent()
	require.NoError(t, err)
	defer event.Close()
	host, err := device.AllocHost(4)
	require.NoError(t, err)
	defer host.Close()
	stream := device.DefaultStream()
	for name, use := range map[string]func() error{
		"Stream.Sync":     stream.Sync,
		"Event.Sync":      event.Sync,
		"Stream.Download": func() error { return stream.Download(host, 0, out.View()) },
		"Stream.Upload":   func() error { return stream.Upload(out.View(), host, 0) },
		"Stream.Peek": func() error {
			_, err := stream.(backend.Peeker).Peek(out.View())
			return err
		},
	} {
		strict := exectest.NoHostSync(device, exectest.Options{})
		err := strict.Do(t.Context(), func(context.Context) error {
			_ = use() // a broad handler cannot hide it
			return nil
		})
		var violation *exectest.Violation
		require.ErrorAs(t, err, &violation, name)
		require.ErrorIs(t, err, exectest.ErrViolation)
		assert.Equal(t, exectest.HostSync, violation.Category)
		assert.Equal(t, name, violation.API)
		assert.Contains(t, violation.Site, "guard_test.go", "R130")
		assert.Contains(t, err.Error(), "HostOps", "says what to do")

		recording := exectest.NoHostSync(device, exectest.Options{Recording: true})
		require.NoError(t, recording.Do(t.Context(), func(context.Context) error { return use() }), "goes through")
		assert.Len(t, recording.Violations(), 1)
	}
}

func TestStrictRefusesBeforeTheCall(t *testing.T) { // R129, C21
	device := instrumented(t)
	g := exectest.HotPath(device, exectest.Options{})
	err := g.Do(t.Context(), func(context.Context) error {
		_, err := exec.NewArray[int32](device, 3)
		return err
	})
	require.ErrorIs(t, err, exectest.ErrViolation)
	assert.Empty(t, g.Allocated(), "nothing was made")
	assert.Len(t, of(t, g, exectest.Allocation), 1)

	failure := errors.New("mine")
	err = g.Do(t.Context(), func(context.Context) error {
		_, _ = exec.NewArray[int32](device, 3)
		return failure
	})
	assert.Same(t, failure, err, "D19: the error of the block comes first")
	require.NoError(t, g.Do(t.Context(), func(context.Context) error { return nil }),
		"R131: the record is reset on every entry")
	assert.True(t, g.OK())
}

func TestAllocations(t *testing.T) { // R121, C21, R137
	device := instrumented(t)
	g := exectest.NoAllocation(device, exectest.Options{Recording: true})
	var array exec.Array[int32]
	require.NoError(t, g.Do(t.Context(), func(ctx context.Context) error {
		var err error
		done := make(chan struct{})
		go func() { // allocation is seen on every goroutine
			defer close(done)
			array, err = exec.NewArray[int32](device, 3)
		}()
		<-done
		stream, streamErr := device.NewStream()
		event, eventErr := device.NewEvent()
		host, hostErr := device.AllocHost(4)
		return errors.Join(err, streamErr, eventErr, hostErr, device.Load(&addDef), stream.Close(), event.Close(),
			host.Close())
	}))
	var apis []string
	for _, v := range g.Violations() {
		apis = append(apis, v.API)
	}
	assert.Equal(t, []string{"Device.Alloc", "Device.NewStream", "Device.NewEvent", "Device.AllocHost", "Device.Load"},
		apis)
	require.Len(t, g.Allocated(), 1, "arrays, not other objects")
	assert.Equal(t, array.View().Buffer, g.Allocated()[0])
	assert.Equal(t, []int32{0, 0, 0}, read(t, array), "kept")
	require.NoError(t, array.Close())

	strict := exectest.NoAllocation(device, exectest.Options{})
	for _, make := range []func() error{
		func() error { _, err := device.NewStream(); return err },
		func() error { _, err := device.NewEvent(); return err },
		func() error { _, err := device.AllocHost(4); return err },
		func() error { return device.Load(&addDef) },
	} {
		require.ErrorIs(t, strict.Do(t.Context(), func(context.Context) error { return make() }), exectest.ErrViolation)
	}
}

func TestStreams(t *testing.T) { // R122, R136, C18
	device := instrumented(t)
	out := newArray(t, device, int32(1))
	side, err := device.NewStream()
	require.NoError(t, err)
	defer side.Close()
	other := launchContext(t, device, exec.OnStream(side))
	runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
	require.NoError(t, err)
	defer runner.Close()
	run := func(options exectest.Options, body exec.Enqueue) *exectest.Guard {
		options.Recording = true
		g := exectest.StreamExplicit(device, options)
		require.NoError(t, g.Do(t.Context(), func(ctx context.Context) error {
			_, err := runner.Run(ctx, body, exec.RunOptions{})
			return err
		}))
		return g
	}
	probed := exectest.Options{Modules: mine}
	good := run(probed, func(lc *exec.LaunchContext) {
		add(lc, 1, out)
		exec.Fill(lc, out, 2)
	})
	assert.True(t, good.OK(), good.Report())
	assert.Equal(t, 2, good.Checks(exectest.Stream))
	for detail, body := range map[string]exec.Enqueue{
		"another stream": func(*exec.LaunchContext) { add(other, 1, out) },
		"inside an enqueue": func(lc *exec.LaunchContext) {
			_, err := exec.OnCurrentStream(device)
			lc.Fail(err)
		},
		"past the launch context":          func(lc *exec.LaunchContext) { lc.Fail(lc.Stream().Fill(out.View(), 1)) },
		"the current stream is the caller": func(lc *exec.LaunchContext) { lc.Fail(device.SetCurrentStream(nil)) },
	} {
		g := run(probed, body)
		require.Len(t, of(t, g, exectest.Stream), 1, detail)
		assert.Contains(t, g.Violations()[0].Detail, detail)
		assert.Contains(t, g.Violations()[0].Site, "_test.go")
	}
	elsewhere := exectest.Options{Modules: []string{"example.org/other"}}
	assert.True(t, run(elsewhere, func(*exec.LaunchContext) { add(other, 1, out) }).OK(), "R125: only the probed packages")
	require.NoError(t, other.Err())
	assert.Equal(t, []string{"github.com/trackgen-go/trackgen"},
		run(exectest.Options{}, func(*exec.LaunchContext) {}).Modules())
	require.NoError(t, device.SetCurrentStream(nil))
}

// What package exec reads for legacy producers is part of the contract, even if a nested stage runs them. Other queries
// of the current stream are checked if the guard watches the caller's package.
func TestLegacyProducersKeepTheContract(t *testing.T) { // R136, D15, R125
	device := exectest.Instrument(gpu{openCPU(t)})
	out := newArray(t, device, int32(1))
	old := exec.LegacyProducer{Name: "old", Generate: func(ctx context.Context, device backend.Device) error {
		lc, err := exec.For(ctx, device)
		if err != nil {
			return err
		}
		add(lc, 1, out)
		return lc.Err()
	}}.Enqueue()
	var runners []*exec.GraphRunner
	for _, legacy := range []bool{true, true, false} {
		runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true, Legacy: legacy})
		require.NoError(t, err)
		defer func() { require.NoError(t, runner.Close()) }()
		runners = append(runners, runner)
	}
	guarded := func(options exectest.Options, body exec.Enqueue) error {
		return exectest.StreamExplicit(device, options).Do(t.Context(), func(ctx context.Context) error {
			_, err := runners[0].Run(ctx, body, exec.RunOptions{Policy: exec.Eager})
			return err
		})
	}
	within := func(runner *exec.GraphRunner, body exec.Enqueue) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			ctx := exec.With(t.Context(), lc)
			_, release, err := runner.Serial(ctx, lc)
			lc.Fail(err)
			release()
			lc.Fail(runner.CheckRecord(lc))
			_, err = runner.Run(ctx, body, exec.RunOptions{Policy: exec.Eager})
			lc.Fail(err)
		}
	}
	probed := exectest.Options{Modules: append([]string{"github.com/trackgen-go/trackgen/exec"}, mine...)}
	require.NoError(t, guarded(probed, old))
	require.NoError(t, guarded(probed, within(runners[1], old)))
	require.NoError(t, guarded(probed, within(runners[2], func(lc *exec.LaunchContext) { add(lc, 1, out) })))
	asks := func(*exec.LaunchContext) { _ = device.CurrentStream() }
	require.ErrorIs(t, guarded(probed, asks), exectest.ErrViolation)
	require.NoError(t, guarded(exectest.Options{Modules: []string{"example.org/another"}}, asks))
}

func TestModulePrefixes(t *testing.T) { // R125
	device := instrumented(t)
	out := newArray(t, device, int32(1))
	for prefix, found := range map[string]int{
		"github.com/trackgen-go/trackgen":                    1,
		"github.com/trackgen-go/trackgen/":                   1,
		"github.com/trackgen-go/trackgen/exec/exectest_test": 1,
		"github.com/trackgen-go/trackgen/exec/exectest_te":   0,
		"github.com/trackgen-go/track":                       0,
	} {
		g := exectest.StreamExplicit(device, exectest.Options{Modules: []string{prefix}, Recording: true})
		require.NoError(t, g.Do(t.Context(),
			func(context.Context) error { return device.DefaultStream().Fill(out.View(), 1) }))
		assert.Len(t, g.Violations(), found, prefix)
	}
}

func TestCaptures(t *testing.T) { // R123, C17
	device := instrumented(t)
	out, flag := newArray(t, device, int32(1)), newArray(t, device, int32(1))
	g, err := exectest.New(device, exectest.Options{Recording: true}, exectest.Capture)
	require.NoError(t, err)
	require.NoError(t, g.Do(t.Context(), func(ctx context.Context) error {
		stream := device.DefaultStream()
		lc := launchContext(t, device)
		require.NoError(t, stream.BeginCapture())
		exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { add(lc, 1, out) })
		exec.Repeat(lc, 2, flag, func(lc *exec.LaunchContext) { add(lc, 1, out) })
		graph, err := stream.EndCapture()
		return errors.Join(lc.Err(), err, stream.Replay(graph), graph.Close())
	}))
	var apis []string
	for _, v := range g.Violations() {
		apis = append(apis, v.API)
	}
	assert.Equal(t, []string{"Stream.BeginCapture", "Stream.If", "Stream.Repeat", "Stream.EndCapture", "Stream.Replay"},
		apis)
	assert.Contains(t, g.Violations()[1].Site, "conditional.go", "C17: package exec counts as a caller")
	assert.Equal(t, []int32{4}, read(t, out))
}

func TestOwnGraphsAreReported(t *testing.T) { // R134, C17
	device := exectest.Instrument(gpu{openCPU(t)})
	out := newArray(t, device, int32(1))
	runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
	require.NoError(t, err)
	defer runner.Close()
	body := func(lc *exec.LaunchContext) { add(lc, 1, out) }
	_, err = runner.Run(t.Context(), body, exec.RunOptions{})
	require.NoError(t, err)
	g := exectest.HotPath(device, exectest.Options{})
	run := func(options exec.RunOptions) error {
		return g.Do(t.Context(), func(ctx context.Context) error {
			_, err := runner.Run(ctx, body, options)
			return err
		})
	}
	require.ErrorIs(t, run(exec.RunOptions{}), exectest.ErrViolation, "a replay")
	require.NoError(t, run(exec.RunOptions{Policy: exec.Eager}), "R134: guard eager calls")
}

func TestSanctioned(t *testing.T) { // R126, R92, C19
	device := instrumented(t)
	out, flag := newArray(t, device, int32(1)), newArray(t, device, int32(1))
	via, err := exec.NewHostArray[int32](device, 1)
	require.NoError(t, err)
	defer via.Close()
	slots := map[exec.CaptureClass]*exec.StageSlot{}
	for _, class := range []exec.CaptureClass{exec.Host, exec.Bounded} {
		slots[class], err = exec.NewStageSlot(device, "mine", class)
		require.NoError(t, err)
		defer slots[class].Close()
	}
	run := func(class exec.CaptureClass, body exec.Enqueue) *exectest.Guard {
		g := exectest.HotPath(device, exectest.Options{Recording: true})
		lc := launchContext(t, device)
		require.NoError(t, g.Do(t.Context(), func(context.Context) error {
			slots[class].Run(lc, body)
			return lc.Err()
		}))
		return g
	}
	loop := run(exec.Bounded, func(lc *exec.LaunchContext) {
		exec.BoundedLoop(lc, 3, func(lc *exec.LaunchContext, _ int) { add(lc, -1, flag) }, exec.LoopOptions{Active: flag})
	})
	assert.True(t, loop.OK(), loop.Report())
	assert.Len(t, loop.Sanctioned(), 2, "the poll of each window")

	hostOps := run(exec.Host, func(lc *exec.LaunchContext) {
		h, err := lc.Host()
		require.NoError(t, err)
		_, err = h.ReadInt32(out, 0)
		require.NoError(t, err)
		_, err = exec.Readback(h, out, via)
		require.NoError(t, err)
		require.NoError(t, exec.Upload(h, out, []int32{3}, via))
		require.NoError(t, exec.UploadComponents(h, out, []float64{4}, via))
		require.NoError(t, h.Sync())
	})
	assert.True(t, hostOps.OK(), hostOps.Report())
	assert.Len(t, hostOps.Sanctioned(), 9)

	own := run(exec.Host, func(lc *exec.LaunchContext) {
		_, err := lc.Host()
		lc.Fail(err)
		_, err = out.Read(t.Context()) // a stage's own readback
		lc.Fail(err)
	})
	assert.Empty(t, own.Sanctioned())
	assert.Len(t, of(t, own, exectest.HostSync), 2)

	inBody := run(exec.Bounded, func(lc *exec.LaunchContext) {
		exec.Fill(lc, flag, 1)
		exec.BoundedLoop(lc, 1, func(lc *exec.LaunchContext, _ int) { lc.Fail(lc.Stream().Sync()) },
			exec.LoopOptions{Active: flag})
	})
	assert.Len(t, of(t, inBody, exectest.HostSync), 1, "a readback inside a loop body")
}

// Host operations outside of their stage are a violation even if the error is swallowed: after the stage, in a nested
// stage of another class, and through another context, which the operations themselves cannot detect.
func TestLeakedHostOps(t *testing.T) { // R126, R129
	device := instrumented(t)
	array := newArray(t, device, int32(5))
	slot := func(class exec.CaptureClass) *exec.StageSlot {
		s, err := exec.NewStageSlot(device, class.String(), class)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	host, static, bounded, inner := slot(exec.Host), slot(exec.Static), slot(exec.Bounded), slot(exec.Host)
	for name, test := range map[string]struct {
		use  func(lc, other *exec.LaunchContext, h *exec.HostOps, read func())
		good bool
	}{
		"in place": {func(_, _ *exec.LaunchContext, _ *exec.HostOps, read func()) { read() }, true},
		"in a static stage": {func(lc, _ *exec.LaunchContext, _ *exec.HostOps, read func()) {
			static.Run(lc, func(*exec.LaunchContext) { read() })
		}, false},
		"in a bounded stage": {func(lc, _ *exec.LaunchContext, _ *exec.HostOps, read func()) {
			bounded.Run(lc, func(*exec.LaunchContext) { read() })
		}, false},
		"in another host stage": {func(lc, _ *exec.LaunchContext, _ *exec.HostOps, read func()) {
			inner.Run(lc, func(*exec.LaunchContext) { read() })
		}, false},
		"through another context": {func(_, other *exec.LaunchContext, _ *exec.HostOps, read func()) {
			static.Run(other, func(*exec.LaunchContext) { read() })
		}, false},
		"through a derived context": {func(lc, _ *exec.LaunchContext, _ *exec.HostOps, read func()) {
			static.Run(lc.With(exec.Block(8)), func(*exec.LaunchContext) { read() })
		}, false},
		"in a host stage of another": {func(_, other *exec.LaunchContext, _ *exec.HostOps, read func()) {
			inner.Run(other, func(*exec.LaunchContext) { read() })
		}, true},
	} {
		for _, recording := range []bool{false, true} {
			g := exectest.NoHostSync(device, exectest.Options{Recording: recording})
			var kept *exec.HostOps
			err := g.Do(t.Context(), func(ctx context.Context) error {
				lc, err := exec.For(ctx, device)
				require.NoError(t, err)
				other, err := exec.For(exec.With(ctx, lc), device)
				require.NoError(t, err)
				host.Run(lc, func(lc *exec.LaunchContext) {
					h, err := lc.Host()
					require.NoError(t, err)
					kept = h
					test.use(lc, other, h, func() { _, _ = h.ReadInt32(array, 0) })
				})
				return lc.Err()
			})
			assert.Equal(t, test.good, g.OK(), name)
			if test.good {
				assert.NoError(t, err, name)
				assert.NotEmpty(t, g.Sanctioned(), name)
			} else if !recording {
				assert.ErrorIs(t, err, exectest.ErrViolation, name)
				assert.Empty(t, g.Sanctioned(), name)
			}
			err = g.Do(t.Context(), func(context.Context) error {
				_ = kept.Sync()
				return nil
			})
			assert.False(t, g.OK(), "after the stage")
			assert.Equal(t, recording, err == nil)
		}
	}
}

// An enqueue emits only through the context that it receives and contexts derived from it. Another context is a
// violation even if it is on the same stream, and so is a producer that runs with one.
func TestKeptContexts(t *testing.T) { // R136
	device := instrumented(t)
	out := newArray(t, device, int32(0))
	kept := launchContext(t, device)
	flag := newArray(t, device, int32(1))
	runner := func() *exec.GraphRunner {
		r, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, r.Close()) })
		return r
	}
	outer, inner := runner(), runner()
	body := func(lc *exec.LaunchContext) { add(lc, 1, out) }
	for name, test := range map[string]struct {
		enqueue func(ctx context.Context, lc *exec.LaunchContext)
		good    bool
	}{
		"its own":   {func(_ context.Context, lc *exec.LaunchContext) { body(lc) }, true},
		"derived":   {func(_ context.Context, lc *exec.LaunchContext) { body(lc.With(exec.Block(8))) }, true},
		"of a body": {func(_ context.Context, lc *exec.LaunchContext) { exec.SkipUnless(lc, flag, body) }, true},
		"ambient": {func(ctx context.Context, lc *exec.LaunchContext) {
			body(launchContextOf(t, exec.With(ctx, lc), device))
		}, true},
		"explicit": {func(ctx context.Context, lc *exec.LaunchContext) {
			body(launchContextOf(t, ctx, device, exec.OnContext(lc)))
		}, true},
		"ambient producer": {func(ctx context.Context,
			lc *exec.LaunchContext) {
			lc.Fail(run(inner, exec.With(ctx, lc), body))
		}, true},
		"kept":            {func(context.Context, *exec.LaunchContext) { body(kept) }, false},
		"derived of kept": {func(context.Context, *exec.LaunchContext) { body(kept.With(exec.Block(8))) }, false},
		"body of kept":    {func(context.Context, *exec.LaunchContext) { exec.SkipUnless(kept, flag, body) }, false},
		"fill of kept":    {func(context.Context, *exec.LaunchContext) { exec.Fill(kept, out, 1) }, false},
		"new": {func(ctx context.Context, _ *exec.LaunchContext) { body(launchContextOf(t, ctx, device)) },
			false},
		"new of explicit": {func(ctx context.Context, _ *exec.LaunchContext) {
			body(launchContextOf(t, ctx, device, exec.OnContext(kept)))
		}, false},
		"another producer": {func(ctx context.Context, lc *exec.LaunchContext) { _ = run(inner, ctx, body) }, false},
	} {
		g := exectest.StreamExplicit(device, exectest.Options{Modules: mine, Recording: true})
		require.NoError(t, g.Do(t.Context(), func(ctx context.Context) error {
			return run(outer, ctx, func(lc *exec.LaunchContext) { test.enqueue(ctx, lc) })
		}), name)
		assert.Equal(t, test.good, g.OK(), "%s: %s", name, g.Report())
		before := read(t, out)
		strict := exectest.StreamExplicit(device, exectest.Options{Modules: mine})
		err := strict.Do(t.Context(), func(ctx context.Context) error {
			return run(outer, ctx, func(lc *exec.LaunchContext) { test.enqueue(ctx, lc) })
		})
		assert.Equal(t, test.good, err == nil, name)
		if !test.good {
			assert.ErrorIs(t, err, exectest.ErrViolation, name)
			assert.Equal(t, before, read(t, out), "%s: refused before the call", name)
			kept = launchContext(t, device)
		}
	}
}

func run(r *exec.GraphRunner, ctx context.Context, body exec.Enqueue) error {
	_, err := r.Run(ctx, body, exec.RunOptions{})
	return err
}

// launchContextOf returns a context of a call with ctx.
func launchContextOf(t testing.TB, ctx context.Context, device backend.Device,
	options ...exec.Option) *exec.LaunchContext {
	t.Helper()
	lc, err := exec.For(ctx, device, options...)
	require.NoError(t, err)
	return lc
}

func TestAllowKeys(t *testing.T) { // R127, R128
	device := instrumented(t)
	key := exectest.Key{API: "Stream.Sync", Module: mine[0], Function: "waits"}
	for _, allow := range []exectest.Key{key, {API: "Stream.Sync", Module: mine[0], Function: "other"}} {
		g := exectest.NoHostSync(device, exectest.Options{Allow: []exectest.Key{allow}, Recording: true})
		require.NoError(t, g.Do(t.Context(), func(context.Context) error { return waits(device) }))
		assert.Equal(t, allow == key, g.OK())
		assert.Equal(t, allow == key, len(g.Allowed()) == 1)
		assert.Equal(t, []exectest.Key{allow}, g.Allow())
	}
	g := exectest.NoAllocation(device, exectest.Options{Allow: []exectest.Key{{API: "Device.AllocHost", Module: mine[0],
		Function: "allocates"}}})
	require.Error(t, g.Do(t.Context(), func(context.Context) error { return allocates(device) }), "only for host_sync")
}

//go:noinline
func waits(device backend.Device) error { return device.DefaultStream().Sync() }

//go:noinline
func allocates(device backend.Device) error {
	host, err := device.AllocHost(4)
	if err != nil {
		return err
	}
	return host.Close()
}

func TestScope(t *testing.T) { // R133, D19
	device := instrumented(t)
	g := exectest.NoHostSync(device, exectest.Options{Recording: true})
	elsewhere := func(ctx context.Context, join bool) {
		done := make(chan error)
		go func() {
			use := func(context.Context) error { return device.DefaultStream().Sync() }
			if join {
				done <- exectest.Join(ctx, use)
			} else {
				done <- use(ctx)
			}
		}()
		require.NoError(t, <-done)
	}
	require.NoError(t, g.Do(t.Context(), func(ctx context.Context) error {
		elsewhere(ctx, false)
		return nil
	}))
	assert.True(t, g.OK(), "another goroutine is not seen")
	require.NoError(t, g.Do(t.Context(), func(ctx context.Context) error {
		elsewhere(ctx, true)
		return nil
	}))
	assert.Len(t, g.Violations(), 1, "unless it joins")
	require.NoError(t, exectest.Join(t.Context(), func(context.Context) error { return nil }))
	require.NoError(t, device.DefaultStream().Sync())
	assert.Len(t, g.Violations(), 1, "after the block")

	inner := exectest.NoAllocation(device, exectest.Options{Recording: true})
	require.NoError(t, g.Do(t.Context(), func(ctx context.Context) error {
		require.ErrorIs(t, g.Do(ctx, func(context.Context) error { return nil }), exectest.ErrRunning) // R131
		return inner.Do(ctx, func(context.Context) error { return errors.Join(allocates(device), waits(device)) })
	}))
	assert.Len(t, g.Violations(), 1, "guards nest")
	assert.Len(t, inner.Violations(), 1)

	assert.PanicsWithValue(t, "out", func() {
		_ = g.Do(t.Context(), func(context.Context) error { panic("out") })
	})
	require.NoError(t, g.Do(t.Context(), func(context.Context) error { return nil }), "usable after a panic")
}

func TestDebugSyncIsOffUnderAGuard(t *testing.T) { // R133, D19
	device := instrumented(t)
	t.Setenv(exec.DebugSyncVariable, "1")
	lc := launchContext(t, device)
	g := exectest.NoHostSync(device, exectest.Options{})
	require.NoError(t, g.Do(t.Context(), func(context.Context) error {
		lc.Sync()
		return lc.Err()
	}))
	assert.Zero(t, g.Checks(exectest.HostSync))
	assert.Equal(t, "1", os.Getenv(exec.DebugSyncVariable), "the environment is untouched")
	alloc := exectest.NoAllocation(device, exectest.Options{})
	count := exectest.NoHostSync(device, exectest.Options{Recording: true})
	lc.Sync()
	require.NoError(t, lc.Err())
	require.NoError(t, alloc.Do(t.Context(), func(context.Context) error { return nil }))
	assert.Zero(t, count.Checks(exectest.HostSync))
}

func TestReport(t *testing.T) { // R119, R130, R131, R132
	device := instrumented(t)
	g := exectest.HotPath(device, exectest.Options{Recording: true})
	require.NoError(t, g.Do(t.Context(), func(context.Context) error { return nil }))
	assert.Equal(t, "The hot path kept its contract.", g.Report())
	require.NoError(t, g.Err())
	require.NoError(t, g.Do(t.Context(), func(context.Context) error {
		return errors.Join(allocates(device), waits(device), waits(device), device.SetCurrentStream(nil))
	}))
	require.ErrorIs(t, g.Err(), exectest.ErrViolation)
	report := g.Report()
	sync, allocation, stream := strings.Index(report, "host_sync: 2;"), strings.Index(report, "allocation: 1;"),
		strings.Index(report, "stream: 1;")
	assert.True(t, sync == 0 && sync < allocation && allocation < stream, report)
	assert.Contains(t, report, "Stream.Sync from guard_test.go")
	assert.False(t, g.Strict())
	assert.True(t, exectest.HotPath(device, exectest.Options{}).Strict())

	_, err := g.Of(9)
	require.ErrorContains(t, err, "Category(9)")
	assert.Zero(t, g.Checks(9))
	_, err = exectest.New(device, exectest.Options{}, 9)
	require.ErrorContains(t, err, "Category(9)")
	_, err = exectest.New(nil, exectest.Options{})
	require.ErrorContains(t, err, "instrument")
	assert.Panics(t, func() { exectest.HotPath(nil, exectest.Options{}) })
	assert.Equal(t, "host_sync allocation stream capture", strings.Join([]string{exectest.HostSync.String(),
		exectest.Allocation.String(),
		exectest.Stream.String(), exectest.Capture.String()}, " "))
}

// A guard keeps the sanctions and enqueues of each goroutine apart.
func TestGoroutinesAreKeptApart(t *testing.T) { // D19, R126
	device := instrumented(t)
	var flags [4]exec.Array[int32]
	var streams [4]backend.Stream
	for i := range flags {
		flags[i] = newArray(t, device, int32(0))
		stream, err := device.NewStream()
		require.NoError(t, err)
		defer func() { require.NoError(t, stream.Close()) }()
		streams[i] = stream
	}
	g := exectest.HotPath(device, exectest.Options{Modules: mine})
	require.NoError(t, g.Do(t.Context(), func(ctx context.Context) error {
		var wait sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wait.Go(func() {
				errs[i] = exectest.Join(ctx, func(ctx context.Context) error {
					lc, err := exec.For(ctx, device, exec.OnStream(streams[i]))
					if err != nil {
						return err
					}
					for range 20 {
						exec.Fill(lc, flags[i], 1)
						exec.BoundedLoop(lc, 3, func(lc *exec.LaunchContext, _ int) { exec.Fill(lc, flags[i], 0) },
							exec.LoopOptions{Active: flags[i]})
					}
					return lc.Err()
				})
			})
		}
		wait.Wait()
		return errors.Join(errs...)
	}), g.Report())
	assert.Len(t, g.Sanctioned(), 4*20*2)
}

func TestGuardOfNothing(t *testing.T) { // R99
	var none context.Context
	var noGuard *exectest.Guard
	g := exectest.HotPath(instrumented(t), exectest.Options{})
	fn := func(context.Context) error { return nil }
	require.Error(t, noGuard.Do(t.Context(), fn))
	require.Error(t, g.Do(none, fn))
	require.Error(t, g.Do(t.Context(), nil))
	require.Error(t, exectest.Join(none, fn))
	require.Error(t, exectest.Join(t.Context(), nil))
	require.NoError(t, g.Do(t.Context(), fn))
}
