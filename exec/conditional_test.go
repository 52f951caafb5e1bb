package exec_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

func TestSkipUnlessEager(t *testing.T) { // R22, R25: the CPU emits the body and never reads the flag (R26)
	device := openCPU(t)
	lc := launchContext(t, device)
	for _, set := range []int32{0, 1} {
		flag, array := newArray(t, device, set), newArray(t, device, int32(0))
		assert.False(t, exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { exec.Fill(lc, array, 5) }))
		require.NoError(t, lc.Err())
		assert.Equal(t, []int32{5}, read(t, array))
	}
}

func TestSkipUnlessInCapture(t *testing.T) { // R22, R24, D4, D14: the graph branches when it is replayed
	device := openCPU(t)
	outer, inner, array := newArray(t, device, int32(0)), newArray(t, device, int32(0)), newArray(t, device, int32(0), 0)
	first, err := array.Slice(0, 1)
	require.NoError(t, err)
	second, err := array.Slice(1, 2)
	require.NoError(t, err)
	lc := launchContext(t, device)
	graph := capture(t, lc.Stream(), func() {
		assert.True(t, exec.SkipUnless(lc, outer, func(lc *exec.LaunchContext) {
			exec.Fill(lc, first, 1)
			assert.True(t, exec.SkipUnless(lc, inner, func(lc *exec.LaunchContext) { exec.Fill(lc, second, 1) }))
		}))
	})
	require.NoError(t, lc.Err())

	for _, test := range []struct{ outer, inner, first, second int32 }{{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 1, 0},
		{-3, 2, 1, 1}} {
		require.NoError(t, array.Write(t.Context(), []int32{0, 0}))
		require.NoError(t, outer.Write(t.Context(), []int32{test.outer}))
		require.NoError(t, inner.Write(t.Context(), []int32{test.inner}))
		require.NoError(t, lc.Stream().Replay(graph))
		assert.Equal(t, []int32{test.first, test.second}, read(t, array), "%+v", test)
	}
}

func TestSkipUnlessUnconditional(t *testing.T) { // R45, R50, D7
	device := openCPU(t)
	flag, array := newArray(t, device, int32(0)), newArray(t, device, int32(0))
	body := func(lc *exec.LaunchContext) { exec.Fill(lc, array, 1) }
	inside := exec.Unconditional(t.Context(), true)
	scoped, err := exec.For(inside, device)
	require.NoError(t, err)
	restored, err := exec.For(exec.Unconditional(inside, false), device) // R47
	require.NoError(t, err)
	conditional, err := exec.For(exec.Conditional(inside, true), device) // R49
	require.NoError(t, err)
	before := launchContext(t, device)
	ambient, err := exec.For(exec.With(inside, before), device) // D16: flags come from the call's context
	require.NoError(t, err)

	capture(t, device.DefaultStream(), func() {
		assert.False(t, exec.SkipUnless(scoped, flag, body))
		assert.True(t, exec.SkipUnless(restored, flag, body))
		assert.False(t, exec.SkipUnless(conditional, flag, body))
		assert.True(t, exec.SkipUnless(before, flag, body))
		assert.False(t, exec.SkipUnless(before.Unconditional(), flag, body))
		assert.False(t, exec.SkipUnless(ambient, flag, body))
	})
	for _, lc := range []*exec.LaunchContext{scoped, restored, conditional, before, ambient} {
		require.NoError(t, lc.Err())
	}
}

func TestSkipUnlessWhereEagerWorkIsRecorded(t *testing.T) { // D3
	device := asGPU(t)
	device.caps.EagerConditionals = true
	lc := launchContext(t, device)
	for _, set := range []int32{0, 1} {
		flag, array := newArray(t, device, set), newArray(t, device, int32(0))
		assert.Equal(t, set != 0, exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { exec.Fill(lc, array, 1) }) &&
			read(t, array)[0] == 1)
		require.NoError(t, lc.Err())
		assert.Equal(t, []int32{set}, read(t, array))
	}
}

func TestSkipUnlessStates(t *testing.T) {
	device := asGPU(t)
	stream := device.wrap(device.Device.DefaultStream())
	flag, array := newArray(t, device, int32(0)), newArray(t, device, int32(0))
	for _, state := range []backend.CaptureState{backend.CaptureForeign, backend.CaptureJoined} { // R25
		stream.claim = state
		lc := launchContext(t, device)
		device.take()
		assert.False(t, exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { exec.Fill(lc, array, 1) }))
		require.NoError(t, lc.Err())
		assert.Equal(t, []string{"fill"}, device.take())
	}
	stream.claim = backend.CaptureInvalidated // D18
	lc := launchContext(t, device)
	device.take()
	assert.False(t, exec.SkipUnless(lc, flag, func(*exec.LaunchContext) { t.Error("the body must not run") }))
	require.ErrorIs(t, lc.Err(), exec.ErrCapture)
	assert.Empty(t, device.take())
}

func TestSkipUnlessRefuses(t *testing.T) { // R27, C11
	device, other := openCPU(t), openCPU(t)
	flag, wide, elsewhere := newArray(t, device, int32(1)), newArray(t, device, int32(1), 1), newArray(t, other, int32(1))
	refuse := func(flag exec.Array[int32], body exec.Enqueue) error {
		lc := launchContext(t, device)
		assert.False(t, exec.SkipUnless(lc, flag, body))
		return lc.Err()
	}
	never := func(*exec.LaunchContext) { t.Error("the body must not run") }
	requireArgError(t, refuse(wide, never), "flag length")
	requireArgError(t, refuse(exec.Array[int32]{}, never), "flag")
	require.ErrorIs(t, refuse(elsewhere, never), exec.ErrDeviceMismatch)
	requireArgError(t, refuse(flag, nil), "body")
}

