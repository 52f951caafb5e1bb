// Package measure measures the time of generation, recording, replay and regeneration by mask on a device, in total and
// per stage.
package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/capture"
)

// Percentages are the percentages of envs for which regenerations are measured.
var Percentages = [...]int{1, 10, 100}

// Result is the measurement of one configuration on one device. Figures that do not apply are omitted.
type Result struct {
	Device    string `json:"device"`
	Generator string `json:"generator"`
	Envs      int    `json:"envs"`

	FirstCall Seconds `json:"first_call_seconds"` // allocation, loading of kernels and the first generation
	Generate  Times   `json:"generate"`           // one generation, including the wait
	Capture   Seconds `json:"capture_seconds"`    // recording one generation without running it
	Replay    Times   `json:"replay"`             // replaying the recorded generation, including the wait
	// Regenerate is a regeneration of 1, 10 and 100 % of the envs by a mask; nil if that is less than one env.
	Regenerate [len(Percentages)]*Times `json:"regenerate"`
	Stages     []Stage                  `json:"stages"`

	// Floor is a lower bound of the time of a generation on this device (Suite only). TimesFloor is the ratio of the
	// measured time to Floor.
	Floor      Seconds `json:"floor_seconds,omitempty"`
	TimesFloor float64 `json:"times_floor,omitempty"`
	H200Floor  Seconds `json:"h200_floor_seconds,omitempty"` // the lower bound for an H200, see H200: a prediction

	// Agents is the number of agents in each env, and AgentStepsPerSecond what a step of them all gives; of steps only.
	Agents              int     `json:"agents_per_env,omitempty"`
	AgentStepsPerSecond float64 `json:"agent_steps_per_second,omitempty"`

	TracksPerSecond        float64 `json:"tracks_per_second"`                    // or gate courses
	TracksPerSecondPerCore float64 `json:"tracks_per_second_per_core,omitempty"` // of the CPU backend
	Launches               int     `json:"launches"`                             // kernel launches per generation
	// Nodes is the number of nodes of the graph, including those of bodies.
	Nodes       int   `json:"nodes"`
	BytesPerEnv int64 `json:"bytes_per_env,omitempty"` // device memory of a generator
}

// Stage is the time of one stage of a generation or a step by itself, including the wait.
type Stage struct {
	Name string `json:"name"`
	Time Times  `json:"time"`
	// Floor is a lower bound of the time on this device (Suite only); 0 where nothing is launched or counted.
	Floor Seconds `json:"floor_seconds,omitempty"`
}

// Run measures one subject. Each figure takes about the time each, but at least three runs, so that it may take
// longer for a large batch.
//
// Errors are those of the configuration (track.ErrConfig, gate.ErrConfig) and of the device, and the error of ctx,
// which is checked between runs.
func Run(ctx context.Context, device backend.Device, subject Subject, each time.Duration) (_ Result, err error) {
	start := time.Now()
	generator, err := subject.open(device, subject.envs)
	if err != nil {
		return Result{}, fmt.Errorf("measure: %w", err)
	}
	defer func() {
		if err = errors.Join(err, generator.Close()); err != nil {
			err = fmt.Errorf("measure: %w", err)
		}
	}()
	stream := device.DefaultStream()
	if err := stream.Sync(); err != nil {
		return Result{}, err
	}
	envs := subject.envs
	r := Result{Device: device.Info().Name, Generator: subject.generator, Envs: envs,
		FirstCall: Seconds(time.Since(start))}
	if subject.bytesPerEnv != nil {
		if r.BytesPerEnv, err = subject.bytesPerEnv(); err != nil {
			return Result{}, err
		}
	}
	timer := timer{ctx: ctx, stream: stream, each: each}
	r.Generate = timer.repeat(func() error { return generator.generate(ctx) })
	r.TracksPerSecond = float64(envs) / r.Generate.Median.Seconds()
	r.Agents = subject.agents
	r.AgentStepsPerSecond = float64(subject.agents) * r.TracksPerSecond
	if workers := device.Info().Workers; workers > 0 {
		r.TracksPerSecondPerCore = r.TracksPerSecond / float64(workers)
	}
	if timer.err == nil {
		timer.err = r.recorded(ctx, &timer, generator)
	}
	for i, percent := range Percentages {
		if timer.err == nil && envs*percent >= 100 {
			r.Regenerate[i], timer.err = regenerate(ctx, &timer, device, generator, envs, percent)
		}
	}
	if timer.err == nil {
		timer.err = r.stages(ctx, &timer, device, generator)
	}
	return r, timer.err
}

// recorded measures the recording of a generation and its replay.
func (r *Result) recorded(ctx context.Context, timer *timer, generator generator) error {
	stream := timer.stream
	start := time.Now()
	graph, err := capture.Of(stream, func() error { return generator.generate(ctx) })
	if err != nil {
		return err
	}
	r.Capture = Seconds(time.Since(start))
	r.Nodes = graph.Nodes()
	if inspector, ok := graph.(backend.Inspector); ok {
		r.Launches = launches(inspector.Operations())
	}
	r.Replay = timer.repeat(func() error { return stream.Replay(graph) })
	return errors.Join(timer.err, stream.Sync(), graph.Close())
}

// launches counts the kernel launches, each body once.
func launches(operations []backend.Operation) int {
	n := 0
	for _, operation := range operations {
		if operation.Kind == backend.OperationLaunch {
			n++
		}
		n += launches(operation.Body)
	}
	return n
}

// regenerate measures the regeneration of a percentage of the envs, spread over the batch.
func regenerate(ctx context.Context, timer *timer, device backend.Device, generator generator,
	envs, percent int) (_ *Times, err error) {
	values := make([]int32, envs)
	for e := range values {
		if (e+1)*percent/100 > e*percent/100 {
			values[e] = 1
		}
	}
	mask, err := exec.FromSlice(device, values)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, timer.stream.Sync(), mask.Close()) }()
	times := timer.repeat(func() error { return generator.regenerate(ctx, mask) })
	return &times, timer.err
}

// stages measures the stages one by one.
func (r *Result) stages(ctx context.Context, timer *timer, device backend.Device, generator generator) error {
	lc, err := exec.For(ctx, device, exec.DefaultStream(timer.stream))
	if err != nil {
		return err
	}
	var names []string
	var run []func() error
	for _, stage := range generator.stages() {
		names = append(names, stage.StageID)
		run = append(run, func() error { stage.Body(lc); return lc.Err() })
	}
	for i, times := range timer.rounds(names, run) {
		r.Stages = append(r.Stages, Stage{Name: names[i], Time: times})
	}
	return timer.err
}
