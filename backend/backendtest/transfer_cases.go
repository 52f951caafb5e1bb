package backendtest

import (
	"bytes"
	"math"

	"github.com/trackgen-go/trackgen/backend"
)

var transferCases = []testCase{
	{"transfer/upload and download", func(c *check) {
		for _, words := range []int{1, 2, 15, 16, 17, 1023, 65537} {
			data := bytesOf(ordinaryFloats(words))
			c.that(bytes.Equal(c.read(c.array(data)), data), "%d words come back changed", words)
		}
	}},
	{"transfer/parts", func(c *check) {
		a, host, s := c.zeros(16), c.allocHost(64), c.device.DefaultStream()
		for i := range host.Bytes() {
			host.Bytes()[i] = byte(i)
		}
		c.ok(s.Upload(a.slice(8, 12), host, 4), "upload a part")
		want := make([]byte, 64)
		copy(want[8:20], host.Bytes()[4:])
		c.that(bytes.Equal(c.read(a), want), "an upload of a part is wrong")
		target := c.allocHost(64)
		c.ok(s.Download(target, 32, a.slice(8, 12)), "download a part")
		c.ok(s.Sync(), "sync")
		want = make([]byte, 64)
		copy(want[32:44], host.Bytes()[4:])
		c.that(bytes.Equal(target.Bytes(), want), "a download of a part is wrong")
	}},
	{"transfer/copy", func(c *check) {
		s := c.device.DefaultStream()
		for _, words := range []int{1, 3, 64, 1025, 300_000} {
			data := bytesOf(ordinaryFloats(words))
			from, to := c.array(data), c.zeros(words)
			c.ok(s.Copy(to.view, from.view), "copy")
			c.that(bytes.Equal(c.read(to), data), "a copy of %d words is wrong", words)
			c.that(bytes.Equal(c.read(from), data), "a copy of %d words changes its source", words)
		}
		a := c.array(bytesOf([]int32{1, 2, 3, 4, 5, 6}))
		c.ok(s.Copy(a.slice(12, 12), a.slice(0, 12)), "copy within a buffer")
		c.that(bytes.Equal(c.read(a), bytesOf([]int32{1, 2, 3, 1, 2, 3})), "a copy within a buffer is wrong")
	}},
	{"transfer/fill", func(c *check) {
		s := c.device.DefaultStream()
		for _, words := range []int{1, 2, 63, 64, 65, 100_003} {
			for _, pattern := range []uint32{0, 1, 0xdeadbeef, 0x7fc00000} {
				a := c.array(bytesOf(ordinaryFloats(words)))
				c.ok(s.Fill(a.view, pattern), "fill")
				for i, word := range valuesOf[uint32](c.read(a)) {
					if word != pattern {
						c.errorf("word %d of %d is %#x, want %#x", i, words, word, pattern)
						break
					}
				}
			}
		}
	}},
	{"transfer/nothing", func(c *check) {
		a, host, s := c.flag(7), c.allocHost(4), c.device.DefaultStream()
		empty := a.slice(0, 0)
		for _, v := range []backend.View{empty, a.slice(4, 0), {}} {
			c.ok(s.Fill(v, 1), "fill nothing")
			c.ok(s.Copy(v, empty), "copy nothing")
			c.ok(s.Upload(v, host, 4), "upload nothing")
			c.ok(s.Download(host, 4, v), "download nothing")
		}
		c.ok(s.Sync(), "sync")
		c.that(c.ints(a)[0] == 7, "copying nothing changes something")
	}},
	{"transfer/misuse", func(c *check) {
		a, other, host, s := c.zeros(16), c.zeros(16), c.allocHost(64), c.device.DefaultStream()
		b, size := a.view.Buffer, a.view.Buffer.Bytes()
		for _, v := range []backend.View{
			{Buffer: b, Offset: -4, Bytes: 4}, {Buffer: b, Bytes: -4}, {Buffer: b, Offset: size, Bytes: 4},
			{Buffer: b, Bytes: size + 4}, {Buffer: b, Offset: math.MaxInt64 - 3, Bytes: 4},
			{Buffer: b, Offset: 4, Bytes: math.MaxInt64 - 3},
			{Buffer: b, Offset: 2, Bytes: 4}, {Bytes: 4},
		} {
			c.refused(s.Fill(v, 1), "fill a wrong range", backend.ErrInvalid)
			c.refused(s.Copy(v, other.slice(0, 4)), "copy to a wrong range", backend.ErrInvalid)
			c.refused(s.Copy(other.slice(0, 4), v), "copy from a wrong range", backend.ErrInvalid)
			c.refused(s.Upload(v, host, 0), "upload to a wrong range", backend.ErrInvalid)
			c.refused(s.Download(host, 0, v), "download a wrong range", backend.ErrInvalid)
		}
		c.refused(s.Fill(a.slice(0, 6), 1), "fill half a word", backend.ErrInvalid)
		c.refused(s.Copy(a.slice(0, 8), other.slice(0, 4)), "copy between sizes", backend.ErrInvalid)
		c.refused(s.Copy(a.slice(0, 8), a.slice(4, 8)), "copy onto itself", backend.ErrInvalid)
		for _, offset := range []int64{-1, 61, 64, math.MaxInt64} {
			c.refused(s.Upload(a.slice(0, 4), host, offset), "upload from beyond", backend.ErrInvalid)
			c.refused(s.Download(host, offset, a.slice(0, 4)), "download to beyond", backend.ErrInvalid)
		}
		c.refused(s.Upload(a.slice(0, 4), nil, 0), "upload from nothing", backend.ErrInvalid)
		c.refused(s.Download(nil, 0, a.slice(0, 4)), "download to nothing", backend.ErrInvalid)
		for i, value := range c.ints(a) {
			c.that(value == 0, "a refused call has changed word %d", i)
		}
	}},
}
