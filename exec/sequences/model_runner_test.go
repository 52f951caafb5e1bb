package sequences

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// runnerKind describes how a runner is created.
type runnerKind struct {
	capturable, legacy bool
	bound              string // its default stream
}

// runnerKinds are the runners of a program: r0 plain, r1 not capturable, r2 not capturable and called with segments, r3
// with a default stream, r4 for a legacy producer.
var runnerKinds = map[string]runnerKind{
	"r0": {capturable: true}, "r1": {}, "r2": {}, "r3": {capturable: true, bound: "s2"},
	"r4": {capturable: true, legacy: true},
}

// maxKeys is the limit of keyed graphs of each runner.
const maxKeys = 2

// runner is the state of a runner.
type runner struct {
	runnerKind
	prepared, busy, closed bool
	warned                 bool                 // warned that further keys get no graphs
	own                    map[string]*ownGraph // by key, "" for no key
	keys                   []string
	standard               *stream // its default stream, nil if there is none
}

// ownGraph is a runner's graph for a key, or one graph per segment, nil for HOST segments.
type ownGraph struct {
	whole *graph
	parts []*graph
}

// hasClosedArray reports whether an array of one of the graphs is closed.
func (o *ownGraph) hasClosedArray() bool {
	return o != nil && (o.whole.hasClosedArray() || slices.ContainsFunc(o.parts, (*graph).hasClosedArray))
}

func (o *ownGraph) doubtful() bool {
	return o.whole.doubtful() || slices.ContainsFunc(o.parts, (*graph).doubtful)
}

func (m *model) newRunner(name string) *runner {
	kind := runnerKinds[name]
	return &runner{runnerKind: kind, own: map[string]*ownGraph{}, standard: m.streams[kind.bound]}
}

// tell returns the result of a call of the runner.
func (r *runner) tell(class string) verdict {
	v := says(class)
	own := r.own[""]
	if own == nil {
		own = &ownGraph{}
	}
	v.text += fmt.Sprintf(" prepared=%v keys=%s whole=%v parts=%d warned=%v", r.prepared, strings.Join(r.keys, ","),
		own.whole != nil, len(own.parts), r.warned)
	return v
}

// performRunner runs the calls of runners.
func (m *model) performRunner(c *call) (verdict, bool) {
	r := m.runners[c.arg(0)]
	switch c.op {
	case "run", "runseg", "prepare", "prepareseg":
		if !m.known(c) || m.unclear(c) {
			return skipped, true
		}
		return m.callRunner(c, r), true
	case "ensure":
		if !m.known(c) || m.unclear(c) {
			return skipped, true
		}
		return m.ensure(c, r), true
	case "checkrecord":
		of := m.context(c.arg(1))
		if of == nil {
			return skipped, true
		}
		return m.checkRecord(r, of), true
	case "runner.close":
		if r.busy {
			return says("concurrent"), true
		}
		if m.entangled() {
			return skipped, true
		}
		m.waitFor()
		r.closed, r.own, r.keys = true, map[string]*ownGraph{}, nil
		return says(""), true
	case "runner.new":
		if !r.closed || m.runnerOnClosed(r) {
			return skipped, true
		}
		m.runners[c.arg(0)] = m.newRunner(c.arg(0))
		return says(""), true
	case "legacy":
		of := m.context(c.arg(0))
		if of == nil {
			return skipped, true
		}
		return m.legacy(c, of), true
	case "raw":
		return m.raw(c), true
	}
	return verdict{}, false
}

// runnerOnClosed reports whether the runner's default stream is closed.
func (m *model) runnerOnClosed(r *runner) bool { return r.bound != "" && m.streams[r.bound].closed }

// foreignOpen reports whether a foreign library is capturing so that allocating or waiting would break the capture
// (D18). A capture that is broken already does not count.
func (m *model) foreignOpen(s scopes) bool {
	if !m.abilities.foreign {
		return false
	}
	if s.capturing && s.foreign != nil {
		return true
	}
	for _, mark := range m.marks {
		if mark.inForce && mark.mode == "global" && !mark.capture.ended && !mark.capture.invalid {
			return true
		}
	}
	return false
}

