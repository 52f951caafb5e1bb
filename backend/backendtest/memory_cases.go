package backendtest

import (
	"errors"
	"math"

	"github.com/trackgen-go/trackgen/backend"
)

var memoryCases = []testCase{
	{"memory/zero at first use", func(c *check) {
		for round := range 3 { // later rounds may get memory that earlier ones have written and closed
			for _, size := range []int64{4, 60, 64, 4096, 1 << 20} {
				b, err := c.device.Alloc(size)
				c.ok(err, "allocate")
				v := backend.View{Buffer: b, Bytes: size}
				for i, word := range valuesOf[uint32](c.readView(v)) {
					if word != 0 {
						c.errorf("round %d: word %d of %d bytes is %#x", round, i, size, word)
						break
					}
				}
				c.ok(c.device.DefaultStream().Fill(v, 0xffffffff), "fill")
				c.ok(c.device.DefaultStream().Sync(), "sync")
				c.ok(b.Close(), "close")
			}
		}
	}},
	{"memory/sizes", func(c *check) {
		for _, size := range []int64{1, 3, 5, 4095} {
			b := c.alloc(size)
			c.that(b.Bytes() == size, "a buffer of %d bytes says %d", size, b.Bytes())
			c.that(b.Device() == c.device, "a buffer belongs to another device")
			c.that(len(c.allocHost(size).Bytes()) == int(size), "a host buffer of %d bytes has another size", size)
		}
		for _, size := range []int64{0, -1, math.MinInt64} {
			_, err := c.device.Alloc(size)
			c.refused(err, "allocate no bytes", backend.ErrInvalid)
			_, err = c.device.AllocHost(size)
			c.refused(err, "allocate no host bytes", backend.ErrInvalid)
		}
	}},
	{"memory/more than there is", func(c *check) {
		for _, size := range []int64{math.MaxInt64, math.MaxInt64 - 63, 1 << 60, 1 << 50} {
			_, err := c.device.Alloc(size)
			c.refused(err, "allocate too much", backend.ErrOutOfMemory)
			_, err = c.device.AllocHost(size)
			c.refused(err, "allocate too much host memory", backend.ErrOutOfMemory)
			var memory *backend.OutOfMemoryError
			if errors.As(err, &memory) {
				c.that(memory.Bytes == size && memory.Limit >= 0 && memory.Limit < size, "the error has %+v", *memory)
			}
		}
		c.alloc(1 << 10) // the device still works
	}},
	{"memory/host buffer keeps bytes", func(c *check) {
		h := c.allocHost(16)
		for i := range h.Bytes() {
			h.Bytes()[i] = byte(i)
		}
		c.that(h.Bytes()[15] == 15, "a host buffer forgets")
	}},
	{"memory/close twice", func(c *check) {
		b, err := c.device.Alloc(64)
		c.ok(err, "allocate")
		c.ok(b.Close(), "close")
		c.ok(b.Close(), "close again")
		h, err := c.device.AllocHost(64)
		c.ok(err, "allocate host memory")
		c.ok(h.Close(), "close")
		c.ok(h.Close(), "close again")
		c.that(h.Bytes() == nil, "a closed host buffer has bytes")
	}},
	{"memory/use after close", func(c *check) {
		b, err := c.device.Alloc(64)
		c.ok(err, "allocate")
		h, err := c.device.AllocHost(64)
		c.ok(err, "allocate host memory")
		c.ok(b.Close(), "close")
		c.ok(h.Close(), "close")
		s, a, host := c.device.DefaultStream(), c.zeros(16), c.allocHost(64)
		closed := backend.View{Buffer: b, Bytes: 64}
		c.refused(s.Fill(closed, 1), "fill a closed buffer", backend.ErrClosed)
		c.refused(s.Copy(closed, a.view), "copy to a closed buffer", backend.ErrClosed)
		c.refused(s.Copy(a.view, closed), "copy from a closed buffer", backend.ErrClosed)
		c.refused(s.Upload(closed, host, 0), "upload to a closed buffer", backend.ErrClosed)
		c.refused(s.Upload(a.view, h, 0), "upload from a closed host buffer", backend.ErrClosed)
		c.refused(s.Download(host, 0, closed), "download from a closed buffer", backend.ErrClosed)
		c.refused(s.Download(h, 0, a.view), "download to a closed host buffer", backend.ErrClosed)
		c.refused(s.Launch(stampDef, backend.Launch{N: 16, Buffers: []backend.View{closed}, Scalars: []uint32{0}}),
			"launch with a closed buffer", backend.ErrClosed)
	}},
}
