package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/roofline"
	"github.com/trackgen-go/trackgen/exec"
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

// StageWork is the work of one stage of a generation or a step, by itself.
type StageWork struct {
	Name string `json:"name"`
	Work
}

// counter collects the work of the launches on a device.
type counter struct {
	on   bool
	list []KernelWork
	at   map[string]int
}

// add adds a launch.
func (c *counter) add(def *kernel.Def, work kernel.Work) {
	if !c.on {
		return
	}
	at, known := c.at[def.Name]
	if !known {
		at = len(c.list)
		c.at[def.Name] = at
		c.list = append(c.list, KernelWork{Kernel: def.Name})
	}
	c.list[at].Launches++
	c.list[at].Operations += float64(work.Operations) / countedEnvs
	c.list[at].Bytes += float64(work.BytesRead+work.BytesWritten) / countedEnvs
}

// during counts the work of run alone, kernel by kernel in the order of their first launch.
func (c *counter) during(stream backend.Stream, run func() error) ([]KernelWork, error) {
	c.on, c.list, c.at = true, nil, make(map[string]int)
	err := run()
	if err == nil {
		err = stream.Sync()
	}
	c.on = false
	return c.list, err
}

// CountWork counts the work of a generation per track: kernel by kernel in the order of their first launch, and stage
// by stage. It runs the instrumented twins of the kernels on a few tracks.
func CountWork(ctx context.Context, subject Subject) (kernels []KernelWork, stages []StageWork, err error) {
	var count counter
	device, err := backend.Open("cpu", backend.Debug(true), backend.Work(count.add))
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err = errors.Join(err, device.Close()); err != nil {
			err = fmt.Errorf("count work: %w", err)
		}
	}()
	generator, err := subject.open(device, countedEnvs)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	stream := device.DefaultStream()
	kernels, err = count.during(stream, func() error { return generator.generate(ctx) })
	if err != nil {
		return nil, nil, err
	}
	lc, err := exec.For(ctx, device, exec.DefaultStream(stream))
	if err != nil {
		return nil, nil, err
	}
	for _, stage := range generator.stages() {
		list, err := count.during(stream, func() error { stage.Body(lc); return lc.Err() })
		if err != nil {
			return nil, nil, fmt.Errorf("stage %s: %w", stage.StageID, err)
		}
		stages = append(stages, StageWork{stage.StageID, total(list)})
	}
	return kernels, stages, nil
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
