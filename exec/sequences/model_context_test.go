package sequences

import "strings"

// callScopes returns the scopes of a call: those of a registration's context.Context, or none, plus those that the call
// adds.
func (m *model) callScopes(c *call) scopes {
	var s scopes
	if mark := m.marks[c.option("reg")]; mark != nil {
		s.foreign, s.capturing = mark.stream, true
	}
	if name := c.option("foreign"); name != "" {
		s.foreign, s.capturing = m.streams[name], c.has("capturing")
	}
	flags := c.option("scope")
	s.unconditional = strings.Contains(flags, "u")
	s.conditional = strings.Contains(flags, "c")
	s.hostPoll = strings.Contains(flags, "p")
	return s
}

// known reports whether everything exists that the options of a call name.
func (m *model) known(c *call) bool {
	for _, key := range []string{"stream", "foreign", "default"} {
		if name := c.option(key); name != "" && name != "x" && m.streams[name] == nil {
			return false
		}
	}
	for _, key := range []string{"ambient", "on"} {
		if name := c.option(key); name != "" && m.context(name) == nil {
			return false
		}
	}
	name := c.option("reg")
	return (name == "" || m.marks[name] != nil) && (m.abilities.foreign || c.option("foreign") == "")
}

// resolve returns the stream of a call (R6), the context inside which the call is made, and the error class if any.
func (m *model) resolve(c *call, s scopes, bound *stream) (*stream, *context, string) {
	ambient, on := m.context(c.option("ambient")), m.context(c.option("on"))
	explicit := m.streams[c.option("stream")]
	switch {
	case on != nil && c.option("stream") != "" && explicit != on.stream:
		return nil, nil, "invalid" // R167
	case on != nil && refused(on):
		tell(on)
		return nil, nil, "capture"
	case on != nil:
		return on.stream, on, ""
	case c.option("stream") == "x":
		return nil, nil, "mismatch" // R10
	case explicit != nil:
		return explicit, ambient, ""
	case ambient != nil && refused(ambient):
		tell(ambient)
		return nil, nil, "capture"
	case ambient != nil:
		return ambient.stream, ambient, ""
	case bound != nil:
		return bound, nil, ""
	case s.foreign != nil && s.foreign.state() != "none":
		return s.foreign, nil, ""
	}
	return m.current, nil, ""
}

// unclear reports whether a call names both a stream and a context inside a body. Whether it belongs to the body then
// depends on which stream the body uses.
func (m *model) unclear(c *call) bool {
	for _, key := range []string{"ambient", "on"} {
		if named := m.context(c.option(key)); named != nil && named.body != nil && c.option("stream") != "" {
			return true
		}
	}
	return false
}

// performContext creates launch contexts.
func (m *model) performContext(c *call) (verdict, bool) {
	name := c.arg(0)
	switch c.op {
	case "for":
		if !m.known(c) || m.unclear(c) {
			return skipped, true
		}
		s := m.callScopes(c)
		on, inside, wrong := m.resolve(c, s, m.streams[c.option("default")])
		if wrong == "" && c.has("badblock") {
			wrong = "invalid"
		}
		if wrong != "" {
			if c.has("badblock") && wrong != "invalid" {
				return skipped, true
			}
			return says(wrong), true
		}
		m.contexts[name] = m.newContext(on, inside, s)
	case "ondefault":
		m.contexts[name] = m.newContext(m.current, nil, scopes{})
	case "with", "uncond":
		from := m.context(c.arg(1))
		if from == nil {
			return skipped, true
		}
		derived := *from
		derived.intruder = false
		derived.keep(&object{})
		if c.op == "uncond" {
			derived.scopes.unconditional = true
		}
		m.contexts[name] = &derived
	case "err":
		of := m.context(name)
		if of == nil {
			return skipped, true
		}
		return says(of.cell.err), true
	default:
		return verdict{}, false
	}
	return says(""), true
}

