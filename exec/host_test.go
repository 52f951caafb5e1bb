package exec_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

func newSlot(t testing.TB, device backend.Device, id string, class exec.CaptureClass) *exec.StageSlot {
	t.Helper()
	slot, err := exec.NewStageSlot(device, id, class)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, slot.Close()) })
	return slot
}

func newHostArray[T kernel.Element](t testing.TB, device backend.Device, n int) exec.HostArray[T] {
	t.Helper()
	h, err := exec.NewHostArray[T](device, n)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}

// inHostStage runs use with the host operations of a HOST stage.
func inHostStage(t testing.TB, device backend.Device, use func(h *exec.HostOps)) {
	t.Helper()
	slot := newSlot(t, device, "infer", exec.Host)
	require.NoError(t, eager(t, t.Context(), device, func(lc *exec.LaunchContext) {
		slot.Run(lc, func(lc *exec.LaunchContext) {
			h, err := lc.Host()
			require.NoError(t, err)
			use(h)
		})
	}))
}

func TestHostOps(t *testing.T) { // R83, R86-R91, R93
	for _, device := range []backend.Device{openCPU(t), asGPU(t)} {
		numbers := newArray(t, device, int32(4), 5, 6)
		points := newArray(t, device, kernel.Vec2{X: 1, Y: 2}, kernel.Vec2{X: 3, Y: 4})
		via, wide := newHostArray[kernel.Vec2](t, device, 2), newHostArray[int32](t, device, 5)
		inHostStage(t, device, func(h *exec.HostOps) {
			assert.Equal(t, "infer", h.StageID())
			require.NoError(t, h.Sync())
			for i, want := range []int32{4, 5, 6} {
				got, err := h.ReadInt32(numbers, i)
				require.NoError(t, err)
				assert.Equal(t, want, got)
			}
			view, err := exec.Readback(h, points, via)
			require.NoError(t, err)
			assert.Equal(t, []kernel.Vec2{{X: 1, Y: 2}, {X: 3, Y: 4}}, view)
			via.Values()[0].X = 9
			assert.Equal(t, float32(9), view[0].X, "a view, not a copy (R90)")
			short, err := exec.Readback(h, numbers, wide)
			require.NoError(t, err)
			assert.Equal(t, []int32{4, 5, 6}, short)

			require.NoError(t, exec.Upload(h, points, []kernel.Vec2{{X: 5, Y: 6}, {X: 7, Y: 8}}, via))
			via.Values()[0].X = 100 // via is free again (R91)
			require.NoError(t, exec.UploadComponents(h, numbers, []float64{1.9, -2.9, 3}, wide))
		})
		assert.Equal(t, []kernel.Vec2{{X: 5, Y: 6}, {X: 7, Y: 8}}, read(t, points))
		assert.Equal(t, []int32{1, -2, 3}, read(t, numbers))
		inHostStage(t, device, func(h *exec.HostOps) { // C23: flat components, float64 converted
			require.NoError(t, exec.UploadComponents(h, points, []float64{0.1, 1, 2, 3}, via))
		})
		assert.Equal(t, []kernel.Vec2{{X: 0.1, Y: 1}, {X: 2, Y: 3}}, read(t, points))

		unsigned, uvia := newArray(t, device, uint32(0)), newHostArray[uint32](t, device, 1)
		inHostStage(t, device, func(h *exec.HostOps) {
			require.NoError(t, exec.UploadComponents(h, unsigned, []int64{1 << 31}, uvia))
		})
		assert.Equal(t, []uint32{1 << 31}, read(t, unsigned))
	}
}

func TestHostOpsWaitForTheStreamAlone(t *testing.T) { // R86, R88
	device := asGPU(t)
	numbers := newArray(t, device, int32(4))
	inHostStage(t, device, func(h *exec.HostOps) {
		device.take()
		require.NoError(t, h.Sync())
		_, err := h.ReadInt32(numbers, 0)
		require.NoError(t, err)
		assert.Equal(t, []string{"sync", "sync"}, device.take())
	})
}

