package trackgen_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"unsafe"

	"github.com/trackgen-go/trackgen"
)

// regenerateFinished makes new tracks for the envs that a mask of another library marks, and returns the epochs of all
// envs as that library sees them, by address.
func regenerateFinished(ctx context.Context, device trackgen.Device, mask []int32) (epochs []int32, err error) {
	config := trackgen.DefaultConfig()
	config.NumEnvs = len(mask)
	generator, err := trackgen.NewGenerator(device, config)
	if err != nil {
		return nil, err
	}
	// On the CPU, the memory of another library is any memory of the process. Its owner is kept by the array.
	done, err := trackgen.Wrap[int32](device, uintptr(unsafe.Pointer(&mask[0])), len(mask), mask)
	if err != nil {
		return nil, errors.Join(err, generator.Close())
	}
	tracks, err := generator.Regenerate(ctx, done)
	if err != nil {
		return nil, errors.Join(err, done.Close(), generator.Close())
	}
	view, err := tracks.Epoch.Retain() // the memory outlives the generator
	if err := errors.Join(err, done.Close(), generator.Close()); err != nil {
		return nil, err
	}
	address := view.Address() // for the other library, which copies the numbers
	epochs = append(epochs, unsafe.Slice(*(**int32)(unsafe.Pointer(&address)), view.Len())...)
	return epochs, view.Close()
}

func ExampleWrap() {
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	epochs, err := regenerateFinished(context.Background(), device, []int32{0, 1, 0, 1})
	if err := errors.Join(err, device.Close()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(epochs)
	// Output: [0 1 0 1]
}
