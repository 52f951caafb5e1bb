package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/roofline"
	"github.com/trackgen-go/trackgen/track"
)

// Plan says what a suite measures: every generator with every number of envs on every device.
type Plan struct {
	Config     track.Config // but for the generator and the number of envs
	Generators []string
	Envs       []int // ascending
	Each       time.Duration
	Limit      time.Duration // of everything; cases that would take too long, or for which no time is left, are skipped
}

// Suite is what was measured.
type Suite struct {
	Machines []Machine       `json:"machines"`
	Work     []GeneratorWork `json:"work"`
	Scaling  []Scaling       `json:"scaling"`
	Results  []Result        `json:"results"`
	Skipped  []Skipped       `json:"skipped"`
}

// GeneratorWork is what one track of a generator takes, in total and kernel by kernel.
type GeneratorWork struct {
	Generator string `json:"generator"`
	Work
	Kernels []KernelWork `json:"kernels"`
}

// H200 is what an NVIDIA H200 can do at most by its data sheet: 4.8 TB/s, and 67 Tflop/s that count a fused multiplication
// and addition as two. Here every product and every sum is rounded by itself, which is an instruction each: half of it.
var H200 = roofline.Roofline{BytesPerSecond: 4.8e12, OperationsPerSecond: 33.5e12}

// Scaling is how a generation gets faster with the workers of the CPU backend.
type Scaling struct {
	Generator  string  `json:"generator"`
	Envs       int     `json:"envs"`
	Workers    int     `json:"workers"`
	Time       Times   `json:"time"`
	Efficiency float64 `json:"efficiency"` // time with one worker over that of all workers together
}

// Machine is what a device is, and can do at most.
type Machine struct {
	Device      string            `json:"device"`
	Description string            `json:"description"`
	Driver      string            `json:"driver"`
	Workers     int               `json:"workers,omitempty"` // of the CPU backend
	Roofline    roofline.Roofline `json:"roofline"`
}

// Skipped is a case that was not measured, and why.
type Skipped struct {
	Device    string `json:"device"`
	Generator string `json:"generator"`
	Envs      int    `json:"envs"`
	Reason    string `json:"reason"`
}

// Progress hears of each case before it is measured.
type Progress func(done, total int, device, generator string, envs int)

// RunSuite measures a plan. Small batches come first, so that what is skipped for lack of time is the largest. progress may
// be nil. An error ends it; what was measured before comes beside it.
func RunSuite(ctx context.Context, devices []backend.Device, plan Plan, progress Progress) (Suite, error) {
	start := time.Now()
	s := Suite{Machines: []Machine{}, Work: []GeneratorWork{}, Results: []Result{}, Skipped: []Skipped{}}
	for _, device := range devices {
		limits, err := roofline.Measure(ctx, device)
		if err != nil {
			return s, fmt.Errorf("measure: %s: %w", device.Info().Name, err)
		}
		info := device.Info()
		s.Machines = append(s.Machines, Machine{Device: info.Name, Description: info.Description, Driver: info.Driver, Workers: info.Workers, Roofline: limits})
	}
	for _, generator := range plan.Generators {
		config := plan.Config
		config.Generator = generator
		kernels, err := CountWork(ctx, config)
		if err != nil {
			return s, fmt.Errorf("measure: %s: %w", generator, err)
		}
		s.Work = append(s.Work, GeneratorWork{generator, total(kernels), kernels})
	}
	if err := s.scale(ctx, devices, plan); err != nil {
		return s, err
	}
	type series struct{ device, generator int }
	last := make(map[series]estimate)
	total := len(plan.Envs) * len(devices) * len(plan.Generators)
	done := 0
	for _, envs := range plan.Envs {
		for d, device := range devices {
			for g, generator := range plan.Generators {
				name := device.Info().Name
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
					s.Skipped = append(s.Skipped, Skipped{name, generator, envs, fmt.Sprintf("it would take about %.0f s, more than its share of the %.0f s that are left", expected.Seconds(), left.Seconds())})
					done++
					continue
				}
				config := plan.Config
				config.Generator, config.NumEnvs = generator, envs
				result, err := Run(ctx, device, config, plan.Each)
				if err != nil {
					return s, fmt.Errorf("%s, %s, %d envs: %w", name, generator, envs, err)
				}
				result.Floor = Seconds(1e9 * s.Work[g].Floor(envs, s.Machines[d].Roofline))
				result.H200Floor = Seconds(1e9 * s.Work[g].Floor(envs, H200))
				if result.Floor > 0 {
					result.TimesFloor = result.Generate.Median.Seconds() / result.Floor.Seconds()
				}
				last[series{d, g}] = estimate{envs, time.Duration(result.Generate.Median)}
				s.Results = append(s.Results, result)
				done++
			}
		}
	}
	return s, nil
}

// scalingEnvs is a batch that is large enough for many cores and small enough for one.
const scalingEnvs = 512

// scalingRuns is how much more time a figure of the scaling gets: it is a ratio of two.
const scalingRuns = 10

// scale measures the first generator of the plan with 1, 2, 4, ... workers of the CPU, where that is one of the devices.
func (s *Suite) scale(ctx context.Context, devices []backend.Device, plan Plan) error {
	s.Scaling = []Scaling{}
	most := 0
	for _, device := range devices {
		if info := device.Info(); info.Backend == "cpu" {
			most = max(most, info.Workers)
		}
	}
	config := plan.Config
	config.Generator, config.NumEnvs = plan.Generators[0], min(scalingEnvs, plan.Envs[len(plan.Envs)-1])
	for workers := 1; workers <= most; workers *= 2 {
		times, err := withWorkers(ctx, config, workers, plan.Each)
		if err != nil {
			return fmt.Errorf("measure: %s with %d workers: %w", config.Generator, workers, err)
		}
		one := times
		if workers > 1 {
			one = s.Scaling[0].Time
		}
		s.Scaling = append(s.Scaling, Scaling{Generator: config.Generator, Envs: config.NumEnvs, Workers: workers, Time: times,
			Efficiency: one.Median.Seconds() / (float64(workers) * times.Median.Seconds())})
	}
	return nil
}

// withWorkers measures generations on a CPU device of so many workers.
func withWorkers(ctx context.Context, config track.Config, workers int, each time.Duration) (_ Times, err error) {
	device, err := backend.Open("cpu", backend.Workers(workers))
	if err != nil {
		return Times{}, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	generator, err := track.NewGenerator(device, config)
	if err != nil {
		return Times{}, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	timer := timer{ctx: ctx, stream: device.DefaultStream(), each: scalingRuns * each}
	times := timer.repeat(func() error { _, err := generator.Generate(ctx); return err })
	return times, timer.err
}

// share is how long one of the cases that are left may take: much more than its part, since most take less.
func share(left time.Duration, cases int) time.Duration {
	return max(left/3, 3*left/time.Duration(max(1, cases)))
}

// estimate is how long a generation took; the zero value knows nothing.
type estimate struct {
	envs       int
	generation time.Duration
}

// figures is how many figures of a case take as long as a generation: generation, replay, regeneration of all, the stages
// together, and the smaller regenerations.
const figures = 5

// of returns how long a case of more envs would take, if a generation takes time in proportion.
func (e estimate) of(envs int, each time.Duration) time.Duration {
	if e.envs == 0 {
		return 0
	}
	generation := time.Duration(float64(e.generation) * float64(envs) / float64(e.envs))
	return 2*generation + figures*max(each, minRuns*generation) // two before the first figure
}
