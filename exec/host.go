package exec

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
	"github.com/trackgen-go/trackgen/kernel"
)

// HostArray is host memory that the device copies to and from without staging. Like Array it is a small value whose
// copies share the memory. A producer allocates it when it is built, never while it runs.
type HostArray[T kernel.Element] struct {
	memory *hostMemory
	length int
}

// hostMemory is one host buffer.
type hostMemory struct {
	device backend.Device
	buffer backend.HostBuffer
	closed atomic.Bool
}

// NewHostArray allocates host memory for n elements. n ranges from 0 to MaxElements.
func NewHostArray[T kernel.Element](device backend.Device, n int) (HostArray[T], error) {
	const op = "new host array"
	if err := CheckDevice(op, device); err != nil {
		return HostArray[T]{}, err
	}
	if n < 0 || int64(n) > MaxElements {
		return HostArray[T]{}, &backend.ArgumentError{Op: op, Argument: "length", Value: n,
			Allowed: fmt.Sprintf("0 to %d elements", int64(MaxElements))}
	}
	buffer, err := device.AllocHost(int64(max(n, 1)) * elementSize[T]())
	if err != nil {
		return HostArray[T]{}, fmt.Errorf("new host array of %d %v: %w", n, kernel.TypeOf[T](), err)
	}
	return HostArray[T]{memory: &hostMemory{device: device, buffer: buffer}, length: n}, nil
}

// Len returns the number of elements.
func (h HostArray[T]) Len() int { return h.length }

// Values returns the elements themselves, not a copy, or nil if the memory is closed.
func (h HostArray[T]) Values() []T {
	if h.memory == nil || h.memory.closed.Load() {
		return nil
	}
	bytes := h.memory.buffer.Bytes()
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), h.length)
}

// Close releases the memory, as Array.Close does. Closing the zero HostArray, or closing twice, does nothing.
func (h HostArray[T]) Close() error {
	if h.memory == nil || !h.memory.closed.CompareAndSwap(false, true) {
		return nil
	}
	if err := h.memory.buffer.Close(); err != nil {
		return Doing("close host array", err)
	}
	return nil
}

// checkOn returns an error unless h is on device and has room for n elements.
func (h HostArray[T]) checkOn(op string, device backend.Device, n int) error {
	switch {
	case h.memory == nil:
		return &backend.ArgumentError{Op: op, Argument: "via", Value: "the zero HostArray",
			Allowed: "a host buffer of the stage"}
	case h.memory.closed.Load():
		return &backend.ClosedError{Op: op, What: "host array via"}
	case h.memory.device != device:
		return mismatch(op, "via", h.memory.device, device)
	case h.length < n:
		return &backend.ArgumentError{Op: op, Argument: "via length", Value: h.length, Allowed: fmt.Sprintf("%d or more", n)}
	}
	return nil
}

// HostOps lets a HOST stage read back results, upload data and wait. It works on the stream of the stage's context,
// through memory that was allocated when the stage was built (R86), and never waits for the whole device. It is valid
// while the stage emits.
type HostOps struct {
	slot *StageSlot
	lc   *LaunchContext
}

// Host returns the HostOps of the stage that is emitting through lc.
//
// Outside of a stage it returns a *backend.CaptureError; in a stage that is not HOST, a *backend.ArgumentError; while
// the stream is being captured, a *NotCapturableError. The checks run in this order (R84).
func (lc *LaunchContext) Host() (*HostOps, error) {
	const op = "host operations"
	if err := lc.Err(); err != nil {
		return nil, err
	}
	slot := lc.slot
	switch {
	case slot == nil:
		return nil, &backend.CaptureError{Op: op,
			Reason: "no stage of this device is emitting; call Host inside the Enqueue of a HOST stage"}
	case slot.class != Host:
		return nil, &backend.ArgumentError{Op: op, Argument: "class of the stage", Value: slot.class,
			Allowed: "host: declare that class for the stage"}
	case lc.inDevice || lc.nesting.opener != nil:
		return nil, &backend.CaptureError{Op: op, Reason: "the stage has a conditional body open, which the device may skip"}
	case lc.stream.Capture() != backend.CaptureNone:
		return nil, &NotCapturableError{Name: slot.id, StageIDs: []string{slot.id}, Detail: "its stream is being captured"}
	}
	slot.ops = HostOps{slot: slot, lc: lc}
	return &slot.ops, nil
}

// StageID returns the name of the stage.
func (h *HostOps) StageID() string {
	if h == nil {
		return ""
	}
	return h.slot.ID()
}

// Sync blocks until the stream of the context has run everything.
func (h *HostOps) Sync() error {
	if err := h.begin("sync"); err != nil {
		return err
	}
	defer h.end()
	return h.wait("sync")
}

