// Package noop is a backend that runs nothing: it accepts every call, checks it as every backend does, and counts the
// work. It shows what a configuration launches and how much memory it takes, on any machine:
//
//	import _ "github.com/trackgen-go/trackgen/backend/noop"
//
//	device, err := backend.Open("noop")
//	...
//	report, err := noop.Of(device)
//
// Device memory holds no data, and a download leaves host memory unchanged. Conditionals work inside and outside of
// captures, as on a GPU, and count as taken. The loops of a capture count as if they ran to their limit. So the counts
// are upper bounds of the work of a real device.
//
// It is also the template of a backend: the minimum that a driver of package recorder needs.
package noop

import (
	"math"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/internal/references"
	"github.com/trackgen-go/trackgen/kernel"
)

// name of the backend and of its only device.
const name = "noop"

func init() { backend.Register(name, driver{}) }

// driver is the registration.
type driver struct{}

// Priority is the lowest possible.
func (driver) Priority() int { return 1 }

func (driver) Devices() ([]backend.Info, error) { return []backend.Info{info}, nil }

func (driver) Open(_ int, options backend.Options) (backend.Device, error) {
	d := &device{memory: memoryCount{limit: options.MemoryLimit}}
	if d.memory.limit == 0 {
		d.memory.limit = largestMemory
	}
	if err := d.Start(d, d, recorder.LimitsNoop, options.Debug); err != nil {
		return nil, err
	}
	return d, nil
}

// info describes the device. Because of Software, "auto" does not choose it.
var info = backend.Info{
	Name: name, Backend: name, Description: "counts work and runs none", Driver: name, Software: true,
}

// device is one device and its counts.
type device struct {
	recorder.Device
	recorder.Synchronous

	memory memoryCount

	mu    sync.Mutex
	total counts
}

// Info implements backend.Device.
func (d *device) Info() backend.Info { return info }

// Caps are those of a GPU that supports everything except foreign streams.
func (d *device) Caps() backend.Caps {
	return backend.Caps{
		Capture:             true,
		OwnGraphs:           true,
		CaptureConditionals: true,
		EagerConditionals:   true,
		WhileNodes:          true,
		ExactFloat:          true,
		GraphRetain:         true,
		MaxBufferBytes:      d.memory.limit,
		MaxItems:            math.MaxInt32,
	}
}

// AdoptStream is not supported: no other library creates streams of this device.
func (d *device) AdoptStream(uintptr) (backend.Stream, error) {
	return nil, &backend.UnsupportedError{Device: name, Op: "adopt stream", Reason: "the device has no foreign streams"}
}

// Runnable accepts every kernel that some backend could run.
func (d *device) Runnable(def *kernel.Def) error {
	if def.Go != nil {
		return nil
	}
	return &backend.UnsupportedError{Device: name, Op: "kernel " + def.Name, Reason: "it has no Go implementation"}
}

// Prepare implements recorder.Driver.
func (d *device) Prepare(def *kernel.Def) error { return d.Runnable(def) }

// MakeStream implements recorder.Driver.
func (d *device) MakeStream() (*recorder.Stream, backend.Stream) {
	s := new(recorder.Looping)
	return &s.Stream, s
}

// NewQueue implements recorder.Driver.
func (d *device) NewQueue(*recorder.Stream) (recorder.Queue, error) { return &queue{device: d}, nil }

// Compile counts a graph once, so that each replay only adds the sums.
func (d *device) Compile(w *recorder.Work) (recorder.Executable, error) {
	e := new(executable)
	e.counts.program(&w.Program, 1)
	return e, nil
}

// Close implements backend.Device.
func (d *device) Close() error {
	_, err := d.Shut()
	return err
}

// executable holds the counts of a graph.
type executable struct{ counts counts }

// Close implements recorder.Executable.
func (*executable) Close() {}

// Release implements recorder.Executable.
func (*executable) Release() {}

// queue counts the work of a stream.
type queue struct {
	recorder.SynchronousQueue
	device *device
}

// Run implements recorder.Queue.
func (q *queue) Run(o *recorder.Operation) error {
	q.device.mu.Lock()
	defer q.device.mu.Unlock()
	q.device.total.operation(o, 1)
	return nil
}

// Replay implements recorder.Queue.
func (q *queue) Replay(w *recorder.Work) error {
	q.device.mu.Lock()
	defer q.device.mu.Unlock()
	q.device.total.work(w, 1)
	return nil
}

// memoryCount counts the memory of one device in bytes.
type memoryCount struct {
	mu     sync.Mutex
	limit  int64
	now    int64
	peak   int64
	device int64 // total of device memory ever allocated
	host   int64 // total of host memory ever allocated
}

// memory is a counted allocation. Only host memory is real.
type memory struct {
	count *memoryCount
	bytes int64
	host  []byte
	users references.Count
}

func (c *memoryCount) take(bytes int64, total *int64) (*memory, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes > c.limit-c.now {
		return nil, &backend.OutOfMemoryError{Device: name, Bytes: bytes, Limit: c.limit - c.now}
	}
	c.now += bytes
	c.peak = max(c.peak, c.now)
	*total = plus(*total, bytes, 1)
	m := &memory{count: c, bytes: bytes}
	m.users.Begin()
	return m, nil
}

// Allocate implements recorder.Driver.
func (d *device) Allocate(_ string, bytes int64) (recorder.Memory, error) {
	return d.memory.take(bytes, &d.memory.device)
}

const (
	// largestMemory is the limit of a device without the MemoryLimit option, more than any real device has.
	largestMemory = 1 << 45
	// largestHost is the maximum size of one host buffer, which has real memory, in bytes.
	largestHost = 1 << 30
)

// AllocateHost implements recorder.Driver.
func (d *device) AllocateHost(_ string, bytes int64) (recorder.HostMemory, error) {
	if bytes > largestHost {
		return nil, &backend.OutOfMemoryError{Device: name, Bytes: bytes, Limit: largestHost}
	}
	m, err := d.memory.take(bytes, &d.memory.host)
	if err != nil {
		return nil, err
	}
	m.host = make([]byte, bytes)
	return m, nil
}

// Retain implements recorder.Keeper.
func (m *memory) Retain() bool { return m.users.Retain() }

// Release implements recorder.Keeper.
func (m *memory) Release() {
	if m.users.Release() {
		m.count.mu.Lock()
		defer m.count.mu.Unlock()
		m.count.now -= m.bytes
	}
}

// Bytes implements recorder.HostMemory.
func (m *memory) Bytes() []byte { return m.host }