// newContext returns the context of a call on a stream, inside the body to which another context belongs, if any.
func (m *model) newContext(on *stream, inside *context, s scopes) *context {
	c := &context{stream: on, scopes: s, cell: &cell{}, nesting: &nesting{}, other: m.other}
	c.keep(&object{})
	if inside != nil && inside.stream == on {
		c.body, c.target, c.inDevice, c.run = inside.body, inside.target, inside.inDevice, inside.run
		if c.body != nil {
			c.nesting = inside.nesting
		}
	}
	return c
}

// keep makes c the context that an object currently serves.
func (c *context) keep(o *object) { c.object, o.latest = o, c }

// conditional reports whether a body is emitted under a device conditional (R24, R25, R42, R47-R49, D3, D4, D14).
func (m *model) conditional(c *context) bool {
	state := c.stream.state()
	switch {
	case c.forced:
		return false
	case c.inDevice:
		return true
	case c.scopes.unconditional && state != "none":
		return false
	case state == "none":
		return m.eagerConditionals
	case !m.conditionals:
		return false
	case state == "own":
		return c.library || c.scopes.foreign != c.stream || c.scopes.conditional
	case state == "foreign":
		mark := m.inForce(c.stream)
		return mark != nil && mark.conditional
	}
	return false
}

// performBody runs conditionals and loops.
func (m *model) performBody(c *call) (verdict, bool) {
	if c.op == "go" {
		return m.goroutine(c), true
	}
	if c.op != "skip" && c.op != "loop" && c.op != "repeat" {
		return verdict{}, false
	}
	of := m.context(c.arg(0))
	if of == nil {
		return skipped, true
	}
	return m.performBodyOf(c, of), true
}

func (m *model) performBodyOf(c *call, of *context) verdict {
	result := func(conditional bool) verdict {
		v := says(of.cell.err)
		if c.op == "skip" && conditional && of.cell.err == "" {
			v.text += " conditional"
		}
		return v
	}
	if of.cell.err != "" {
		return result(false)
	}
	flag, inner, wrong := m.bodyArguments(c, of)
	if refused(of) {
		if wrong != "" {
			return skipped
		}
		refuse(of)
		return result(false)
	}
	if m.odd(of) {
		return skipped
	}
	if flag != nil && of.stream.state() == "invalidated" {
		if wrong != "" {
			return skipped // the rules do not say which of the two calls fails
		}
		wrong = "capture"
	}
	if wrong != "" {
		of.cell.fail(wrong)
		return result(false)
	}
	how := m.lower(c, of, flag)
	if how == "conditional" || how == "while" || how == "poll" {
		if blocked(of) == "" && m.racy(of.stream, []*memory{flag}, nil) {
			return skipped
		}
	}
	if flag != nil {
		note(of, []*memory{flag}, true)
	}
	defer func() { of.intruder = false }()
	if c.op != "skip" && flag != nil {
		m.flags[flag] = append(m.flags[flag], of.stream)
		defer func() { m.flags[flag] = m.flags[flag][:len(m.flags[flag])-1] }()
	}
	switch c.op {
	case "skip":
		if how == "conditional" {
			m.deviceBody(of, flag, 0, inner, c.body, 1)
		} else {
			m.plainBody(of, inner, c.body, 1)
		}
	default:
		m.loop(c, of, flag, inner, how)
	}
	return result(how == "conditional")
}

// bodyArguments returns the flag of a call, the name of the body's context, and the error class of the arguments.
func (m *model) bodyArguments(c *call, of *context) (flag *memory, inner, wrong string) {
	at := 1
	name := c.option("flag")
	switch c.op {
	case "skip":
		name, at = c.arg(1), 2
	case "repeat":
		name, at = c.arg(2), 3
	case "loop":
		at = 2
	}
	if c.int(1) < 0 || c.optionInt("first") < 0 || c.optionInt("every") < 0 {
		return nil, c.arg(at), "invalid"
	}
	if name != "" {
		flag, wrong = m.flag(name)
		if wrong == "" && c.op != "skip" && of.slot != nil && of.slot.class == "static" {
			wrong = "invalid" // R39
		}
	}
	return flag, c.arg(at), wrong
}