// ReadInt32 returns a[index] after all work emitted so far has run.
func (h *HostOps) ReadInt32(a Array[int32], index int) (int32, error) {
	const op = "read int32"
	if err := h.begin(op); err != nil {
		return 0, err
	}
	defer h.end()
	if err := a.checkOn(op, "array", h.lc.device); err != nil {
		return 0, err
	}
	if index < 0 || index >= a.length {
		return 0, &backend.ArgumentError{Op: op, Argument: "index", Value: index, Allowed: fmt.Sprintf("0 to %d", a.length-1)}
	}
	element := a.View()
	element.Offset, element.Bytes = element.Offset+4*int64(index), 4
	if err := h.lc.stream.Download(h.slot.word.memory.buffer, 0, element); err != nil {
		return 0, Doing(op, err)
	}
	if err := h.wait(op); err != nil {
		return 0, err
	}
	return h.slot.word.Values()[0], nil
}

// Readback copies source into via, waits, and returns the elements as a view of via, valid until via is used again.
func Readback[T kernel.Element](h *HostOps, source Array[T], via HostArray[T]) ([]T, error) {
	const op = "readback"
	if err := h.begin(op); err != nil {
		return nil, err
	}
	defer h.end()
	if err := source.checkOn(op, "source", h.lc.device); err != nil {
		return nil, err
	}
	if err := via.checkOn(op, h.lc.device, source.length); err != nil {
		return nil, err
	}
	if source.length > 0 {
		if err := h.lc.stream.Download(via.memory.buffer, 0, source.View()); err != nil {
			return nil, Doing(op, err)
		}
	}
	if err := h.wait(op); err != nil {
		return nil, err
	}
	return via.Values()[:source.length], nil
}

// Upload copies data, one value per element of destination, through via, and waits, so that via is free when Upload
// returns.
func Upload[T kernel.Element](h *HostOps, destination Array[T], data []T, via HostArray[T]) error {
	const op = "upload"
	if err := h.begin(op); err != nil {
		return err
	}
	defer h.end()
	if err := checkUpload(h, op, destination, via, len(data), destination.length); err != nil {
		return err
	}
	copy(via.Values(), data)
	return sendUpload(h, op, destination, via)
}

// Number is a type that UploadComponents converts from.
type Number interface {
	~int | ~int32 | ~int64 | ~uint32 | ~float32 | ~float64
}

// UploadComponents is Upload for a flat slice of components: two numbers per Vec2, three per Vec3, four per Quat, one
// per number. A Go conversion turns each into the component type of T.
func UploadComponents[T kernel.Element, N Number](h *HostOps, destination Array[T], data []N, via HostArray[T]) error {
	const op = "upload components"
	if err := h.begin(op); err != nil {
		return err
	}
	defer h.end()
	components := int(elementSize[T]() / 4)
	if err := checkUpload(h, op, destination, via, len(data), destination.length*components); err != nil {
		return err
	}
	words := unsafe.Pointer(unsafe.SliceData(via.Values()))
	switch kernel.TypeOf[T]() {
	case kernel.Int32:
		convert(unsafe.Slice((*int32)(words), len(data)), data)
	case kernel.Uint32:
		convert(unsafe.Slice((*uint32)(words), len(data)), data)
	default:
		convert(unsafe.Slice((*float32)(words), len(data)), data)
	}
	return sendUpload(h, op, destination, via)
}

// convert writes source into destination.
func convert[D int32 | uint32 | float32, N Number](destination []D, source []N) {
	for i, v := range source {
		destination[i] = D(v)
	}
}

func checkUpload[T kernel.Element](h *HostOps, op string, destination Array[T], via HostArray[T],
	have, want int) error {
	if err := destination.checkOn(op, "destination", h.lc.device); err != nil {
		return err
	}
	if have != want {
		return &backend.ArgumentError{Op: op, Argument: "data length", Value: have, Allowed: fmt.Sprint(want)}
	}
	return via.checkOn(op, h.lc.device, destination.length)
}

func sendUpload[T kernel.Element](h *HostOps, op string, destination Array[T], via HostArray[T]) error {
	if destination.length > 0 {
		if err := h.lc.stream.Upload(destination.View(), via.memory.buffer, 0); err != nil {
			return Doing(op, err)
		}
	}
	return h.wait(op)
}

// begin checks that the stage is still emitting, and marks the operations that follow as sanctioned.
func (h *HostOps) begin(op string) error {
	if h == nil || h.lc == nil {
		return errNotEmitting(op)
	}
	if h.lc.slot != h.slot {
		if h.lc.probe != nil {
			if err := h.lc.probe.Misuses("HostOps: " + op); err != nil {
				return Doing(op, err)
			}
		}
		return errNotEmitting(op)
	}
	if err := h.lc.Err(); err != nil {
		return err
	}
	if err := h.lc.blocked(op); err != nil {
		return err
	}
	h.lc.sanction(seam.HostOps)
	return nil
}

func errNotEmitting(op string) error {
	return &backend.CaptureError{Op: op, Reason: "the stage of these host operations is not emitting"}
}

func (h *HostOps) end() { h.lc.sanction(seam.None) }

func (h *HostOps) wait(op string) error {
	if err := h.lc.stream.Sync(); err != nil {
		return Doing(op, err)
	}
	return nil
}

// sanction tells the guards of package exectest which operations follow on the stream.
func (lc *LaunchContext) sanction(token seam.Token) {
	if lc.probe != nil {
		lc.probe.Sanction(token)
	}
}
