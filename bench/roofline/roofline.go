// Package roofline measures what a device can do at most: how fast it copies memory and how fast it multiplies and adds, with
// kernels that are written and launched like those of the generators. A generation that moves so many bytes and makes so
// many operations cannot take less than the longer of the two times (Williams, Waterman, Patterson, "Roofline", 2009).
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

// Roofline is what a device can do, with all of its cores.
type Roofline struct {
	BytesPerSecond      float64 `json:"bytes_per_second"`      // read and written by a copy
	OperationsPerSecond float64 `json:"operations_per_second"` // float32 products and sums, each rounded by itself
}

// Seconds returns the shortest time in which the device could move so many bytes and make so many operations.
func (r Roofline) Seconds(bytes, operations float64) float64 {
	return max(bytes/r.BytesPerSecond, operations/r.OperationsPerSecond)
}

// Sizes of the measurement. A copy has to leave the caches; both have to take much longer than a launch.
const (
	hostWords   = 1 << 24 // 64 MiB, copied to as much
	deviceWords = 1 << 26
	items       = 1 << 16
	hostSteps   = 256
	deviceSteps = 1 << 14
	repeats     = 5
)

// Measure measures a device, which takes less than a second. It allocates device memory of up to 512 MiB and returns it.
func Measure(ctx context.Context, device backend.Device) (_ Roofline, err error) {
	if err := device.Load(Defs...); err != nil {
		return Roofline{}, fmt.Errorf("roofline: %w", err)
	}
	words, steps := deviceWords, deviceSteps
	if device.Info().Software || device.Info().Backend == "cpu" {
		words, steps = hostWords, hostSteps
	}
	from, err := exec.NewArray[uint32](device, words)
	if err != nil {
		return Roofline{}, fmt.Errorf("roofline: %w", err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := exec.NewArray[uint32](device, words)
	if err != nil {
		return Roofline{}, fmt.Errorf("roofline: %w", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	result, err := exec.NewArray[float32](device, items)
	if err != nil {
		return Roofline{}, fmt.Errorf("roofline: %w", err)
	}
	defer func() { err = errors.Join(err, result.Close()) }()

	copying, err := fastest(ctx, device, func(lc *exec.LaunchContext) { CopyWords(lc, words/4, from, to) })
	if err != nil {
		return Roofline{}, fmt.Errorf("roofline: copy: %w", err)
	}
	computing, err := fastest(ctx, device, func(lc *exec.LaunchContext) { MultiplyAdd(lc, items, int32(steps), 0.5, 1, result) })
	if err != nil {
		return Roofline{}, fmt.Errorf("roofline: multiply and add: %w", err)
	}
	return Roofline{
		BytesPerSecond:      2 * 4 * float64(words) / seconds(copying),
		OperationsPerSecond: 2 * chains * float64(items) * float64(steps) / seconds(computing),
	}, nil
}

func seconds(d time.Duration) float64 { return max(d, time.Nanosecond).Seconds() }

// fastest returns the shortest of several runs of emit, waited for; the first, which touches the memory, does not count.
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