// callRunner models Run, RunSegments, Prepare and PrepareSegments.
func (m *model) callRunner(c *call, r *runner) verdict {
	if wrong := r.enter(c); wrong != "" {
		return r.tell(wrong)
	}
	s := m.callScopes(c)
	on, inside, wrong := m.resolve(c, s, r.standard)
	if wrong != "" {
		return r.tell(wrong)
	}
	lc := m.newContext(on, inside, s)
	if refused(lc) {
		refuse(lc)
		return r.tell("capture")
	}
	outside := m.run != lc.run && lc.stream != m.runsOn
	if outside || m.other != 0 || m.current.closed || lc.target == nil && m.unordered(lc.stream) {
		return skipped
	}
	if own := r.own[c.option("key")]; own != nil && !own.hasClosedArray() && own.doubtful() {
		return skipped
	}
	m.settle(c, lc)
	outer, outerStream := m.run, m.runsOn
	m.runs++
	m.run, m.runsOn = m.runs, lc.stream
	lc.run = m.run
	r.busy = true
	m.depth++
	if strings.HasPrefix(c.op, "prepare") {
		m.prepare(c, r, lc)
	} else {
		wrong = m.runOn(c, r, lc)
	}
	m.depth--
	r.busy = false
	m.run, m.runsOn = outer, outerStream
	if wrong == "" {
		wrong = lc.cell.err
	}
	return r.tell(wrong)
}

// enter returns the error class of a call that is refused before its stream is resolved.
func (r *runner) enter(c *call) string {
	segments := segmentsOf(c)
	switch {
	case r.capturable && slices.Contains(segments, "host"), strings.HasSuffix(c.op, "seg") && len(segments) == 0:
		return "invalid"
	case r.busy:
		return "concurrent"
	case r.closed:
		return "closed"
	case c.option("policy") == "bad":
		return "invalid"
	}
	return ""
}

// unordered reports whether a stream cannot be waited for because a body of an eager conditional is open on it, or
// whether a loop on a stream other than one reads a flag.
func (m *model) unordered(one *stream) bool {
	for _, s := range m.streams {
		if s.device > 0 {
			return true
		}
	}
	for x := range m.flags {
		if m.watched(x, one) {
			return true
		}
	}
	return false
}

// settle waits before a call of a runner, whose replays must be ordered after all work in flight. A call that prepares
// orders itself after the current stream (R58).
func (m *model) settle(c *call, lc *context) {
	if !strings.HasPrefix(c.op, "prepare") || m.current == lc.stream {
		m.waitFor()
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m.streams)) {
		if s := m.streams[name]; s != m.current {
			m.waitFor(s)
		}
	}
}

// segmentsOf returns the classes of the segments of a call.
func segmentsOf(c *call) (classes []string) {
	if !strings.HasSuffix(c.op, "seg") {
		return nil
	}
	for i := range c.body {
		if c.body[i].op == "seg" {
			classes = append(classes, c.body[i].arg(0))
		}
	}
	return classes
}

// modeOf implements table R64 with C2. It returns the error class if the call is refused.
func (m *model) modeOf(c *call, r *runner, lc *context) (mode, wrong string) {
	key, segmented := c.option("key"), strings.HasSuffix(c.op, "seg")
	known := r.own[key] != nil
	keyed := len(r.keys)
	for _, k := range r.keys {
		if k == "nil" {
			keyed--
		}
	}
	switch state := lc.stream.state(); {
	case state == "invalidated":
		return "", "capture"
	case state != "none" && !r.capturable:
		return "", "notcapturable"
	case state != "none" && r.legacy && (lc.stream != m.current || lc.target != nil):
		return "", "legacystream"
	case state != "none":
		return "record", ""
	case !m.ownGraphs || c.option("policy") == "eager" || lc.inDevice:
		return "eager", ""
	case !r.capturable && !segmented, r.legacy && key != "":
		return "eager", ""
	case key != "" && !known && keyed >= maxKeys:
		r.warned = true
		return "eager", ""
	case m.foreignOpen(lc.scopes) && !known:
		return "eager", ""
	case key != "" && !r.prepared:
		return "", "unprepared"
	case !r.capturable:
		return "segmented", ""
	}
	return "own", ""
}

