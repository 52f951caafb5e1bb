// Package noop is a backend that runs nothing: it accepts every call, checks it as every backend does, and counts the
// work. It shows what a configuration launches and how much memory it takes, on any machine:
//
//	device, err := noop.Open()
//	...
//	report, err := noop.Of(device)
//
// The device is not registered, so no list of devices contains it, and no program opens it instead of a device that
// computes.
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

// Open returns a new device with all counts at zero. It uses the options MemoryLimit and Debug only.
//
// It returns a *backend.ArgumentError for an option that is not allowed.
func Open(options ...backend.Option) (backend.Device, error) {
	o, err := backend.OptionsOf(options...)
	if err != nil {
		return nil, err
	}
	d := &device{memory: memoryCount{limit: o.MemoryLimit}}
	if d.memory.limit == 0 {
		d.memory.limit = largestMemory
	}
	d.total.args = new(kernel.Args)
	if err := d.Start(d, d, recorder.LimitsNoop, o.Debug); err != nil {
		return nil, err
	}
	return d, nil
}

// info describes the device.
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
		Denormals:           true,
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
	e.counts.args = new(kernel.Args)
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
	mu           sync.Mutex
	limit        int64
	device, host Memory
}

// memory is a counted allocation.
type memory struct {
	count *memoryCount
	of    *Memory // what it counts to
	bytes int64
	users references.Count
}

// hostMemory is memory of the host. It has bytes once somebody asks for them.
type hostMemory struct {
	*memory
	once sync.Once
	data []byte
}

func (c *memoryCount) take(bytes int64, of *Memory) (*memory, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if free := c.limit - c.device.Open - c.host.Open; bytes > free {
		return nil, &backend.OutOfMemoryError{Device: name, Bytes: bytes, Limit: free}
	}
	of.Open += bytes
	of.Peak = max(of.Peak, of.Open)
	of.Made = plus(of.Made, bytes, 1)
	m := &memory{count: c, of: of, bytes: bytes}
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
	// largestHost is the maximum size of one host buffer, which may have real memory, in bytes.
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
	return &hostMemory{memory: m}, nil
}

// Retain implements recorder.Keeper.
func (m *memory) Retain() bool { return m.users.Retain() }

// Release implements recorder.Keeper.
func (m *memory) Release() {
	if m.users.Release() {
		m.count.mu.Lock()
		defer m.count.mu.Unlock()
		m.of.Open -= m.bytes
	}
}

// Bytes implements recorder.HostMemory.
func (m *hostMemory) Bytes() []byte {
	m.once.Do(func() { m.data = make([]byte, m.bytes) })
	return m.data
}