func TestHostOpsAllocateNothing(t *testing.T) { // R86
	device := openCPU(t)
	numbers, via := newArray(t, device, int32(4), 5), newHostArray[int32](t, device, 2)
	slot := newSlot(t, device, "infer", exec.Host)
	lc := launchContext(t, device)
	body := func(lc *exec.LaunchContext) {
		h, err := lc.Host()
		if err == nil {
			_, err = h.ReadInt32(numbers, 1)
		}
		if err == nil {
			_, err = exec.Readback(h, numbers, via)
		}
		if err == nil {
			err = exec.Upload(h, numbers, via.Values(), via)
		}
		lc.Fail(err)
	}
	assert.Zero(t, testing.AllocsPerRun(50, func() { slot.Run(lc, body) }))
	require.NoError(t, lc.Err())
}

func TestHostRefuses(t *testing.T) { // R84, R85
	device, other := openCPU(t), openCPU(t)
	host, static := newSlot(t, device, "infer", exec.Host), newSlot(t, device, "relax", exec.Static)
	emit := func(body exec.Enqueue) error { return eager(t, t.Context(), device, body) }
	require.NoError(t, emit(func(lc *exec.LaunchContext) {
		_, err := lc.Host()
		var capture *backend.CaptureError
		require.ErrorAs(t, err, &capture, "no stage is emitting")
		static.Run(lc, func(lc *exec.LaunchContext) {
			_, err := lc.Host()
			requireArgError(t, err, "class of the stage")
		})
		host.Run(lc, func(lc *exec.LaunchContext) {
			_, err := lc.Host()
			require.NoError(t, err)
			exec.BoundedLoop(lc, 1, func(lc *exec.LaunchContext, _ int) {
				_, err := lc.Host()
				require.NoError(t, err, "a window that always runs")
			}, exec.LoopOptions{})
		})
		_, err = lc.Host()
		require.ErrorAs(t, err, &capture, "the stage has ended")
	}))
	capture(t, device.DefaultStream(), func() {
		require.NoError(t, emit(func(lc *exec.LaunchContext) {
			host.Run(lc, func(lc *exec.LaunchContext) {
				_, err := lc.Host()
				var refused *exec.NotCapturableError
				require.ErrorAs(t, err, &refused)
				assert.Equal(t, []string{"infer"}, refused.StageIDs)
				require.ErrorIs(t, err, exec.ErrCapture)
			})
			static.Run(lc, func(lc *exec.LaunchContext) { // R85: the class comes before the capture
				_, err := lc.Host()
				requireArgError(t, err, "class of the stage")
			})
		}))
	})
	foreign := newSlot(t, other, "infer", exec.Host)
	require.ErrorIs(t, emit(func(lc *exec.LaunchContext) { foreign.Run(lc, func(*exec.LaunchContext) {}) }),
		exec.ErrDeviceMismatch)
	requireArgError(t, emit(func(lc *exec.LaunchContext) { host.Run(lc, nil) }), "slot or body")
	var none *exec.StageSlot
	requireArgError(t, emit(func(lc *exec.LaunchContext) { none.Run(lc, func(*exec.LaunchContext) {}) }), "slot or body")
	assert.Equal(t, "", none.ID())
	assert.Equal(t, exec.Static, none.Class())
	require.NoError(t, none.Close())
	var nilContext *exec.LaunchContext
	_, err := nilContext.Host()
	requireArgError(t, err, "context")

	_, err = exec.NewStageSlot(nil, "x", exec.Static)
	requireArgError(t, err, "device")
	_, err = exec.NewStageSlot(device, "", exec.Static)
	requireArgError(t, err, "id")
	_, err = exec.NewStageSlot(device, "x", 3)
	requireArgError(t, err, "class")
}

