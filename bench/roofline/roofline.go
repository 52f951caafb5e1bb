// Package roofline measures the peak performance of a device: how fast it copies memory, and how fast it multiplies and
// adds, with kernels that are written and launched like those of the generators. A generation that moves a number of
// bytes and does a number of operations takes at least the longer of the two times (Williams, Waterman, Patterson,
// "Roofline", 2009).
package roofline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// Roofline is the peak performance of a device with all of its cores.
type Roofline struct {
	BytesPerSecond      float64 `json:"bytes_per_second"`      // read and written by a copy
	OperationsPerSecond float64 `json:"operations_per_second"` // float32 products and sums, each rounded separately
}

// Seconds returns the shortest time in which the device can move the bytes and do the operations.
func (r Roofline) Seconds(bytes, operations float64) float64 {
	return max(bytes/r.BytesPerSecond, operations/r.OperationsPerSecond)
}

// Sizes of the measurement: they grow until a run is long enough to be timed and a copy no longer fits the caches.
const (
	leastWords = 1 << 22 // 16 MiB, copied to as much memory
	mostWords  = 1 << 26
	items      = 1 << 16
	leastSteps = 1 << 6
	mostSteps  = 1 << 14
	growth     = 4
	longEnough = 10 * time.Millisecond
	repeats    = 5
)

// Measure measures a device, which takes about a second. It allocates up to 512 MiB of device memory and releases it.
func Measure(ctx context.Context, device backend.Device) (Roofline, error) {
	if err := device.Load(Defs...); err != nil {
		return Roofline{}, fmt.Errorf("roofline: %w", err)
	}
	bytesPerSecond, err := measureCopy(ctx, device)
	if err != nil {
		return Roofline{}, fmt.Errorf("roofline: copy: %w", err)
	}
	operationsPerSecond, err := measureArithmetic(ctx, device)
	if err != nil {
		return Roofline{}, fmt.Errorf("roofline: multiply and add: %w", err)
	}
	return Roofline{bytesPerSecond, operationsPerSecond}, nil
}

// measureCopy returns the number of bytes that a copy reads and writes per second.
func measureCopy(ctx context.Context, device backend.Device) (float64, error) {
	for words := leastWords; ; words *= growth {
		took, err := timeCopy(ctx, device, words)
		if err != nil {
			return 0, err
		}
		if took >= longEnough || words*growth > mostWords {
			return 2 * 4 * float64(words) / seconds(took), nil
		}
	}
}

func timeCopy(ctx context.Context, device backend.Device, words int) (_ time.Duration, err error) {
	from, err := exec.NewArray[uint32](device, words)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := exec.NewArray[uint32](device, words)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	return fastest(ctx, device, func(lc *exec.LaunchContext) { CopyWords(lc, words/4, from, to) })
}

// measureArithmetic returns the number of products and sums per second.
func measureArithmetic(ctx context.Context, device backend.Device) (_ float64, err error) {
	result, err := exec.NewArray[float32](device, items)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	for steps := leastSteps; ; steps *= growth {
		took, err := fastest(ctx, device,
			func(lc *exec.LaunchContext) { MultiplyAdd(lc, items, int32(steps), 0.5, 1, result) })
		if err != nil {
			return 0, err
		}
		if took >= longEnough || steps*growth > mostSteps {
			return 2 * chains * float64(items) * float64(steps) / seconds(took), nil
		}
	}
}

func seconds(d time.Duration) float64 { return max(d, time.Nanosecond).Seconds() }

// fastest returns the shortest of several runs of emit, including the wait. The first run, which touches the memory,
// does not count.
func fastest(ctx context.Context, device backend.Device, emit exec.Enqueue) (time.Duration, error) {
	lc, err := exec.For(ctx, device)
	if err != nil {
		return 0, err
	}
	var times []time.Duration
	for range 1 + repeats {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		start := time.Now()
		emit(lc)
		if err := errors.Join(lc.Err(), lc.Stream().Sync()); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start))
	}
	return slices.Min(times[1:]), nil
}
