// Package interop records work into captures that another library, such as PyTorch, has begun.
//
// A foreign stream is identified by its native handle and has one wrapper per device (StreamFor). While the foreign
// library captures the stream, everything emitted on it becomes part of that library's graph. Nothing else is needed.
//
//	stream, err := interop.StreamFor(device, handle)
//	...
//	generator.Generate(exec.With(ctx, lc)) // lc on stream: recorded into the foreign capture
//
// Registering the capture adds two things: permission to add device conditionals to the foreign graph
// (Options.Conditional) and, with a Graph, that the producers recorded into the graph live as long as it does.
//
//	ctx, registration, err := interop.Register(ctx, device, handle, interop.Options{Graph: graph, Conditional: true})
//	if err != nil {
//		return err
//	}
//	defer registration.End()
//
// A graph with device conditionals cannot become a child of another graph (R28). Conditionals are added without ending
// the capture, so its ID does not change and forks may be open.
//
// While a foreign capture is open on the streams of a call, or anywhere on the device if it is registered in GLOBAL
// mode, the library neither waits nor allocates on its own: constructing and preparing producers returns
// exec.ErrCapture (D18), and a producer that has no graph yet runs eagerly (R164). Explicit allocation by the caller,
// with exec.NewArray, still works: the CUDA backend allocates with the thread in relaxed mode, on its own stream, which
// breaks no capture in any mode and does not become part of one. Do not allocate in a stage that emits.
//
// R118 and the other numbers are rules of docs/spec/execution.md.
//
// The package uses no cgo; it works with any device whose Caps have ForeignStreams.
package interop
