package backendtest

import (
	"bytes"
	"math"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

const (
	// margin is the number of bytes before and after every array, which no kernel may touch.
	margin = 64
	// canary is the content of the margins.
	canary = 0xa5c35a3c
)

// array is device memory between two margins.
type array struct {
	view   backend.View
	before backend.View
	after  backend.View
}

// slice returns a part of the array.
func (a array) slice(offset, size int64) backend.View {
	return backend.View{Buffer: a.view.Buffer, Offset: a.view.Offset + offset, Bytes: size}
}

// alloc allocates a buffer and closes it after the case.
func (c *check) alloc(size int64) backend.Buffer {
	b, err := c.device.Alloc(size)
	c.ok(err, "allocate")
	c.later(b.Close)
	return b
}

// allocHost allocates a host buffer and closes it after the case.
func (c *check) allocHost(size int64) backend.HostBuffer {
	b, err := c.device.AllocHost(size)
	c.ok(err, "allocate host memory")
	c.later(b.Close)
	return b
}

// array allocates an array that holds data, whose size is a multiple of 4.
func (c *check) array(data []byte) array {
	size := int64(len(data))
	b := c.alloc(size + 2*margin)
	a := array{
		view:   backend.View{Buffer: b, Offset: margin, Bytes: size},
		before: backend.View{Buffer: b, Bytes: margin},
		after:  backend.View{Buffer: b, Offset: margin + size, Bytes: margin},
	}
	s := c.device.DefaultStream()
	c.ok(s.Fill(a.before, canary), "fill")
	c.ok(s.Fill(a.after, canary), "fill")
	c.write(a.view, data)
	return a
}

// write sets the bytes of a view and waits.
func (c *check) write(v backend.View, data []byte) {
	if len(data) == 0 {
		return
	}
	host := c.allocHost(int64(len(data)))
	copy(host.Bytes(), data)
	s := c.device.DefaultStream()
	c.ok(s.Upload(v, host, 0), "upload")
	c.ok(s.Sync(), "sync")
}

// readView downloads the bytes of a view.
func (c *check) readView(v backend.View) []byte {
	if v.Bytes == 0 {
		return nil
	}
	host := c.allocHost(v.Bytes)
	s := c.device.DefaultStream()
	c.ok(s.Download(host, 0, v), "download")
	c.ok(s.Sync(), "sync")
	return bytes.Clone(host.Bytes())
}

// read downloads the bytes of an array and checks its margins.
func (c *check) read(a array) []byte {
	for _, m := range []backend.View{a.before, a.after} {
		for i, word := range valuesOf[uint32](c.readView(m)) {
			if word != canary {
				c.errorf("word %d of the margin at byte %d was overwritten with %#x", i, m.Offset, word)
			}
		}
	}
	return c.readView(a.view)
}

// bytesOf returns a copy of the bytes of values.
func bytesOf[T kernel.Element](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	var zero T
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(zero))))
}

// valuesOf returns the values in data.
func valuesOf[T kernel.Element](data []byte) []T {
	var zero T
	values := make([]T, len(data)/int(unsafe.Sizeof(zero)))
	if len(values) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(data)), data)
	}
	return values
}

// launch is one launch of a kernel, with its data in host memory.
type launch struct {
	def       *kernel.Def
	n         int32
	buffers   [][]byte
	scalars   []uint32
	block     int32
	maxBlocks int32
}

// views returns the views of arrays.
func views(arrays []array) []backend.View {
	var list []backend.View
	for _, a := range arrays {
		list = append(list, a.view)
	}
	return list
}

// compare runs a launch on the device and in Go and compares all buffers. In float parameters, any NaN equals any
// other: their payloads differ between processors, and no kernel may let a NaN reach an output.
func (c *check) compare(l launch) {
	var arrays []array
	for _, data := range l.buffers {
		arrays = append(arrays, c.array(data))
	}
	s := c.device.DefaultStream()
	c.ok(s.Launch(l.def, backend.Launch{N: l.n, Buffers: views(arrays), Scalars: l.scalars, Block: l.block,
		MaxBlocks: l.maxBlocks}),
		"launch "+l.def.Name)
	c.ok(s.Sync(), "sync")

	want := l.reference()
	buffer := 0
	for _, param := range l.def.Params {
		if !param.Buffer {
			continue
		}
		got := c.read(arrays[buffer])
		c.same(l.def, param, l.n, got, want[buffer])
		buffer++
	}
}

// same compares the words of one buffer and reports the first difference.
func (c *check) same(def *kernel.Def, param kernel.Param, n int32, got, want []byte) {
	isFloat := param.Type != kernel.Int32 && param.Type != kernel.Uint32
	gotWords, wantWords := valuesOf[uint32](got), valuesOf[uint32](want)
	for i := range wantWords {
		g, w := gotWords[i], wantWords[i]
		if g == w || isFloat && param.Access&kernel.Write != 0 && (isNaN(g) && isNaN(w) || c.flushed(g, w)) {
			continue
		}
		c.errorf("%s over %d items: word %d of %s is %#08x (%v), want %#08x (%v)", def.Name, n, i, param.Name,
			g, math.Float32frombits(g), w, math.Float32frombits(w))
		return
	}
}

// flushed returns whether a device that does not keep denormals may return got where the exact result is want.
func (c *check) flushed(got, want uint32) bool {
	return !c.device.Caps().Denormals && want&0x7f800000 == 0 && got == want&0x80000000
}

func isNaN(bits uint32) bool { return bits&0x7fffffff > 0x7f800000 }

// reference runs the Go function on copies of the buffers and returns them.
func (l launch) reference() [][]byte {
	var args kernel.Args
	var memory [][]uint32 // aligned copies
	buffer, scalar := 0, 0
	for _, param := range l.def.Params {
		if !param.Buffer {
			args.Scalars[scalar] = l.scalars[scalar]
			scalar++
			continue
		}
		words := valuesOf[uint32](l.buffers[buffer])
		memory = append(memory, words)
		args.Buffers[buffer] = kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(words)),
			Len: len(l.buffers[buffer]) / int(param.Type.Size())}
		buffer++
	}
	l.def.Go(0, l.n, &args)
	var results [][]byte
	for _, words := range memory {
		results = append(results, bytesOf(words))
	}
	return results
}

// ints returns the int32 values of an array.
func (c *check) ints(a array) []int32 { return valuesOf[int32](c.read(a)) }

// zeros returns an array of n zeros of type int32.
func (c *check) zeros(n int) array { return c.array(make([]byte, 4*n)) }

// flag returns an array that holds one int32.
func (c *check) flag(value int32) array { return c.array(bytesOf([]int32{value})) }
