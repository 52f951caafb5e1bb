package pipeline

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Program is the built stages of a producer, in order. One goroutine at a time uses it.
type Program struct {
	builder *Builder
	stages  []builtStage
}

// builtStage is a stage with its slot and its enqueue function.
type builtStage struct {
	slot    *exec.StageSlot
	enqueue exec.Enqueue
}

// Build builds the stages in order and returns a program of them, which owns the builder. A builder builds one program.
// If a stage fails, everything is released.
//
// It returns a *backend.ArgumentError for a nil stage, for an empty or repeated ID, and for an invalid class.
func (b *Builder) Build(stages ...exec.Stage) (_ *Program, err error) {
	const op = "build program"
	if b == nil {
		return nil, errBuilder(op, b)
	}
	if b.built {
		return nil, &backend.ArgumentError{Op: op, Argument: "builder", Value: "one that has already built a program",
			Allowed: "a new one"}
	}
	b.built = true
	done := false
	defer func() {
		if !done { // release everything after a panic too
			err = errors.Join(err, b.Close())
		}
	}()
	if err := check(op, stages); err != nil {
		return nil, err
	}
	p := &Program{builder: b}
	for _, stage := range stages {
		built, err := b.buildStage(stage)
		if err != nil {
			return nil, exec.Doing(building(stage), err)
		}
		p.stages = append(p.stages, built)
	}
	done = true
	return p, nil
}

// building is the operation of an error of stage.Build.
func building(stage exec.Stage) string { return fmt.Sprintf("build stage %q", stage.ID()) }

func check(op string, stages []exec.Stage) error {
	known := make(map[string]bool)
	if len(stages) == 0 {
		return &backend.ArgumentError{Op: op, Argument: "stages", Value: "none", Allowed: "1 or more"}
	}
	for i, stage := range stages {
		if stage == nil {
			return &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("stages[%d]", i), Value: nil, Allowed: "a stage"}
		}
		if known[stage.ID()] {
			return &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("stages[%d].ID", i), Value: stage.ID(),
				Allowed: "an ID that no other stage has"}
		}
		known[stage.ID()] = true
	}
	return nil
}

func (b *Builder) buildStage(stage exec.Stage) (builtStage, error) {
	if err := b.checkClass(stage); err != nil {
		return builtStage{}, err
	}
	slot, err := exec.NewStageSlot(b.device, stage.ID(), stage.Class())
	if err != nil {
		return builtStage{}, err
	}
	b.Keep(slot)
	b.slot = slot
	defer func() { b.slot = nil }()
	enqueue, err := stage.Build(b)
	if err == nil && enqueue == nil {
		err = &backend.ArgumentError{Op: building(stage), Argument: "Enqueue", Value: nil, Allowed: "a function"}
	}
	return builtStage{slot, enqueue}, err
}

// checkClass refuses a part with a higher class than its stage, because the runner goes by the class of the stage.
func (b *Builder) checkClass(part exec.Stage) error {
	if b.outer == nil || b.outer.Slot() == nil {
		return nil
	}
	if whole := b.outer.Slot(); part.Class() > whole.Class() {
		return &backend.ArgumentError{Op: building(part), Argument: "class", Value: part.Class(),
			Allowed: fmt.Sprintf("at most %v, the class of stage %q to which it belongs", whole.Class(), whole.ID())}
	}
	return nil
}

// Enqueue emits a generation of all envs. For a program made with Nested, it emits the envs on which the stage works.
// It is the body of a runner if the program has no HOST stage.
func (p *Program) Enqueue(lc *exec.LaunchContext) {
	if err := p.check("enqueue"); err != nil {
		lc.Fail(err)
		return
	}
	list := p.builder.list.all
	if p.builder.outer != nil {
		list = p.builder.list.current
	}
	p.emit(lc, p.stages, list)
}

// EnqueueEnvs emits a generation of the envs in a list, which has the layout of List.
func (p *Program) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := p.checkList(list); err != nil {
		lc.Fail(err)
		return
	}
	p.emit(lc, p.stages, list)
}

// check returns a *backend.ArgumentError if p is nil or zero.
func (p *Program) check(op string) error {
	if p == nil || p.builder == nil {
		return &backend.ArgumentError{Op: op, Argument: "program", Value: nil, Allowed: "one made by Builder.Build"}
	}
	return nil
}

