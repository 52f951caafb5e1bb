package sequences

import "fmt"

// performStream runs the calls of streams.
func (m *model) performStream(c *call) (verdict, bool) {
	s := m.streams[c.arg(0)]
	family := map[string]func(*call, *stream) verdict{"begin": m.begin, "end": m.end, "replay": m.replay, "sync": m.sync,
		"state": func(_ *call, s *stream) verdict { return says(s.state()) }, "stream.close": m.closeStream,
		"stream.new": m.newStream, "current": m.setCurrent}
	run := family[c.op]
	if run == nil {
		return verdict{}, false
	}
	if s == nil {
		return skipped, true
	}
	return run(c, s), true
}

// entangled reports whether a call that changes the capture state of a stream would run inside a function that emits.
func (m *model) entangled() bool { return m.depth > 0 }

func (m *model) begin(_ *call, s *stream) verdict {
	switch {
	case s.closed:
		return says("closed")
	case s.live() != nil:
		return says("capture")
	case m.entangled():
		return skipped
	}
	m.waitFor(s)
	s.capture = newCapture(s)
	return says("")
}

func (m *model) end(c *call, s *stream) verdict {
	capture := s.live()
	switch {
	case s.closed:
		return says("closed")
	case capture == nil || capture.foreign || capture.origin != s || capture.open > 0:
		return says("capture")
	case m.entangled():
		return skipped
	}
	capture.ended = true
	if !capture.joined() {
		return says("capture")
	}
	m.graphs[c.arg(1)] = capture.graph()
	return says("")
}

// maxReplay limits the size of a graph that is recorded into another one, so that programs stay small.
const maxReplay = 200

func (m *model) replay(c *call, s *stream) verdict {
	g := m.graphs[c.arg(1)]
	if g == nil || m.run != 0 {
		return skipped
	}
	return m.replayOn(&context{stream: s, cell: &cell{}}, g)
}

// replayOn replays a graph on the stream of a context, after the caller has checked the rules for bodies.
func (m *model) replayOn(c *context, g *graph) verdict {
	if g.closed {
		return says("closed")
	}
	if wrong := blocked(c); wrong != "" {
		return says(wrong)
	}
	if len(g.operations) == 0 && c.stream.live() != nil {
		return skipped // the rules do not say whether an empty fork must be joined back
	}
	if size(g.operations) > maxReplay || m.racy(c.stream, g.reads, g.wrote) {
		return skipped
	}
	m.use(c.stream, g.reads, g.wrote)
	for i := range g.operations {
		m.add(c, g.operations[i])
	}
	return says("")
}

func (m *model) sync(_ *call, s *stream) verdict {
	switch {
	case s.closed:
		return says("closed")
	case s.live() != nil:
		return says("capture")
	case s.device > 0:
		return skipped // it does not wait for the open body
	}
	m.host.merge(s.before)
	return says("")
}

func (m *model) closeStream(_ *call, s *stream) verdict {
	if s.name == "s0" {
		return says("invalid")
	}
	if s.foreign || m.entangled() {
		return skipped
	}
	if s.closed {
		return says("")
	}
	m.waitFor(s)
	capture := s.live()
	if m.current == s {
		m.current = m.streams["s0"]
	}
	s.closed = true
	if capture != nil && capture.origin == s {
		capture.ended = true
		return says("capture")
	}
	return says("")
}

func (m *model) newStream(c *call, s *stream) verdict {
	if !s.closed || s.foreign || s.name == "s0" {
		return skipped
	}
	m.streams[c.arg(0)] = &stream{name: s.name, before: clock{}}
	return says("")
}

func (m *model) setCurrent(_ *call, s *stream) verdict {
	if m.entangled() {
		return skipped
	}
	if s.closed {
		return says("closed")
	}
	m.current = s
	return says("")
}

