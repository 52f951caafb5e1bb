package backendtest

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/trackgen-go/trackgen/backend"
)

// neighbour is another device of the backend, on the same hardware. Its memory is that of another library for the
// device under test.
type neighbour struct {
	c      *check
	device backend.Device
}

// neighbour opens a neighbour and closes it after the case. It returns nil on a device without foreign memory, which
// must then refuse Wrap.
func (c *check) neighbour() *neighbour {
	if !c.device.Caps().ForeignMemory {
		o := newOwner()
		_, err := c.device.Wrap(4096, 64, o)
		c.refused(err, "wrap without ForeignMemory", backend.ErrUnsupported)
		_, addressed := c.alloc(64).(backend.Addresser)
		c.that(!addressed || c.alloc(64).(backend.Addresser).Address() == 0, "memory has an address without ForeignMemory")
		return nil
	}
	d := c.open()
	c.later(d.Close)
	return &neighbour{c, d}
}

// array allocates memory of the neighbour that holds data.
func (n *neighbour) array(data []byte) backend.View {
	b, err := n.device.Alloc(int64(len(data)))
	n.c.ok(err, "allocate on another device")
	n.c.later(b.Close)
	v := backend.View{Buffer: b, Bytes: int64(len(data))}
	n.write(v, data)
	return v
}

// ints returns n int32 of one value, in memory of the neighbour.
func (n *neighbour) ints(count int, value int32) backend.View {
	values := make([]int32, count)
	for i := range values {
		values[i] = value
	}
	return n.array(bytesOf(values))
}

// transfer runs a copy between host memory and the neighbour and waits for it.
func (n *neighbour) transfer(size int64, run func(s backend.Stream, h backend.HostBuffer) error) {
	host, err := n.device.AllocHost(size)
	n.c.ok(err, "allocate host memory on another device")
	s := n.device.DefaultStream()
	n.c.ok(run(s, host), "copy on another device")
	n.c.ok(s.Sync(), "sync another device")
	n.c.ok(host.Close(), "close host memory of another device")
}

func (n *neighbour) write(v backend.View, data []byte) {
	n.transfer(v.Bytes, func(s backend.Stream, h backend.HostBuffer) error {
		copy(h.Bytes(), data)
		return s.Upload(v, h, 0)
	})
}

func (n *neighbour) read(v backend.View) (data []byte) {
	n.transfer(v.Bytes, func(s backend.Stream, h backend.HostBuffer) error {
		err := s.Download(h, 0, v)
		if err == nil {
			err = s.Sync()
		}
		data = bytes.Clone(h.Bytes())
		return err
	})
	return data
}

// all reports a failure unless every int32 of v, memory of the neighbour, is want.
func (n *neighbour) all(v backend.View, want int32, when string) {
	for i, got := range valuesOf[int32](n.read(v)) {
		if got != want {
			n.c.errorf("%s: element %d is %d, want %d", when, i, got, want)
			return
		}
	}
}

// addressOf returns the address of the first byte of a view.
func (c *check) addressOf(v backend.View) uintptr {
	b, ok := v.Buffer.(backend.Addresser)
	if !ok {
		c.fatalf("a buffer of a device with ForeignMemory has no address")
	}
	base := b.Address()
	if base == 0 {
		c.fatalf("the address of an open buffer is 0")
	}
	return base + uintptr(v.Offset)
}

// wrap wraps a view, memory of a neighbour, on the device under test and closes the buffer after the case.
func (c *check) wrap(v backend.View, owner any) array {
	b, err := c.device.Wrap(c.addressOf(v), v.Bytes, owner)
	c.ok(err, "wrap")
	c.later(b.Close)
	return array{view: backend.View{Buffer: b, Bytes: v.Bytes}}
}

// owner is an owner of wrapped memory that counts its releases.
type owner struct {
	calls atomic.Int32
	free  func() error  // frees the memory, may be nil
	err   error         // of free
	told  chan struct{} // closed at the first release
}

func newOwner() *owner { return &owner{told: make(chan struct{})} }

// Release implements backend.Releaser.
func (o *owner) Release() {
	if o.calls.Add(1) > 1 {
		return
	}
	if o.free != nil {
		o.err = o.free()
	}
	close(o.told)
}

// released ends the case unless an owner is released, once.
func (c *check) released(o *owner, when string) {
	select {
	case <-o.told:
	case <-time.After(10 * time.Second):
		c.fatalf("%s: the owner is not released", when)
	}
	c.ok(o.err, "free wrapped memory")
	c.that(o.calls.Load() == 1, "%s: the owner is released %d times", when, o.calls.Load())
}

// kept reports a failure if an owner has been released. Owners are told one after the other, so one of other memory is
// released first.
func (c *check) kept(n *neighbour, o *owner, when string) {
	probe := newOwner()
	b, err := c.device.Wrap(c.addressOf(n.ints(1, 0)), 4, probe)
	c.ok(err, "wrap")
	c.ok(b.Close(), "close")
	c.released(probe, when+": other memory")
	c.that(o.calls.Load() == 0, "%s: the owner is released too early", when)
}