func (p *Program) checkList(list exec.Array[int32]) error {
	if err := p.check("enqueue"); err != nil {
		return err
	}
	return list.Check("enqueue", "list", p.builder.device, p.builder.envs+1)
}

func (p *Program) emit(lc *exec.LaunchContext, stages []builtStage, list exec.Array[int32]) {
	active := p.builder.list
	outer := active.current
	active.current = list
	defer func() { active.current = outer }()
	for i := range stages {
		stages[i].slot.Run(lc, stages[i].enqueue)
	}
}

// Segments cuts the program at its HOST stages for GraphRunner.RunSegments: one segment per HOST stage, and one for the
// stages between two of them. The zero list means all envs.
func (p *Program) Segments(list exec.Array[int32]) ([]exec.Segment, error) {
	if err := p.check("segments"); err != nil {
		return nil, err
	}
	if list.IsZero() {
		list = p.builder.list.all
	}
	if err := p.checkList(list); err != nil {
		return nil, err
	}
	var segments []exec.Segment
	for first := 0; first < len(p.stages); {
		class := p.stages[first].slot.Class()
		end := first + 1
		for class != exec.Host && end < len(p.stages) && p.stages[end].slot.Class() != exec.Host {
			class = max(class, p.stages[end].slot.Class())
			end++
		}
		part := p.stages[first:end]
		segments = append(segments, exec.Segment{Class: class, StageID: part[0].slot.ID(),
			Body: func(lc *exec.LaunchContext) { p.emit(lc, part, list) }})
		first = end
	}
	return segments, nil
}

// Stages returns one segment per stage, for all envs, for measurements. Enqueue emits their bodies in order.
func (p *Program) Stages() []exec.Segment {
	segments := make([]exec.Segment, len(p.stages))
	for i := range p.stages {
		part := p.stages[i : i+1]
		segments[i] = exec.Segment{Class: part[0].slot.Class(), StageID: part[0].slot.ID(),
			Body: func(lc *exec.LaunchContext) { p.emit(lc, part, p.builder.list.all) }}
	}
	return segments
}

// Seed returns the effective seeds.
func (p *Program) Seed() exec.Array[int32] { return p.builder.seed }

// Bytes returns the size of the device memory that the stages have allocated, including the seeds and the list of envs.
func (p *Program) Bytes() int64 { return p.builder.bytes }

// Arrays lists the names of the outputs and of the provided arrays, sorted.
func (p *Program) Arrays() []string { return p.builder.names() }

func (b *Builder) names() []string { return slices.Sorted(maps.Keys(b.arrays)) }

// ArrayOf returns an output or a provided array by name. The program owns the outputs.
func ArrayOf[T kernel.Element](p *Program, name string) (exec.Array[T], error) {
	const op = "array of program"
	if err := p.check(op); err != nil {
		return exec.Array[T]{}, err
	}
	return find[T](p.builder, op, name)
}

// Close releases the memory of all stages, except what graphs into which the program was recorded keep. Closing twice
// does nothing.
func (p *Program) Close() error {
	if p == nil {
		return nil
	}
	return p.builder.Close()
}

// RunnerOptions describes the program to a GraphRunner: whether it can be captured, which HOST stages prevent that, and
// whether a stage or a part of a stage is a legacy producer. The caller adds the owner and the default stream.
func (p *Program) RunnerOptions(name string) exec.RunnerOptions {
	if p.check("describe") != nil {
		return exec.RunnerOptions{Name: name}
	}
	options := exec.RunnerOptions{Name: name, Capturable: true, Legacy: p.builder.legacy}
	for i := range p.stages {
		if slot := p.stages[i].slot; slot.Class() == exec.Host {
			options.Capturable = false
			options.StageIDs = append(options.StageIDs, slot.ID())
		}
	}
	return options
}

// RunnerOptions describes stages that have not been built, like Program.RunnerOptions. The parts of a stage are unknown
// until it is built.
func RunnerOptions(name string, stages ...exec.Stage) exec.RunnerOptions {
	options := exec.RunnerOptions{Name: name, Capturable: true}
	for _, stage := range stages {
		if stage == nil {
			continue // Build refuses a nil stage
		}
		if stage.Class() == exec.Host {
			options.Capturable = false
			options.StageIDs = append(options.StageIDs, stage.ID())
		}
		if s, ok := stage.(interface{ containsLegacy() bool }); ok && s.containsLegacy() {
			options.Legacy = true
		}
	}
	return options
}
