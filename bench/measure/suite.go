package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/roofline"
)

// Plan says what a suite measures: every subject, for every number of envs, on every device.
type Plan struct {
	Subjects []Subject // with different generators; their numbers of envs have no effect
	Names    []string  // of the devices in the suite, in their order; nil for those of Info
	Envs     []int     // ascending
	Each     time.Duration
	Limit    time.Duration // of the whole suite; cases that would take too long are skipped
}

// Suite is the result of a plan.
type Suite struct {
	Machines []Machine       `json:"machines"`
	Work     []GeneratorWork `json:"work"`
	Scaling  []Scaling       `json:"scaling"`
	Results  []Result        `json:"results"`
	Skipped  []Skipped       `json:"skipped"`
}

// GeneratorWork is the work for one track or gate course of a generator, in total and per kernel.
type GeneratorWork struct {
	Generator string `json:"generator"`
	Work
	Kernels []KernelWork `json:"kernels"`
	Stages  []StageWork  `json:"stages"`
}

// H200 is the peak of an NVIDIA H200 according to its data sheet: 4.8 TB/s, and 67 Tflop/s that count a fused
// multiply-add as two operations. Here every product and every sum is rounded separately and takes one instruction, so
// the peak is half of that.
var H200 = roofline.Roofline{BytesPerSecond: 4.8e12, OperationsPerSecond: 33.5e12}

// Scaling is the speed of a generation by the number of workers of the CPU backend.
type Scaling struct {
	Generator  string  `json:"generator"`
	Envs       int     `json:"envs"`
	Workers    int     `json:"workers"`
	Time       Times   `json:"time"`
	Efficiency float64 `json:"efficiency"` // time with one worker over the total time of all workers
}

// Machine describes a device and its peak performance.
type Machine struct {
	Device      string            `json:"device"`
	Description string            `json:"description"`
	Driver      string            `json:"driver"`
	Workers     int               `json:"workers,omitempty"` // of the CPU backend
	Lanes       int               `json:"lanes,omitempty"`   // of the CPU backend: 8 in machine code, 1 in Go
	Roofline    roofline.Roofline `json:"roofline"`          // of the machine: the better one where a CPU is listed twice
}

// Skipped is a case that was not measured, with the reason.
type Skipped struct {
	Device    string `json:"device"`
	Generator string `json:"generator"`
	Envs      int    `json:"envs"`
	Reason    string `json:"reason"`
}

// Progress is called before each case is measured.
type Progress func(done, total int, device, generator string, envs int)

// RunSuite measures a plan. Small batches come first, so that the largest are skipped if the time runs out. progress
// may be nil. After an error it returns the error and what was measured before.
func RunSuite(ctx context.Context, devices []backend.Device, plan Plan, progress Progress) (Suite, error) {
	start := time.Now()
	s := Suite{Machines: []Machine{}, Work: []GeneratorWork{}, Results: []Result{}, Skipped: []Skipped{}}
	if err := s.describe(ctx, devices, plan); err != nil {
		return s, err
	}
	if err := s.scale(ctx, devices, plan); err != nil {
		return s, err
	}
	type series struct{ device, generator int }
	last := make(map[series]estimate)
	total := len(plan.Envs) * len(devices) * len(plan.Subjects)
	done := 0
	for _, envs := range plan.Envs {
		for d, device := range devices {
			for g, subject := range plan.Subjects {
				name, generator := s.Machines[d].Device, subject.generator
				if progress != nil {
					progress(done, total, name, generator, envs)
				}
				left := plan.Limit - time.Since(start)
				if left <= 0 {
					s.Skipped = append(s.Skipped, Skipped{name, generator, envs, "no time is left"})
					done++
					continue
				}
				if expected := last[series{d, g}].of(envs, plan.Each); expected > share(left, total-done) {
					s.Skipped = append(s.Skipped, Skipped{name, generator, envs, fmt.Sprintf("it would take about %.0f s, more "+
						"than its share of the %.0f s that are left", expected.Seconds(), left.Seconds())})
					done++
					continue
				}
				result, err := Run(ctx, device, subject.of(envs), plan.Each)
				if err != nil {
					return s, fmt.Errorf("%s, %s, %d envs: %w", name, generator, envs, err)
				}
				result.Device = name
				result.Floor = Seconds(1e9 * s.Work[g].Floor(envs, s.Machines[d].Roofline))
				result.H200Floor = Seconds(1e9 * s.Work[g].Floor(envs, H200))
				if result.Floor > 0 {
					result.TimesFloor = result.Generate.Median.Seconds() / result.Floor.Seconds()
				}
				for i := range result.Stages {
					work := s.Work[g].Stages[i] // in the same order
					result.Stages[i].Floor = Seconds(1e9 * work.Floor(envs, s.Machines[d].Roofline))
				}
				last[series{d, g}] = estimate{envs, time.Duration(result.Generate.Median)}
				s.Results = append(s.Results, result)
				done++
			}
		}
	}
	return s, nil
}

