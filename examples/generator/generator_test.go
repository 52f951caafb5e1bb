package generator

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"slices"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func init() {
	if err := Register("waves", Defaults); err != nil {
		log.Fatal(err)
	}
}

// devices opens every device of this machine that the kernels are compiled for.
func devices(t *testing.T) []backend.Device {
	t.Helper()
	var opened []backend.Device
	for _, driver := range backend.Devices() {
		for _, info := range driver.Devices {
			if WaveDef.Module == nil && info.Name != "cpu" {
				continue // the kernels are compiled for the CPU alone
			}
			device, err := backend.Open(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := device.Close(); err != nil { // lists what leaked
					t.Error(err)
				}
			})
			opened = append(opened, device)
		}
	}
	return opened
}

// The checks run the stage in every way in which a producer may run it, on every device.
func TestStage(t *testing.T) {
	c := tracktest.Config(track.Bezier, 8).Resolved()
	exectest.CheckStage(t, Stage(c, Defaults), exectest.Config{Devices: devices(t)})
}

// The instrumented twin runs the kernel in a random order and detects races and bad indices.
func TestKernelHasNoRaces(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	if err != nil {
		t.Fatal(err)
	}
	tracks, err := track.NewGenerator(device, tracktest.Config("waves", 3))
	if err == nil {
		err = tracks.Close()
	}
	if err := errors.Join(err, device.Close()); err != nil {
		t.Fatal(err)
	}
}

// All devices generate the same tracks, and nearly all tracks are valid.
func TestTracks(t *testing.T) {
	const envs = 64
	var first *track.Batch
	for _, device := range devices(t) {
		tracks, err := track.NewGenerator(device, tracktest.Config("waves", envs), track.WithSeed(7))
		if err != nil {
			t.Fatal(err)
		}
		batch, err := tracks.Track().Batch(context.Background())
		if err := errors.Join(err, tracks.Close()); err != nil {
			t.Fatal(err)
		}
		if batch.NumValid() < envs*9/10 {
			t.Errorf("%s: %d of %d tracks are valid", device.Info().Name, batch.NumValid(), envs)
		}
		if first == nil {
			first = batch
			continue
		}
		same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
		if !slices.EqualFunc(batch.Arclen, first.Arclen, same) || !slices.Equal(batch.Count, first.Count) {
			t.Errorf("%s makes other tracks", device.Info().Name)
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	for _, p := range []Parameters{{}, {Harmonics: 17, Radius: 1}, {Harmonics: 1, Height: -1, Radius: 1},
		{Harmonics: 1, Height: 1}, {Harmonics: 1, Radius: math.NaN()}} {
		if Register("wrong", p) == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	if err := Register("waves", Defaults); !errors.Is(err, backend.ErrInvalid) {
		t.Errorf("a name that is taken: %v", err)
	}
}

func Example() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	tracks, err := track.NewGenerator(device, tracktest.Config("waves", 4))
	if err != nil {
		log.Fatal(err)
	}
	defer tracks.Close()
	done, err := exec.FromSlice(device, []int32{0, 1, 0, 0})
	if err != nil {
		log.Fatal(err)
	}
	defer done.Close()
	result, err := tracks.Regenerate(context.Background(), done)
	if err != nil {
		log.Fatal(err)
	}
	batch, err := result.Batch(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(batch.NumValid(), "valid tracks of epochs", batch.Epoch)
	// Output: 4 valid tracks of epochs [0 1 0 0]
}
