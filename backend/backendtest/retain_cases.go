package backendtest

import (
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
)

var retainCases = []testCase{
	{"retain/outlives the buffer", func(c *check) {
		s, x := c.stream(), c.zeros(100)
		c.ok(s.Fill(x.view, 7), "fill")
		c.ok(s.Sync(), "sync")
		b, err := x.view.Buffer.Retain()
		c.ok(err, "retain")
		c.later(b.Close)
		r := array{view: backend.View{Buffer: b, Offset: x.view.Offset, Bytes: x.view.Bytes}}
		c.that(b.Bytes() == x.view.Buffer.Bytes() && b.Device() == c.device, "a retained buffer is of another kind")
		c.refused(s.Copy(r.view, x.view), "copy memory onto itself", backend.ErrInvalid)
		c.shut(x)
		c.refused(s.Fill(x.view, 1), "fill a closed buffer that is retained", backend.ErrClosed)
		_, err = x.view.Buffer.Retain()
		c.refused(err, "retain a closed buffer", backend.ErrClosed)
		c.increment(s, r)
		c.ok(s.Sync(), "sync")
		c.that(slices.Equal(valuesOf[int32](c.readView(r.view)), slices.Repeat([]int32{8}, 100)),
			"a retained buffer has other content")
		c.shutWrapped(r)
		c.refused(s.Fill(r.view, 1), "fill a closed retained buffer", backend.ErrClosed)
		_, err = b.Retain()
		c.refused(err, "retain a closed retained buffer", backend.ErrClosed)
	}},
	{"retain/memory is given back", func(c *check) {
		const limit, size = 64 << 10, 40 << 10
		d := c.open(backend.MemoryLimit(limit))
		c.later(d.Close)
		b, err := d.Alloc(size)
		c.ok(err, "allocate")
		first, err := b.Retain()
		c.ok(err, "retain")
		second, err := first.Retain()
		c.ok(err, "retain a retained buffer")
		for _, open := range []backend.Buffer{b, first, second} {
			_, err = d.Alloc(size)
			c.refused(err, "allocate while the memory is retained", backend.ErrOutOfMemory)
			c.ok(open.Close(), "close")
		}
		again, err := d.Alloc(size)
		c.ok(err, "allocate when nothing retains the memory")
		c.ok(again.Close(), "close")
	}},
	{"retain/outlives the device", func(c *check) {
		d := c.open()
		b, err := d.Alloc(400)
		c.ok(err, "allocate")
		s := d.DefaultStream()
		c.ok(s.Fill(backend.View{Buffer: b, Bytes: 400}, 5), "fill")
		c.ok(s.Sync(), "sync")
		r, err := b.Retain()
		c.ok(err, "retain")
		c.ok(b.Close(), "close")
		c.ok(d.Close(), "close a device with a retained buffer")
		c.refused(s.Fill(backend.View{Buffer: r, Bytes: 400}, 5), "fill on a closed device", backend.ErrClosed)
		if c.device.Caps().ForeignMemory { // somebody else uses the memory by its address
			again, err := r.Retain()
			c.ok(err, "retain after the device")
			c.ok(r.Close(), "close")
			x := c.wrap(backend.View{Buffer: again, Bytes: 400}, again)
			c.increment(c.device.DefaultStream(), x)
			c.ok(c.device.DefaultStream().Sync(), "sync")
			c.that(slices.Equal(valuesOf[int32](c.readView(x.view)), slices.Repeat([]int32{6}, 100)),
				"the memory of a closed device has other content")
			c.shutWrapped(x)
			r = again
		}
		c.ok(r.Close(), "close the retained buffer")
		c.ok(r.Close(), "close it again")
		c.that(r.(backend.Addresser).Address() == 0, "a closed retained buffer has an address")
	}},
	{"retain/open beyond the device", func(c *check) {
		d := c.open()
		b, err := d.Alloc(400)
		c.ok(err, "allocate")
		r, err := b.Retain()
		c.ok(err, "retain")
		c.refused(d.Close(), "close a device with a buffer open", backend.ErrLeak)
		c.ok(r.Close(), "close the retained buffer")
		c.ok(b.Close(), "close the buffer")
	}},
	{"retain/in a capture", func(c *check) {
		if !c.captures() {
			return
		}
		s, x, y := c.stream(), c.zeros(100), c.zeros(100)
		var r backend.Buffer
		g := c.capture(s, func() {
			var err error
			r, err = x.view.Buffer.Retain()
			c.ok(err, "retain during a capture")
			own := array{view: backend.View{Buffer: r, Offset: x.view.Offset, Bytes: x.view.Bytes}}
			c.counter(s, own, y)
			c.shut(x)
			c.ok(r.Close(), "close during a capture")
			c.increment(s, y)
		})
		c.replay(s, g)
		c.replay(s, g)
		c.all(y, 3, "two replays with closed buffers")
	}},
	{"retain/on many goroutines", func(c *check) {
		d := c.open()
		b, err := d.Alloc(4096)
		c.ok(err, "allocate")
		first, err := b.Retain()
		c.ok(err, "retain")
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 100 {
					r, err := first.Retain()
					c.ok(err, "retain")
					c.ok(r.Close(), "close")
				}
			})
		}
		c.ok(b.Close(), "close")
		c.ok(d.Close(), "close the device meanwhile")
		group.Wait()
		c.ok(first.Close(), "close")
	}},
}
