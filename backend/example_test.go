package backend_test

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
)

func ExampleOpen() {
	device, err := backend.Open("cpu", backend.Workers(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() {
		if err := device.Close(); err != nil {
			fmt.Println(err)
		}
	}()
	fmt.Println(device.Info().Name, device.Info().Workers)
	// Output: cpu 2
}

func ExampleOpen_misspelt() {
	_, err := backend.Open("cqu")
	fmt.Println(err)
	fmt.Println(errors.Is(err, backend.ErrInvalid))
	// Output:
	// device "cqu": no such backend is registered; did you mean "cpu"? (allowed: auto, gpu, cpu)
	// true
}

// LeakError lists the resources that are still open at Close.
func ExampleLeakError() {
	device, err := backend.Open("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := device.Alloc(128); err != nil {
		fmt.Println(err)
	}
	fmt.Println(device.Close())
	// Output: cpu: closed with 1 resource open: buffer of 128 bytes (the option Debug tells where they were made)
}

// A capture records work, and its graph runs the work any number of times.
func ExampleStream_capture() {
	device, err := backend.Open("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	stream := device.DefaultStream()
	buffer, err := device.Alloc(4)
	check(err)
	host, err := device.AllocHost(4)
	check(err)
	view := backend.View{Buffer: buffer, Bytes: 4}

	check(stream.BeginCapture())
	check(stream.Upload(view, host, 0))
	graph, err := stream.EndCapture()
	check(err)

	host.Bytes()[0] = 7
	check(stream.Replay(graph))
	host.Bytes()[0] = 0
	check(stream.Download(host, 0, view))
	check(stream.Sync())
	fmt.Println(graph.Nodes(), host.Bytes()[0])

	check(errors.Join(graph.Close(), host.Close(), buffer.Close(), device.Close()))
	// Output: 1 7
}

// check prints an error.
func check(err error) {
	if err != nil {
		fmt.Println(err)
	}
}