// runOn runs a call on its context.
func (m *model) runOn(c *call, r *runner, lc *context) (wrong string) {
	mode, wrong := m.modeOf(c, r, lc)
	if wrong != "" {
		return wrong
	}
	known := r.own[c.option("key")]
	switch mode {
	case "record":
		m.emitRunner(c, lc)
		return ""
	case "eager":
		m.emitRunner(c, lc)
	default:
		if known != nil && len(known.parts) != 0 != (mode == "segmented") ||
			known != nil && mode == "segmented" && len(known.parts) != len(segmentsOf(c)) {
			return "invalid"
		}
		if known.hasClosedArray() {
			return "closed"
		}
		if known == nil {
			if known = m.captureOwn(c, r, lc, mode); known == nil {
				return ""
			}
			key := c.option("key")
			r.own[key] = known
			if key == "" {
				key = "nil"
			}
			r.keys = append(r.keys, key)
		}
		m.replayOwn(c, lc, known)
	}
	if c.has("sync") && !m.foreignOpen(lc.scopes) && !lc.inDevice && lc.cell.err == "" {
		if lc.stream.closed {
			lc.cell.fail("closed")
		}
		m.host.merge(lc.stream.before)
	}
	return ""
}

// emitRunner emits the body, or all segments.
func (m *model) emitRunner(c *call, lc *context) {
	if !strings.HasSuffix(c.op, "seg") {
		m.emitPart(c, lc, c.body)
		return
	}
	for i := range c.body {
		if c.body[i].op == "seg" && lc.cell.err == "" {
			m.emitPart(c, lc, c.body[i].body)
		}
	}
}

// emitPart emits calls with a context that is bound to the name meanwhile.
func (m *model) emitPart(c *call, lc *context, calls []call) {
	name := c.arg(1)
	outer := m.contexts[name]
	m.contexts[name] = lc
	m.interpret(calls)
	for made, of := range m.contexts { // a context of a call is valid until the function returns
		if of != nil && of.run == m.run {
			delete(m.contexts, made)
		}
	}
	m.contexts[name] = outer
}

// mayAllocate reports whether no open capture forbids allocating or waiting (R59, C12).
func (m *model) mayAllocate(r *runner, on *stream, s scopes) bool {
	open := func(s *stream) bool { return s != nil && s.state() != "none" }
	return !open(on) && !open(r.standard) && !open(m.current) && !m.foreignOpen(s)
}

// ensure implements R60.
func (m *model) ensure(c *call, r *runner) verdict {
	s := m.callScopes(c)
	on, _, wrong := m.resolve(c, s, r.standard)
	if wrong == "" && !m.mayAllocate(r, on, s) {
		wrong = "capture"
	}
	return says(wrong)
}

// prepare runs the body once, including every conditional body and every window (R56-R59, C12).
func (m *model) prepare(c *call, r *runner, lc *context) {
	if !m.mayAllocate(r, lc.stream, lc.scopes) {
		lc.cell.fail("capture")
		return
	}
	if lc.stream.closed {
		lc.cell.fail("closed")
		return
	}
	lc.stream.before.merge(m.current.before)
	lc.forced = true
	m.emitRunner(c, lc)
	lc.forced = false
	if lc.cell.err == "" {
		m.host.merge(lc.stream.before)
		r.prepared = true
	}
}