func TestOuterContextRestsWhileBodyIsOpen(t *testing.T) { // D17
	device := openCPU(t)
	flag, array := newArray(t, device, int32(1)), newArray(t, device, int32(0))
	misuses := map[string]func(outer, inner *exec.LaunchContext){
		"fill":   func(outer, _ *exec.LaunchContext) { exec.Fill(outer, array, 1) },
		"copy":   func(outer, _ *exec.LaunchContext) { exec.Copy(outer, array, flag) },
		"launch": func(outer, _ *exec.LaunchContext) { outer.Prepare(&effectiveDef, 1).Launch() },
		"nested": func(outer, _ *exec.LaunchContext) { exec.SkipUnless(outer, flag, func(*exec.LaunchContext) {}) },
		"ambient": func(outer, inner *exec.LaunchContext) {
			_, err := exec.For(exec.With(t.Context(), outer), device)
			inner.Fail(err)
		},
	}
	for name, misuse := range misuses {
		t.Run(name, func(t *testing.T) {
			for _, capturing := range []bool{false, true} {
				outer := launchContext(t, device)
				emit := func() { exec.SkipUnless(outer, flag, func(inner *exec.LaunchContext) { misuse(outer, inner) }) }
				if capturing {
					capture(t, outer.Stream(), emit) // the caller's capture stays valid
				} else {
					emit()
				}
				require.ErrorIs(t, outer.Err(), exec.ErrCapture)
			}
		})
	}

	outer := launchContext(t, device)
	var kept *exec.LaunchContext
	exec.SkipUnless(outer, flag, func(inner *exec.LaunchContext) { kept = inner })
	exec.Fill(outer, array, 3)
	require.NoError(t, outer.Err())
	exec.Fill(kept, array, 4)
	require.ErrorIs(t, outer.Err(), exec.ErrCapture, "the body's context ends with the body")
	assert.Equal(t, []int32{3}, read(t, array))
}

func TestConditionalBodyFails(t *testing.T) {
	device := openCPU(t)
	flag, array := newArray(t, device, int32(1)), newArray(t, device, int32(0))
	failure := errors.New("no")
	lc := launchContext(t, device)
	graph := capture(t, lc.Stream(), func() {
		assert.False(t, exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { lc.Fail(failure) }))
		assert.Same(t, failure, lc.Err())
		exec.Fill(launchContext(t, device), array, 1)
	})
	require.NoError(t, lc.Stream().Replay(graph))
	assert.Equal(t, []int32{1}, read(t, array), "the capture stays usable")

	lc = launchContext(t, device)
	func() {
		defer func() { assert.Equal(t, "out", recover()) }()
		exec.SkipUnless(lc, flag, func(*exec.LaunchContext) { panic("out") })
	}()
	exec.Fill(lc, array, 2)
	require.NoError(t, lc.Err(), "a panic of the body leaves the context usable")

	gpu := asGPU(t)
	gpu.wrap(gpu.Device.DefaultStream()).fail = map[string]error{"if": backend.ErrUnsupported}
	flag = newArray(t, gpu, int32(1))
	capture(t, gpu.DefaultStream(), func() {
		lc := launchContext(t, gpu)
		assert.False(t, exec.SkipUnless(lc, flag, func(*exec.LaunchContext) {}))
		require.ErrorIs(t, lc.Err(), backend.ErrUnsupported)
	})
}

// A producer that runs inside the body of a conditional is part of that body: it does not replay its own graph, does
// not wait, and nests its own conditionals.
func TestRunInsideConditionalBody(t *testing.T) { // D3, D4, R14, R64 M8
	device := asGPU(t)
	device.caps.EagerConditionals = true
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	p.run(t, exec.RunOptions{}) // captures its own graph
	flag := newArray(t, device, int32(1))
	emitted := p.bodies
	lc := launchContext(t, device)
	device.take()
	exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) {
		_, err := p.Run(exec.With(t.Context(), lc), p.body, exec.RunOptions{Sync: true})
		lc.Fail(err)
	})
	require.NoError(t, lc.Err())
	assert.Equal(t, emitted+1, p.bodies)
	assert.NotContains(t, device.take(), "replay")
	assert.NotContains(t, device.take(), "sync")

	gpu, foreign := foreignDevice(t)
	flag, closed, value := newArray(t, gpu, int32(1)), newArray(t, gpu, int32(0)), newArray(t, gpu, int32(0))
	graph := foreignCapture(t, foreign, func() {
		defer register(t, foreign, exec.ForeignOptions{Conditional: true}).End()
		lc := launchContext(t, gpu, exec.OnStream(foreign))
		exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) {
			nested, err := exec.For(exec.With(t.Context(), lc), gpu)
			require.NoError(t, err)
			assert.True(t, exec.SkipUnless(nested, closed, func(lc *exec.LaunchContext) { exec.Fill(lc, value, 1) }))
			nested, err = exec.For(t.Context(), gpu, exec.OnContext(lc))
			require.NoError(t, err)
			assert.True(t, exec.SkipUnless(nested, closed, func(lc *exec.LaunchContext) { exec.Fill(lc, value, 1) }))
		})
		require.NoError(t, lc.Err())
	})
	require.NoError(t, foreign.Replay(graph))
	assert.Equal(t, []int32{0}, read(t, value))
}