// performEvent runs the calls of the library's events.
func (m *model) performEvent(c *call) (verdict, bool) {
	switch c.op {
	case "record", "wait":
		s, e := m.streams[c.arg(0)], m.events[c.arg(1)]
		switch {
		case s == nil || s.closed && e.closed:
			return skipped, true
		case s.closed || e.closed:
			return says("closed"), true
		case c.op == "record":
			return m.record(s, e), true
		}
		return m.wait(s, e), true
	case "event.sync":
		e := m.events[c.arg(0)]
		switch {
		case e.closed:
			return says("closed"), true
		case e.capture != nil:
			return says("capture"), true
		}
		m.host.merge(e.at)
		return says(""), true
	case "event.close":
		m.events[c.arg(0)].closed = true
		return says(""), true
	case "event.new":
		if !m.events[c.arg(0)].closed {
			return skipped, true
		}
		m.events[c.arg(0)] = &event{}
		return says(""), true
	}
	return verdict{}, false
}

func (m *model) record(s *stream, e *event) verdict {
	capture := s.live()
	if s.bodyOpen() || capture != nil && capture.invalid {
		return says("capture")
	}
	if m.entangled() {
		return skipped
	}
	before, _ := m.point(s)
	at := clock{}
	at.merge(before)
	*e = event{recorded: true, capture: capture, at: at}
	return says("")
}

func (m *model) wait(s *stream, e *event) verdict {
	capture := s.live()
	switch {
	case capture != nil && capture.invalid:
		return says("capture")
	case !e.recorded:
		return says("")
	case e.capture == nil && capture == nil:
		if m.entangled() {
			return skipped
		}
		s.before.merge(e.at)
		return says("")
	case e.capture == nil, e.capture.ended, capture != nil && capture != e.capture, e.capture.open > 0:
		return says("capture")
	case m.entangled():
		return skipped
	case e.capture.invalid:
		return says("capture")
	}
	m.join(s, e)
	return says("")
}

// join makes a stream wait for an event of a capture.
func (m *model) join(s *stream, e *event) {
	if s.live() == nil {
		m.waitFor(s)
	}
	s.capture = e.capture
	if e.capture.points[s] == nil {
		e.capture.points[s] = clock{}
	}
	e.capture.points[s].merge(e.at)
}

// performObject runs the calls of arrays and graphs, and those that inspect them.
func (m *model) performObject(c *call) (verdict, bool) {
	switch c.op {
	case "close":
		x := m.arrays[c.arg(0)]
		if x == nil || len(m.flags[x]) > 0 { // the rules do not define a loop with a closed flag
			return skipped, true
		}
		x.closed = true
		return says(""), true
	case "new", "write":
		return m.write(c), true
	case "graph.close":
		g := m.graphs[c.arg(0)]
		if g == nil {
			return skipped, true
		}
		g.closed = true
		return says(""), true
	case "replayin":
		of, g := m.context(c.arg(0)), m.graphs[c.arg(1)]
		if of == nil || g == nil || of.cell.err != "" || refused(of) || m.odd(of) {
			return skipped, true
		}
		return m.replayOn(of, g), true
	case "check":
		return m.check(), true
	}
	return verdict{}, false
}

// write recreates an array, or replaces its elements through the default stream.
func (m *model) write(c *call) verdict {
	x := m.arrays[c.arg(0)]
	if x == nil || m.entangled() || (c.op == "new") != x.closed || m.current.live() != nil {
		if x != nil && c.op == "write" && x.closed {
			return says("closed")
		}
		return skipped
	}
	s := m.streams["s0"]
	if s.live() != nil {
		return says("capture")
	}
	if c.op == "new" {
		x = &memory{values: initial(c.arg(0))}
		m.arrays[c.arg(0)] = x
		return says("")
	}
	if m.racy(s, nil, []*memory{x}) {
		return skipped
	}
	m.use(s, nil, []*memory{x})
	m.host.merge(s.before)
	for i := range x.values {
		x.values[i] = int32(c.int(1) * (i%2 + 1))
	}
	return says("")
}

// check waits for all streams that can be waited for, and reads all arrays.
func (m *model) check() verdict {
	if m.entangled() {
		return skipped
	}
	m.waitFor()
	if m.streams["s0"].live() != nil {
		return says("capture")
	}
	result := ""
	for _, name := range arrayNames {
		if x := m.arrays[name]; !x.closed {
			result += fmt.Sprint(name, x.values, " ")
		}
	}
	return says(fmt.Sprint(result, "seeds", m.seeds.seeds.values, " epochs", m.seeds.epoch.values))
}
