package trackgen_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen"
)

// foreignLibrary is a library that owns a CUDA stream and captures work on it into a graph, such as PyTorch.
type foreignLibrary interface {
	Stream() uintptr     // a cudaStream_t
	BeginCapture() error // of the stream, in global mode
	EndCapture() error   // makes the graph
	Replay() error       // of the graph, and waits for it
	DestroyGraph() error
}

// trainWithin trains in the graph of another library: new tracks for the envs whose episode has ended are part of each
// replay. It returns the epochs of the tracks, which count the regenerations of each env.
func trainWithin(ctx context.Context, library foreignLibrary, ended [][]int32) (epochs []int32, err error) {
	device, err := trackgen.Open("cuda")
	if err != nil {
		return nil, err
	}
	// The wrapper of the stream is released before the device is closed, and before its owner destroys it.
	defer func() { err = errors.Join(err, trackgen.ReleaseStreams(device), device.Close()) }()

	// Whatever allocates memory comes before the capture: in a capture it is ErrCapture.
	config := trackgen.DefaultConfig()
	config.NumEnvs = len(ended[0])
	generator, err := trackgen.NewGenerator(device, config)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	done, err := trackgen.NewArray[int32](device, config.NumEnvs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done.Close()) }()

	if err := library.BeginCapture(); err != nil {
		return nil, err
	}
	graph := new(trackgen.ForeignGraph)
	inCapture, registration, err := trackgen.RegisterCapture(ctx, device, library.Stream(), trackgen.CaptureOptions{
		Graph:       graph, // keeps the generator until graph.Close
		Conditional: true,  // a replay skips the work if no episode has ended
	})
	if err == nil {
		_, err = generator.Regenerate(inCapture, done) // recorded, not run
		registration.End()
	}
	if err := errors.Join(err, library.EndCapture()); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, library.DestroyGraph(), graph.Close()) }()

	// Outside of captures, calls with this context work on the stream of the library, in order with its own work.
	onStream, err := trackgen.AdoptStream(ctx, device, library.Stream(), false)
	if err != nil {
		return nil, err
	}
	for _, mask := range ended { // a simulator would write the mask on the device
		if err := done.Write(onStream, mask); err != nil {
			return nil, err
		}
		if err := library.Replay(); err != nil {
			return nil, err
		}
	}
	batch, err := generator.Track().Batch(onStream)
	if err != nil {
		return nil, err
	}
	return batch.Epoch, nil
}

// The training loop of another library, which captures its steps into a CUDA graph. TestForeignCapture runs this code.
func ExampleRegisterCapture() {
	var library foreignLibrary // for example PyTorch, called through cgo
	epochs, err := trainWithin(context.Background(), library, [][]int32{{0, 1, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(epochs) // [0 2 0 1]
}
