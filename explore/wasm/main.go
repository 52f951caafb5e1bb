//go:build js && wasm

// Command wasm is the explorer without a server: package world on the CPU backend, for a worker of a browser.
// scripts/explorer-wasm.sh builds it, and worker.js beside it runs it.
//
// It sets the function trackgenCall(name, request, file, emit), where request is the JSON text of a world.Request, file
// a Uint8Array or null, and emit a function that takes each frame, as a Uint8Array of the bytes that the server would
// send, and null behind the last one. It returns a function that gives the call up.
package main

import (
	"context"
	"fmt"
	"os"
	"syscall/js"
	"time"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore/world"
)

// version of TrackGen, for the metadata of files; set by the linker.
var version = "(devel)"

func main() {
	device, err := trackgen.Open("cpu")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	w := world.New(device, world.Options{Version: version})
	js.Global().Set("trackgenCall", js.FuncOf(func(_ js.Value, args []js.Value) any { return begin(w, args) }))
	select {} // the worker ends the program
}

// begin starts a call on a goroutine of its own, because a function that JavaScript calls must not wait.
func begin(w *world.World, args []js.Value) any {
	name, request, file, emit := args[0].String(), args[1].String(), bytesOf(args[2]), args[3]
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		var buffer []byte
		send := func(f world.Frame) (err error) {
			if buffer, err = f.Append(buffer[:0]); err != nil {
				return err
			}
			emit.Invoke(toJS(buffer))
			// The worker hears that a call was given up only when no goroutine of this program can run.
			time.Sleep(time.Millisecond)
			return ctx.Err()
		}
		if err := w.Call(ctx, name, []byte(request), file, send); err != nil && ctx.Err() == nil {
			_ = send(world.Frame{Head: world.EndOf(err)}) // nobody is left to hear of another failure
		}
		emit.Invoke(js.Null())
	}()
	return js.FuncOf(func(js.Value, []js.Value) any { cancel(); return nil })
}

// bytesOf copies a Uint8Array, or returns nil for null.
func bytesOf(array js.Value) []byte {
	if array.IsNull() {
		return nil
	}
	bytes := make([]byte, array.Length())
	js.CopyBytesToGo(bytes, array)
	return bytes
}

func toJS(bytes []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(bytes))
	js.CopyBytesToJS(array, bytes)
	return array
}
