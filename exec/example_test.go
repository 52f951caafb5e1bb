package exec_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
)

// Work is emitted through one launch context. Its Err returns the first error at the end.
func ExampleFor() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	heights, err := exec.NewArray[float32](device, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer heights.Close()

	lc, err := exec.For(context.Background(), device)
	if err != nil {
		log.Fatal(err)
	}
	exec.Fill(lc, heights, 1.5)
	tail, err := heights.Slice(2, 4)
	if err != nil {
		log.Fatal(err)
	}
	exec.Fill(lc, tail, 2)
	if err := lc.Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(heights.Read(context.Background()))
	// Output: [1.5 1.5 2 2] <nil>
}

// The same body runs directly or is recorded into the caller's open capture.
func ExampleGraphRunner() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	source, err := exec.FromSlice(device, []int32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	result, err := exec.NewArray[int32](device, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true, Name: "copier"})
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	body := func(lc *exec.LaunchContext) { exec.Copy(lc, result, source) }

	ctx, stream := context.Background(), device.DefaultStream()
	if err := stream.BeginCapture(); err != nil {
		log.Fatal(err)
	}
	if _, err := runner.Run(ctx, body, exec.RunOptions{}); err != nil {
		log.Fatal(err)
	}
	graph, err := stream.EndCapture()
	if err != nil {
		log.Fatal(err)
	}
	defer graph.Close()
	fmt.Println(result.Read(ctx)) // recorded, but not run

	if err := stream.Replay(graph); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Read(ctx))
	// Output:
	// [0 0 0] <nil>
	// [1 2 3] <nil>
}

// SkipUnless emits a body that the device skips at each replay while its flag is zero.
func ExampleSkipUnless() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	state, err := exec.FromSlice(device, []int32{0, 7}) // a flag and a value
	if err != nil {
		log.Fatal(err)
	}
	defer state.Close()
	flag, _ := state.Slice(0, 1)
	value, _ := state.Slice(1, 2)

	lc, err := exec.For(context.Background(), device)
	if err != nil {
		log.Fatal(err)
	}
	if err := lc.Stream().BeginCapture(); err != nil {
		log.Fatal(err)
	}
	conditional := exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { exec.Fill(lc, value, 8) })
	graph, err := lc.Stream().EndCapture()
	if err != nil {
		log.Fatal(err)
	}
	defer graph.Close()
	if err := lc.Stream().Replay(graph); err != nil {
		log.Fatal(err)
	}
	values, err := value.Read(context.Background())
	fmt.Println(conditional, values, err)
	// Output: true [7] <nil>
}

// BoundedLoop ends at the first check after the device has cleared the flag.
func ExampleBoundedLoop() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	active, err := exec.NewArray[int32](device, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer active.Close()

	lc, err := exec.For(context.Background(), device)
	if err != nil {
		log.Fatal(err)
	}
	exec.Fill(lc, active, 1) // set in every generation, before the first check
	exec.BoundedLoop(lc, 100, func(lc *exec.LaunchContext, iteration int) {
		fmt.Println("iteration", iteration)
		if iteration == 2 {
			exec.Fill(lc, active, 0) // a kernel would do this on convergence
		}
	}, exec.LoopOptions{Active: active})
	fmt.Println(lc.Err())
	// Output:
	// iteration 0
	// iteration 1
	// iteration 2
	// <nil>
}
