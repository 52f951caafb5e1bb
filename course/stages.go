package course

import "github.com/trackgen-go/trackgen/exec"

// Stages returns the parts of a Step in their order, for measurements of each: progress with localisation, where that
// is on, and collision, where that is on. They work on the inputs that are bound when they are emitted, and all of them
// together are a Step. It returns nil for a course that is closed.
func (c *Course) Stages() []exec.Segment {
	if c.open("stages") != nil {
		return nil
	}
	list := []exec.Segment{{StageID: "progress", Body: c.part((*tools).locate)}}
	if c.Localiser() != nil {
		list[0].StageID = "progress+localise"
	}
	if c.Borders() != nil || c.Field() != nil || c.Posts() != nil || c.Frames() != nil || c.Others() != nil {
		list = append(list, exec.Segment{StageID: "collision", Body: c.part((*tools).findContacts)})
	}
	return list
}

// part returns the emission of a part of a step.
func (c *Course) part(emit func(*tools, *exec.LaunchContext, Inputs)) exec.Enqueue {
	return func(lc *exec.LaunchContext) {
		const op = "stages"
		err := c.open(op)
		if err == nil {
			err = c.checkBound(op)
		}
		if err != nil {
			lc.Fail(err)
			return
		}
		c.component.Recorded(lc)
		emit(c.tools, lc, c.inputs)
	}
}