func TestHostOpsRefuse(t *testing.T) { // R89-R91
	device, other := openCPU(t), openCPU(t)
	numbers, elsewhere := newArray(t, device, int32(4), 5), newArray(t, other, int32(4), 5)
	via, short, viaElsewhere := newHostArray[int32](t, device, 2), newHostArray[int32](t, device, 1),
		newHostArray[int32](t, other, 2)
	closed, err := exec.NewHostArray[int32](device, 2)
	require.NoError(t, err)
	require.NoError(t, errors.Join(closed.Close(), closed.Close(), exec.HostArray[int32]{}.Close()))
	assert.Nil(t, closed.Values())
	var kept *exec.HostOps
	inHostStage(t, device, func(h *exec.HostOps) {
		kept = h
		for _, index := range []int{-1, 2} {
			_, err := h.ReadInt32(numbers, index)
			requireArgError(t, err, "index")
		}
		_, err := h.ReadInt32(exec.Array[int32]{}, 0)
		requireArgError(t, err, "array")
		_, err = h.ReadInt32(elsewhere, 0)
		require.ErrorIs(t, err, exec.ErrDeviceMismatch)
		_, err = exec.Readback(h, elsewhere, via)
		require.ErrorIs(t, err, exec.ErrDeviceMismatch)
		_, err = exec.Readback(h, numbers, short)
		requireArgError(t, err, "via length")
		_, err = exec.Readback(h, numbers, viaElsewhere)
		require.ErrorIs(t, err, exec.ErrDeviceMismatch)
		_, err = exec.Readback(h, numbers, exec.HostArray[int32]{})
		requireArgError(t, err, "via")
		_, err = exec.Readback(h, numbers, closed)
		require.ErrorIs(t, err, exec.ErrClosed)
		requireArgError(t, exec.Upload(h, numbers, []int32{1}, via), "data length")
		requireArgError(t, exec.UploadComponents(h, numbers, []float64{1, 2, 3}, via), "data length")
		requireArgError(t, exec.Upload(h, numbers, []int32{1, 2}, short), "via length")
		require.ErrorIs(t, exec.Upload(h, elsewhere, []int32{1, 2}, via), exec.ErrDeviceMismatch)
	})
	require.ErrorIs(t, kept.Sync(), exec.ErrCapture, "the stage has ended")
	require.ErrorIs(t, (*exec.HostOps)(nil).Sync(), exec.ErrCapture)
	assert.Equal(t, []int32{4, 5}, read(t, numbers))

	_, err = exec.NewHostArray[int32](nil, 1)
	requireArgError(t, err, "device")
	_, err = exec.NewHostArray[int32](device, -1)
	requireArgError(t, err, "length")
	empty := newHostArray[int32](t, device, 0)
	assert.Empty(t, empty.Values())
	assert.Zero(t, empty.Len())
}

func TestHostOpsFail(t *testing.T) { // R88-R91
	device := asGPU(t)
	stream := device.wrap(device.Device.DefaultStream())
	numbers, via := newArray(t, device, int32(4), 5), newHostArray[int32](t, device, 2)
	uses := map[string]func(h *exec.HostOps) error{
		"sync":     (*exec.HostOps).Sync,
		"download": func(h *exec.HostOps) error { _, err := h.ReadInt32(numbers, 0); return err },
		"upload":   func(h *exec.HostOps) error { return exec.Upload(h, numbers, []int32{1, 2}, via) },
	}
	inHostStage(t, device, func(h *exec.HostOps) {
		for op, use := range uses {
			stream.fail = map[string]error{op: backend.ErrDeviceLost}
			require.ErrorIs(t, use(h), backend.ErrDeviceLost, op)
		}
		for _, op := range []string{"sync", "download"} {
			stream.fail = map[string]error{op: backend.ErrDeviceLost}
			_, err := h.ReadInt32(numbers, 0)
			require.ErrorIs(t, err, backend.ErrDeviceLost)
			_, err = exec.Readback(h, numbers, via)
			require.ErrorIs(t, err, backend.ErrDeviceLost)
		}
		stream.fail = map[string]error{"sync": backend.ErrDeviceLost}
		require.ErrorIs(t, exec.UploadComponents(h, numbers, []int{1, 2}, via), backend.ErrDeviceLost)
		stream.fail = nil
	})
	device.refuseHost = backend.ErrOutOfMemory
	_, err := exec.NewStageSlot(device, "infer", exec.Host)
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
	_, err = exec.HostBuffer[int32](&builder{device: device, slot: newSlotOf(t, device)}, 3)
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
	device.refuseHost = nil

	slot := newSlot(t, device, "infer", exec.Host)
	failure := errors.New("before")
	err = eager(t, t.Context(), device, func(lc *exec.LaunchContext) {
		slot.Run(lc, func(lc *exec.LaunchContext) {
			h, err := lc.Host()
			require.NoError(t, err)
			lc.Fail(failure)
			require.ErrorIs(t, h.Sync(), failure, "after an error nothing waits")
			_, err = lc.Host()
			require.ErrorIs(t, err, failure)
		})
	})
	require.ErrorIs(t, err, failure)
}

