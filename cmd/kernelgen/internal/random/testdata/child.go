// Command child runs kernels of its package. A request on the standard input is, in words of 32 bits,
//
//	the index of a kernel in Defs, 1 for its twin or 0, the items of the launch, the number of buffers, and for each its
//	elements, its words and these words; the number of scalars and the scalars
//
// and the answer the number of bytes of an error, these bytes, and the words of all buffers.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/trackgen-go/trackgen/kernel"
)

func main() {
	input, output := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		words := []uint32{0}
		if _, err := io.ReadFull(input, bytesOf(words)); err != nil {
			return // no more requests
		}
		answer(Defs[words[0]], input, output)
	}
}

func answer(def *kernel.Def, input io.Reader, output *bufio.Writer) {
	next := func(n uint32) []uint32 {
		words := make([]uint32, n)
		if _, err := io.ReadFull(input, bytesOf(words)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return words
	}
	header := next(3)
	var args kernel.Args
	buffers := make([][]uint32, header[2])
	for i := range buffers {
		size := next(2)
		buffers[i] = next(size[1])
		args.Buffers[i] = kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(buffers[i])), Len: int(size[0])}
	}
	copy(args.Scalars[:], next(next(1)[0]))
	text := run(def, header[0] == 1, int32(header[1]), &args)
	_ = binary.Write(output, binary.NativeEndian, uint32(len(text)))
	_, _ = output.WriteString(text)
	for _, words := range buffers {
		_, _ = output.Write(bytesOf(words))
	}
	if err := output.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs a launch and returns what went wrong.
func run(def *kernel.Def, twin bool, n int32, args *kernel.Args) (text string) {
	defer func() {
		if value := recover(); value != nil {
			text = fmt.Sprint("panic: ", value)
		}
	}()
	if !twin {
		def.Go(0, n, args)
		return ""
	}
	if err := def.Twin(n, args, 1); err != nil {
		return err.Error()
	}
	return ""
}

func bytesOf(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}
