package exec_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// requireArgError requires a *backend.ArgumentError about arg.
func requireArgError(t testing.TB, err error, arg string) {
	t.Helper()
	var argError *backend.ArgumentError
	require.ErrorAs(t, err, &argError)
	require.Equal(t, arg, argError.Argument)
	require.ErrorIs(t, err, backend.ErrInvalid)
	require.NotEmpty(t, argError.Allowed)
	require.Contains(t, err.Error(), arg)
}

func TestStreamPrecedence(t *testing.T) { // R6
	device, other := openCPU(t), openCPU(t)
	explicit, ambientStream, bound, current := newStream(t, device), newStream(t, device), newStream(t, device),
		newStream(t, device)
	ambient := exec.With(t.Context(), launchContext(t, device, exec.OnStream(ambientStream)))
	elsewhere := exec.With(t.Context(), launchContext(t, other))

	tests := []struct {
		rule    string
		ctx     context.Context
		options []exec.Option
		want    backend.Stream
	}{
		{"R6(1) explicit stream", ambient, []exec.Option{exec.OnStream(explicit), exec.DefaultStream(bound)}, explicit},
		{"R6(2) ambient context", ambient, []exec.Option{exec.DefaultStream(bound)}, ambientStream},
		{"R6(3) default stream", t.Context(), []exec.Option{exec.DefaultStream(bound)}, bound},
		{"R9 ambient of another device", elsewhere, []exec.Option{exec.DefaultStream(bound)}, bound},
		{"R6(5) current stream", t.Context(), nil, current},
		{"D13 nil streams name none", t.Context(), []exec.Option{exec.OnStream(nil), exec.DefaultStream(nil)}, current},
	}
	require.NoError(t, device.SetCurrentStream(current)) // D15
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			lc, err := exec.For(test.ctx, device, test.options...)
			require.NoError(t, err)
			assert.Same(t, test.want, lc.Stream())
			assert.Same(t, device, lc.Device())
			assert.NoError(t, lc.Err())
		})
	}

	lc, err := exec.OnCurrentStream(device) // R12, D15
	require.NoError(t, err)
	assert.Same(t, current, lc.Stream())
}

func TestForRefuses(t *testing.T) {
	device, other := openCPU(t), openCPU(t)
	foreign := other.DefaultStream()

	_, err := exec.For(nil, device) //nolint:staticcheck // a nil context is what is tested
	requireArgError(t, err, "ctx")
	_, err = exec.For(t.Context(), nil)
	requireArgError(t, err, "device")
	_, err = exec.OnCurrentStream(nil)
	requireArgError(t, err, "device")
	_, err = exec.For(t.Context(), device, nil)
	requireArgError(t, err, "option")
	_, err = exec.For(t.Context(), device, exec.Block(-1))
	requireArgError(t, err, "Block")
	_, err = exec.For(t.Context(), device, exec.MaxBlocks(-1))
	requireArgError(t, err, "MaxBlocks")

	for _, option := range []exec.Option{exec.OnStream(foreign), exec.DefaultStream(foreign)} { // R10
		_, err = exec.For(t.Context(), device, option)
		require.ErrorIs(t, err, exec.ErrDeviceMismatch)
		var mismatch *exec.DeviceMismatchError
		require.ErrorAs(t, err, &mismatch)
		assert.Equal(t, "cpu", mismatch.Want)
	}
}

func TestErrorCell(t *testing.T) { // D10, D16
	device := openCPU(t)
	lc := launchContext(t, device)
	first := errors.New("first")
	derived := lc.With(exec.Block(64))
	derived.Fail(nil)
	require.NoError(t, lc.Err())
	derived.Fail(first)
	lc.Fail(errors.New("second"))
	assert.Same(t, first, lc.Err())
	assert.Same(t, first, lc.Unconditional().Err())

	array := newArray(t, device, int32(7))
	exec.Fill(lc, array, 1)
	assert.Equal(t, []int32{7}, read(t, array), "work after an error is ignored")

	reused, err := exec.For(exec.With(t.Context(), lc), device)
	require.NoError(t, err)
	assert.NoError(t, reused.Err(), "an ambient context that is reused starts with a clean cell")
	assert.Same(t, lc.Stream(), reused.Stream())
}

func TestNilAndZeroContexts(t *testing.T) {
	array := newArray(t, openCPU(t), int32(7))
	for _, lc := range []*exec.LaunchContext{nil, {}} {
		assert.Nil(t, lc.Device())
		assert.Nil(t, lc.Stream())
		assert.False(t, lc.Capturing())
		lc.Fail(errors.New("nowhere to go"))
		lc.Sync()
		exec.Fill(lc, array, 1)
		exec.Copy(lc, array, array)
		assert.False(t, exec.SkipUnless(lc, array, func(*exec.LaunchContext) { t.Error("the body must not run") }))
		launcher := lc.Prepare(&effectiveDef, 1)
		exec.Bind(launcher, array)
		launcher.Int32(1)
		launcher.Uint32(1)
		launcher.Float32(1)
		launcher.Launch()
		requireArgError(t, lc.Err(), "context")
		requireArgError(t, lc.With(exec.Block(1)).Err(), "context")
		requireArgError(t, lc.Unconditional().Err(), "context")
	}
	assert.Equal(t, []int32{7}, read(t, array))
	assert.Nil(t, exec.From(nil)) //nolint:staticcheck // a nil context is what is tested
	assert.Nil(t, exec.From(t.Context()))
}

func TestLaunchOptions(t *testing.T) { // R17, C24
	device := asGPU(t)
	lc := launchContext(t, device)
	assert.NoError(t, lc.With(exec.Block(256), exec.MaxBlocks(0)).Err())
	bad := lc.With(exec.MaxBlocks(-2))
	requireArgError(t, bad.Err(), "MaxBlocks")
	requireArgError(t, lc.Err(), "MaxBlocks")
}

func TestDebugSync(t *testing.T) {
	device := asGPU(t)
	lc := launchContext(t, device)
	lc.Sync()
	assert.Empty(t, device.take(), "R20")

	t.Setenv(exec.DebugSyncVariable, "1")
	lc.Sync()
	assert.Equal(t, []string{"sync"}, device.take(), "R20: the variable is read per call")

	stream := device.wrap(device.Device.DefaultStream())
	stream.fail = map[string]error{"sync": backend.ErrDeviceLost}
	lc.Sync()
	assert.ErrorIs(t, lc.Err(), backend.ErrDeviceLost)

	recording := launchContext(t, device)
	capture(t, stream, func() {
		device.take()
		recording.Sync() // R21
		assert.Empty(t, device.take())
		assert.True(t, recording.Capturing()) // R4, C14
	})
	assert.NoError(t, recording.Err())
	assert.False(t, recording.Capturing())
}

func TestCapturingCoversEveryState(t *testing.T) { // R15, D18
	device := asGPU(t)
	stream := device.wrap(device.Device.DefaultStream())
	lc := launchContext(t, device)
	for state := backend.CaptureNone; state <= backend.CaptureInvalidated; state++ {
		stream.claim = state
		assert.Equal(t, state != backend.CaptureNone, lc.Capturing())
	}
}
