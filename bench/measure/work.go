package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/roofline"
	"github.com/trackgen-go/trackgen/kernel"
)

// KernelWork is the work of one kernel in a generation.
type KernelWork struct {
	Kernel   string `json:"kernel"`
	Launches int    `json:"launches"`
	Work
}

// Work is the average work for one track or gate course.
type Work struct {
	Operations float64 `json:"operations"` // float32 operations, as kernel.Work counts them
	Bytes      float64 `json:"bytes"`      // read and written, each element once per launch
}

// Floor returns a lower bound of the time for envs tracks, in seconds.
func (w Work) Floor(envs int, limits roofline.Roofline) float64 {
	return limits.Seconds(w.Bytes*float64(envs), w.Operations*float64(envs))
}

// countedEnvs is the number of tracks whose work is counted: the mean of a few is close to that of many.
const countedEnvs = 4

// CountWork counts the work of a generation per track, kernel by kernel in the order of their first launch. It runs the
// instrumented twins of the kernels on a few tracks.
func CountWork(ctx context.Context, subject Subject) (_ []KernelWork, err error) {
	var list []KernelWork
	place := make(map[string]int)
	counting := false
	device, err := backend.Open("cpu", backend.Debug(true), backend.Work(func(def *kernel.Def, work kernel.Work) {
		if !counting {
			return
		}
		at, known := place[def.Name]
		if !known {
			at = len(list)
			place[def.Name] = at
			list = append(list, KernelWork{Kernel: def.Name})
		}
		list[at].Launches++
		list[at].Operations += float64(work.Operations) / countedEnvs
		list[at].Bytes += float64(work.BytesRead+work.BytesWritten) / countedEnvs
	}))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, device.Close()); err != nil {
			err = fmt.Errorf("count work: %w", err)
		}
	}()
	generator, err := subject.open(device, countedEnvs)
	if err != nil {
		return nil, err
	}
	counting = true
	err = generator.generate(ctx)
	if err == nil {
		err = device.DefaultStream().Sync()
	}
	counting = false
	return list, errors.Join(err, generator.Close())
}

// total sums the work of all kernels.
func total(list []KernelWork) Work {
	var sum Work
	for _, k := range list {
		sum.Operations += k.Operations
		sum.Bytes += k.Bytes
	}
	return sum
}