// newSlotOf returns the slot of a HOST stage on a device that refuses host memory.
func newSlotOf(t testing.TB, device *double) *exec.StageSlot {
	refused := device.refuseHost
	device.refuseHost = nil
	defer func() { device.refuseHost = refused }()
	return newSlot(t, device, "infer", exec.Host)
}

func TestErrorsNameTheStage(t *testing.T) {
	device := openCPU(t)
	slot := newSlot(t, device, "relax", exec.Static)
	failure := errors.New("no")
	err := eager(t, t.Context(), device, func(lc *exec.LaunchContext) {
		slot.Run(lc, func(lc *exec.LaunchContext) { lc.Fail(failure) })
	})
	require.ErrorIs(t, err, failure)
	assert.EqualError(t, err, `stage "relax": no`)
}

// builder is the exec.Builder of these tests.
type builder struct {
	device  backend.Device
	slot    *exec.StageSlot
	closers []io.Closer
}

func (b *builder) Envs() int               { return 3 }
func (b *builder) Device() backend.Device  { return b.device }
func (b *builder) Seed() exec.Array[int32] { return exec.Array[int32]{} }
func (b *builder) Slot() *exec.StageSlot   { return b.slot }
func (b *builder) Keep(c io.Closer)        { b.closers = append(b.closers, c) }

func TestBuilderAllocations(t *testing.T) { // R86, R156
	device := openCPU(t)
	b := &builder{device: device, slot: newSlot(t, device, "infer", exec.Host)}
	points, err := exec.PerEnv[kernel.Vec2](b, 4)
	require.NoError(t, err)
	assert.Equal(t, 12, points.Len())
	scratch, err := exec.Scratch[int32](b, 5)
	require.NoError(t, err)
	assert.Equal(t, 5, scratch.Len())
	host, err := exec.HostBuffer[int32](b, 6)
	require.NoError(t, err)
	assert.Equal(t, 6, host.Len())
	require.Len(t, b.closers, 3)
	for _, c := range b.closers {
		require.NoError(t, c.Close())
	}

	b.slot = newSlot(t, device, "relax", exec.Bounded)
	_, err = exec.HostBuffer[int32](b, 6)
	requireArgError(t, err, "class of the stage")
	b.slot = nil
	_, err = exec.HostBuffer[int32](b, 6)
	requireArgError(t, err, "stage")
	for _, n := range []int{-1, exec.MaxElements} {
		_, err = exec.PerEnv[int32](b, n)
		requireArgError(t, err, "elements per env")
	}
	_, err = exec.Scratch[int32](b, -1)
	requireArgError(t, err, "length")
	_, err = exec.PerEnv[int32](nil, 1)
	requireArgError(t, err, "builder")
	_, err = exec.Scratch[int32](nil, 1)
	requireArgError(t, err, "builder")
	_, err = exec.HostBuffer[int32](nil, 1)
	requireArgError(t, err, "builder")
}
