// Package interop lets work be recorded into captures that another library, such as PyTorch, has begun.
//
// A foreign stream is named by its native handle and has one wrapper for each device (StreamFor). While the foreign
// library captures it, everything that is emitted on it becomes part of that library's graph; nothing else is needed.
//
//	stream, err := interop.StreamFor(device, handle)
//	...
//	generator.Generate(exec.With(ctx, lc)) // lc on stream: recorded into the foreign capture
//
// Registering the capture adds two things: the opt-in to device conditionals in a graph that belongs to somebody else
// (Options.Conditional), and, with a Graph, that the producers recorded into it live as long as it.
//
//	ctx, registration, err := interop.Register(ctx, device, handle, interop.Options{Graph: graph, Conditional: true})
//	if err != nil {
//		return err
//	}
//	defer registration.End()
//
// A graph with device conditionals cannot become a child of another graph (R28). The identity of the capture does not
// change and forks may be open, because conditionals are added without ending it.
//
// While a foreign capture is open on the streams of a call, or anywhere on the device in the global mode if it is
// registered, the library neither waits nor allocates of its own accord: making and preparing producers is refused with
// exec.ErrCapture (D18), and a producer that has no graph of its own yet runs eagerly (R164). What the caller
// allocates explicitly, with exec.NewArray, is allocated: the CUDA backend does so with the thread in relaxed mode, on a
// stream of its own, which breaks no capture in any mode and becomes no part of one. It is not called in a stage that emits.
//
// R118 and the other numbers are rules of docs/spec/execution.md.
//
// The package uses no cgo; it works with any device whose Caps have ForeignStreams.
package interop