// captureOwn captures the graph for a key, or the graphs of its segments.
func (m *model) captureOwn(c *call, r *runner, lc *context, mode string) *ownGraph {
	if !r.prepared {
		if m.prepare(c, r, lc); lc.cell.err != "" {
			return nil
		}
	}
	if mode == "own" {
		g := m.capturePrivate(r, lc, func(inner *context) { m.emitRunner(c, inner) })
		if g == nil {
			return nil
		}
		return &ownGraph{whole: g}
	}
	own := &ownGraph{}
	for i := range c.body {
		part := &c.body[i]
		if part.op != "seg" {
			continue
		}
		var g *graph
		if part.arg(0) != "host" {
			if g = m.capturePrivate(r, lc, func(inner *context) { m.emitPart(c, inner, part.body) }); g == nil {
				return nil
			}
		}
		own.parts = append(own.parts, g)
	}
	return own
}

// capturePrivate records on the runner's private stream, or for a legacy producer on the current stream (R67, C1).
func (m *model) capturePrivate(r *runner, lc *context, emit func(*context)) *graph {
	private := &stream{name: "private", before: clock{}}
	if r.legacy {
		if private = m.current; private.live() != nil {
			lc.cell.fail("capture")
			return nil
		}
	}
	private.capture = newCapture(private)
	inner := &context{stream: private, scopes: lc.scopes, cell: &cell{}, nesting: &nesting{}, library: true, run: lc.run}
	inner.keep(&object{})
	outer := m.runsOn
	m.runsOn = private
	emit(inner)
	m.runsOn = outer
	private.capture.ended = true
	captured := private.capture
	if inner.cell.err != "" {
		lc.cell.fail(inner.cell.err)
		return nil
	}
	return captured.graph()
}

// replayOwn replays the captured graphs and runs the HOST segments between them.
func (m *model) replayOwn(c *call, lc *context, own *ownGraph) {
	replay := func(g *graph) {
		if lc.stream.closed {
			lc.cell.fail("closed")
			return
		}
		m.use(lc.stream, g.reads, g.wrote)
		execute(g.operations)
	}
	if own.whole != nil {
		replay(own.whole)
		return
	}
	part := 0
	for i := range c.body {
		if c.body[i].op != "seg" || lc.cell.err != "" {
			continue
		}
		if g := own.parts[part]; g != nil {
			replay(g)
		} else {
			m.emitPart(c, lc, c.body[i].body)
		}
		part++
	}
}

// checkRecord implements R77.
func (m *model) checkRecord(r *runner, of *context) verdict {
	state := of.stream.state()
	switch {
	case of.cell.err != "":
		return says(of.cell.err)
	case refused(of) || m.odd(of):
		return skipped
	case state == "none":
		return says("")
	case state == "invalidated":
		return says("capture")
	case !r.capturable:
		return says("notcapturable")
	case r.legacy && (of.stream != m.current || of.target != nil):
		return says("legacystream")
	}
	return says("")
}

// legacy runs a legacy producer. Meanwhile the device's current stream is that of the call (R53, D15).
func (m *model) legacy(c *call, of *context) verdict {
	if of.cell.err != "" {
		return says(of.cell.err)
	}
	if refused(of) {
		refuse(of)
		return says(of.cell.err)
	}
	if m.odd(of) || of.target != nil || of.stream.closed {
		return skipped
	}
	outer := m.current
	if outer != of.stream {
		if of.stream.state() != "none" && !of.library {
			of.cell.fail("legacystream")
			return says(of.cell.err)
		}
		m.current = of.stream
	}
	name := c.arg(1)
	kept := m.contexts[name]
	m.contexts[name] = of
	m.depth++
	m.interpret(c.body)
	m.depth--
	m.contexts[name] = kept
	m.current = outer
	return says(of.cell.err)
}

// raw launches on the current stream without a context, as a legacy producer does.
func (m *model) raw(c *call) verdict {
	v, wrong := m.array(c.arg(0))
	if wrong != "" || m.current.closed || m.current.foreign {
		return skipped
	}
	on := &context{stream: m.current, cell: &cell{}}
	if wrong := blocked(on); wrong != "" {
		return says(wrong)
	}
	if m.racy(m.current, nil, []*memory{v.memory}) {
		return skipped
	}
	m.use(m.current, nil, []*memory{v.memory})
	m.add(on, operation{run: func() { each(v, func(x int32) int32 { return x + 1 }) }})
	return says("")
}
