package race

import "github.com/trackgen-go/trackgen/exec"

// Stages returns the parts of a Step by the bound actions in their order, for measurements of each: the begin of new
// episodes, the vehicles, those of the course (course.Course.Stages), the rewards with the ends of episodes and the
// totals, and each observation. All of them together are a Step. It returns nil for a race that is closed.
func (r *Race) Stages() []exec.Segment {
	if r.open("stages") != nil {
		return nil
	}
	p := &r.parts
	var list []exec.Segment
	add := func(name string, emit exec.Enqueue) {
		list = append(list, exec.Segment{StageID: name, Body: r.part(emit)})
	}
	if p.autoreset != Never {
		add("resets", func(lc *exec.LaunchContext) { p.renew(lc, r.course, p.ended) })
	}
	add("vehicle", func(lc *exec.LaunchContext) { p.drive(lc, r.actions) })
	for _, stage := range r.course.Stages() {
		add(stage.StageID, stage.Body)
	}
	add("reward", func(lc *exec.LaunchContext) { p.reward(lc, r.course, r.actions) })
	for _, o := range p.observers {
		add(o.name, o.observe)
	}
	return list
}

// part returns the emission of a part of a step.
func (r *Race) part(emit exec.Enqueue) exec.Enqueue {
	return func(lc *exec.LaunchContext) {
		const op = "stages"
		err := r.open(op)
		if err == nil {
			err = r.component.CheckBound(op, true)
		}
		if err != nil {
			lc.Fail(err)
			return
		}
		r.component.Recorded(lc)
		emit(lc)
	}
}
