package sequences

// registration is a registered capture of the foreigner.
type registration struct {
	stream      *stream
	capture     *capture
	mode        string
	conditional bool
	inForce     bool
}

// inForce returns the registration for the capture that a stream takes part in, if it was made for that stream.
func (m *model) inForce(s *stream) *registration {
	for _, mark := range m.marks {
		if mark.inForce && mark.stream == s && mark.capture == s.live() {
			return mark
		}
	}
	return nil
}

// performForeign runs the foreigner's calls to the driver, and registrations of its captures.
func (m *model) performForeign(c *call) (verdict, bool) {
	if !isForeign(c.op) {
		return verdict{}, false
	}
	if !m.abilities.foreign || m.entangled() {
		return skipped, true
	}
	s := m.streams[c.arg(0)]
	switch c.op {
	case "register":
		return m.register(c), true
	case "register.end":
		if mark := m.marks[c.arg(0)]; mark != nil {
			mark.inForce = false
			return says(""), true
		}
		return skipped, true
	case "register.state":
		mark := m.marks[c.arg(0)]
		if mark == nil || mark.capture == nil || mark.capture.ended {
			return skipped, true
		}
		return says(force(mark.inForce)), true
	case "foreign.record", "foreign.wait":
		e := m.events[c.arg(1)]
		if s.live() != nil && !s.live().foreign {
			return skipped, true
		}
		if c.op == "foreign.record" {
			return m.foreignRecord(s, e), true
		}
		return m.foreignWait(s, e), true
	case "foreign.begin":
		return m.foreignBegin(s), true
	case "foreign.end":
		return m.foreignEnd(c, s), true
	case "foreign.launch":
		return m.foreignLaunch(c, s), true
	}
	m.waitFor() // foreign.destroy
	delete(m.foreign, c.arg(0))
	return says(""), true
}

func isForeign(op string) bool {
	switch op {
	case "register", "register.end", "register.state", "foreign.record", "foreign.wait", "foreign.begin", "foreign.end",
		"foreign.launch", "foreign.destroy":
		return true
	}
	return false
}

func force(in bool) string {
	if in {
		return "in force"
	}
	return "not in force"
}

// register implements R118: only the first registration for a capture takes effect, on a stream that reports the
// capture as foreign.
func (m *model) register(c *call) verdict {
	s := m.streams[c.arg(1)]
	if s.closed {
		return skipped
	}
	mark := &registration{stream: s, capture: s.live(), mode: "global", conditional: c.has("conditional")}
	if mode := c.option("mode"); mode != "" {
		mark.mode = mode
	}
	switch s.state() {
	case "none", "invalidated":
		return says("capture")
	case "foreign":
		mark.inForce = true
		for _, other := range m.marks {
			if other.inForce && other.capture == mark.capture {
				mark.inForce = false
			}
		}
	}
	if mark.inForce { // a registration for an earlier capture of the stream has expired
		for _, other := range m.marks {
			if other.stream == s {
				other.inForce = false
			}
		}
	}
	if old := m.marks[c.arg(0)]; old != nil && old.inForce {
		return skipped // the program could no longer end it
	}
	m.marks[c.arg(0)] = mark
	return says(force(mark.inForce))
}

func (m *model) foreignRecord(s *stream, e *event) verdict {
	capture := s.live()
	if capture != nil && capture.invalid {
		return says("failed")
	}
	before, _ := m.point(s)
	at := clock{}
	at.merge(before)
	*e = event{recorded: true, capture: capture, at: at}
	return says("")
}

func (m *model) foreignWait(s *stream, e *event) verdict {
	capture := s.live()
	switch {
	case capture != nil && capture.invalid:
		return says("failed")
	case !e.recorded:
		return says("")
	case e.capture == nil && capture == nil:
		s.before.merge(e.at)
		return says("")
	case e.capture == nil:
		capture.invalid = true
		return says("failed")
	case e.capture.ended, e.capture.invalid:
		return says("failed")
	case capture != nil && capture != e.capture:
		capture.invalid = true
		return says("failed")
	}
	m.join(s, e)
	return says("")
}

func (m *model) foreignBegin(s *stream) verdict {
	if s.live() != nil {
		if !s.live().foreign {
			return skipped
		}
		return says("failed")
	}
	m.waitFor(s)
	s.capture = newCapture(s)
	s.capture.foreign = true
	return says("")
}

func (m *model) foreignEnd(c *call, s *stream) verdict {
	capture := s.live()
	switch {
	case capture != nil && !capture.foreign:
		return skipped
	case capture == nil:
		return says("failed")
	case capture.origin != s:
		capture.invalid = true
		return says("failed")
	case m.foreign[c.arg(1)] != nil || m.foreignOthers(capture):
		return skipped
	}
	capture.ended = true
	if capture.invalid || !capture.joined() {
		return says("failed")
	}
	m.foreign[c.arg(1)] = capture.graph()
	return says("")
}

// foreignOthers reports whether the foreigner has another capture open, which could make its own calls fail.
func (m *model) foreignOthers(than *capture) bool {
	for _, name := range foreignNames {
		if !m.abilities.foreign {
			break
		}
		if c := m.streams[name].live(); c != nil && c.foreign && c != than {
			return true
		}
	}
	return false
}

func (m *model) foreignLaunch(c *call, s *stream) verdict {
	g := m.foreign[c.arg(1)]
	if g == nil || s.live() != nil || m.foreignOthers(nil) || m.racy(s, g.reads, g.wrote) {
		return skipped
	}
	m.use(s, g.reads, g.wrote)
	execute(g.operations)
	return says("")
}