// describe measures the peak performance of the devices and counts the work of the generators.
func (s *Suite) describe(ctx context.Context, devices []backend.Device, plan Plan) error {
	for d, device := range devices {
		limits, err := roofline.Measure(ctx, device)
		if err != nil {
			return fmt.Errorf("measure: %s: %w", device.Info().Name, err)
		}
		info := device.Info()
		if plan.Names != nil {
			info.Name = plan.Names[d]
		}
		s.Machines = append(s.Machines, Machine{Device: info.Name, Description: info.Description, Driver: info.Driver,
			Workers: info.Workers, Lanes: info.Lanes, Roofline: limits})
	}
	s.shareCPU()
	for _, subject := range plan.Subjects {
		kernels, stages, err := CountWork(ctx, subject)
		if err != nil {
			return fmt.Errorf("measure: %s: %w", subject.generator, err)
		}
		s.Work = append(s.Work, GeneratorWork{subject.generator, total(kernels), kernels, stages})
	}
	return nil
}

// shareCPU gives all rows of the CPU the best figures of any: what its vectors can do is also the floor of Go.
func (s *Suite) shareCPU() {
	var best roofline.Roofline
	for _, m := range s.Machines {
		if m.Lanes > 0 {
			best.BytesPerSecond = max(best.BytesPerSecond, m.Roofline.BytesPerSecond)
			best.OperationsPerSecond = max(best.OperationsPerSecond, m.Roofline.OperationsPerSecond)
		}
	}
	for k := range s.Machines {
		if s.Machines[k].Lanes > 0 {
			s.Machines[k].Roofline = best
		}
	}
}

// scalingEnvs is a batch size that is large enough for many cores and small enough for one.
const scalingEnvs = 512

// scalingRuns is the factor by which a figure of the scaling gets more time, because it is a ratio of two.
const scalingRuns = 10

// scale measures the first subject of the plan with 1, 2, 4, ... workers of the CPU, if that is one of the devices.
func (s *Suite) scale(ctx context.Context, devices []backend.Device, plan Plan) error {
	s.Scaling = []Scaling{}
	most := 0
	for _, device := range devices {
		if info := device.Info(); info.Backend == "cpu" {
			most = max(most, info.Workers)
		}
	}
	subject := plan.Subjects[0].of(min(scalingEnvs, plan.Envs[len(plan.Envs)-1]))
	for workers := 1; workers <= most; workers *= 2 {
		times, err := withWorkers(ctx, subject, workers, plan.Each)
		if err != nil {
			return fmt.Errorf("measure: %s with %d workers: %w", subject.generator, workers, err)
		}
		one := times
		if workers > 1 {
			one = s.Scaling[0].Time
		}
		s.Scaling = append(s.Scaling, Scaling{Generator: subject.generator, Envs: subject.envs, Workers: workers,
			Time:       times,
			Efficiency: one.Median.Seconds() / (float64(workers) * times.Median.Seconds())})
	}
	return nil
}

// withWorkers measures generations on a CPU device with the given number of workers.
func withWorkers(ctx context.Context, subject Subject, workers int, each time.Duration) (_ Times, err error) {
	device, err := backend.Open("cpu", backend.Workers(workers))
	if err != nil {
		return Times{}, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	generator, err := subject.open(device, subject.envs)
	if err != nil {
		return Times{}, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	timer := timer{ctx: ctx, stream: device.DefaultStream(), each: scalingRuns * each}
	times := timer.repeat(func() error { return generator.generate(ctx) })
	return times, timer.err
}

// share returns the time limit of one of the remaining cases: much more than its fraction, because most take less.
func share(left time.Duration, cases int) time.Duration {
	return max(left/3, 3*left/time.Duration(max(1, cases)))
}

// estimate is the time of a generation; the zero value means unknown.
type estimate struct {
	envs       int
	generation time.Duration
}

// figures is the number of figures of a case that take as long as a generation: generation, replay, regeneration of all
// envs, the stages together, and the smaller regenerations together.
const figures = 5

// of returns the estimated time of a case with more envs, assuming that the time of a generation is proportional.
func (e estimate) of(envs int, each time.Duration) time.Duration {
	if e.envs == 0 {
		return 0
	}
	generation := time.Duration(float64(e.generation) * float64(envs) / float64(e.envs))
	return 2*generation + figures*max(each, minRuns*generation) // two generations before the first figure
}