// lower returns how a body or a loop is emitted: "all", "poll", "conditional" or "while" (R34-R36, R43, D12, D14).
func (m *model) lower(c *call, of *context, flag *memory) string {
	state := of.stream.state()
	switch {
	case flag == nil || of.forced:
		return "all"
	case m.conditional(of) && c.op == "repeat" && m.while && state != "none":
		return "while"
	case m.conditional(of):
		return "conditional"
	case c.op == "skip" || state != "none":
		return "all"
	case m.hostPoll || of.scopes.hostPoll && !m.foreignOpen(of.scopes):
		return "poll"
	}
	return "all"
}

// loop emits the iterations of a loop.
func (m *model) loop(c *call, of *context, flag *memory, inner, how string) {
	n, first, every := c.int(1), min(c.optionInt("first"), c.int(1)), max(c.optionInt("every"), 1)
	if c.op == "repeat" {
		first, every = 0, 1
	}
	switch {
	case n == 0:
		return
	case how == "while":
		m.deviceBody(of, flag, n, inner, c.body, 1)
		return
	case how == "all" && c.op == "repeat":
		for i := 0; i < n && of.cell.err == ""; i++ {
			m.plainBody(of, inner, c.body, 1)
		}
		return
	case how == "all":
		m.plainBody(of, inner, c.body, n)
		return
	}
	if first > 0 {
		m.plainBody(of, inner, c.body, first)
	}
	for low := first; low < n && of.cell.err == ""; low += every {
		window := min(every, n-low)
		if how == "conditional" {
			m.deviceBody(of, flag, 0, inner, c.body, window)
			continue
		}
		if of.stream.closed {
			of.cell.fail("closed")
			return
		}
		m.use(of.stream, []*memory{flag}, nil)
		m.host.merge(of.stream.before)
		if flag.values[0] == 0 {
			return
		}
		m.plainBody(of, inner, c.body, window)
	}
}

// plainBody emits a body, or the iterations of a window, without a conditional.
func (m *model) plainBody(of *context, name string, calls []call, times int) {
	m.openBody(of, name, calls, times, of.target, of.inDevice)
}

// deviceBody emits a body under a conditional, or a loop repeated by the device.
func (m *model) deviceBody(of *context, flag *memory, limit int, name string, calls []call, times int) {
	if wrong := blocked(of); wrong != "" {
		of.cell.fail(wrong)
		return
	}
	m.use(of.stream, []*memory{flag}, nil)
	open := &of.stream.device
	if c := of.stream.live(); c != nil {
		open = &c.open
	}
	*open++
	var operations []operation
	m.openBody(of, name, calls, times, &operations, true)
	*open--
	if of.cell.err == "" && len(operations) > 0 {
		m.add(of, operation{flag: flag, limit: limit, body: operations})
	} else if c := of.stream.live(); c != nil && c.foreign {
		c.points[of.stream][of.stream]-- // the driver has seen nothing
	}
}

// openBody runs the calls of a body with its own context, while all other contexts on the stream are refused.
func (m *model) openBody(of *context, name string, calls []call, times int, target *[]operation, inDevice bool) {
	b := &body{opener: of}
	inner := *of
	inner.intruder = false
	inner.body, inner.target, inner.inDevice, inner.nesting = b, target, inDevice, &nesting{}
	if of.object.inner == nil {
		of.object.inner = &object{}
	}
	inner.keep(of.object.inner)
	of.nesting.opener = of
	of.stream.bodies = append(of.stream.bodies, b)
	m.depth++
	for i := 0; i < times && inner.cell.err == ""; i++ {
		m.contexts[name] = &inner
		m.interpret(calls)
	}
	m.depth--
	of.nesting.opener = nil
	of.stream.bodies = of.stream.bodies[:len(of.stream.bodies)-1]
	b.closed = true
	if of.intruder {
		of.cell.fail("capture")
	}
}

// goroutine runs calls on another goroutine and waits for it. That goroutine is outside of all bodies: its eager work
// is independent, and what it would record in the middle of a body is refused.
func (m *model) goroutine(c *call) verdict {
	if m.other != 0 || m.run != 0 || m.foreignOthers(nil) {
		return skipped
	}
	m.others++
	m.other = m.others
	m.depth++
	m.interpret(c.body)
	m.depth--
	m.other = 0
	return says("")
}
