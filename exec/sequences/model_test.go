package sequences

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// abilities are what a kind of device can do according to the documentation.
type abilities struct {
	ownGraphs, conditionals, eagerConditionals, while, hostPoll, foreign bool
}

// memory is the memory of an array: a graph keeps it after the array has been closed (R166).
type memory struct {
	values []int32
	closed bool
	used   uses
}

// view is a range of a memory.
type view struct {
	memory    *memory
	low, high int
}

func (v view) elements() []int32 { return v.memory.values[v.low:v.high] }

// clock is a vector clock: how much of each stream happens before a point.
type clock map[*stream]int

func (c clock) merge(other clock) {
	for s, n := range other {
		c[s] = max(c[s], n)
	}
}

// uses are the last accesses of a memory. Two accesses that streams, events and waits do not order are a race; the
// program then leaves one of them out.
type uses struct {
	writer *stream
	write  int
	reads  map[*stream]int
}

// operation is device work: a single operation, or a body under a flag.
type operation struct {
	run   func()
	flag  *memory
	limit int // of a loop, 0 for a conditional
	body  []operation
}

func execute(operations []operation) {
	for i := range operations {
		switch o := &operations[i]; {
		case o.run != nil:
			o.run()
		case o.limit == 0:
			if o.flag.values[0] != 0 {
				execute(o.body)
			}
		default:
			for n := 0; n < o.limit && o.flag.values[0] != 0; n++ {
				execute(o.body)
			}
		}
	}
}

func size(operations []operation) int {
	n := len(operations)
	for i := range operations {
		n += size(operations[i].body)
	}
	return n
}

// stream is a stream of the library or of the foreigner.
type stream struct {
	name    string
	closed  bool
	foreign bool // belongs to the foreigner
	before  clock
	capture *capture
	bodies  []*body // open, innermost last
	device  int     // number of open bodies of eager device conditionals
}

// live returns the capture that the stream takes part in.
func (s *stream) live() *capture {
	if s.capture != nil && s.capture.ended {
		s.capture = nil
	}
	return s.capture
}

func (s *stream) state() string {
	c := s.live()
	switch {
	case s.closed || c == nil:
		return "none"
	case c.invalid:
		return "invalidated"
	case c.foreign && c.origin == s:
		return "foreign"
	case c.origin == s:
		return "own"
	default:
		return "joined"
	}
}

// bodyOpen reports whether the body of a recorded conditional is open, so that the stream itself takes no work. An
// eager body is emitted once it is complete, after work that others emit meanwhile.
func (s *stream) bodyOpen() bool {
	c := s.live()
	return c != nil && c.open > 0
}

// top returns the innermost open body.
func (s *stream) top() *body {
	if len(s.bodies) == 0 {
		return nil
	}
	return s.bodies[len(s.bodies)-1]
}

// capture is a capture of the library or of the foreigner.
type capture struct {
	origin         *stream
	foreign        bool
	ended, invalid bool
	operations     []operation
	points         map[*stream]clock
	used           map[*memory]*uses
	named          map[*memory]bool // passed to the calls that were recorded
	open           int              // number of open bodies of device conditionals
}

func newCapture(origin *stream) *capture {
	return &capture{origin: origin, points: map[*stream]clock{origin: {}}, used: map[*memory]*uses{},
		named: map[*memory]bool{}}
}

// joined reports whether all streams have been joined back.
func (c *capture) joined() bool {
	for s, at := range c.points {
		if c.points[c.origin][s] < at[s] {
			return false
		}
	}
	return true
}

// graph is a recorded capture.
type graph struct {
	operations   []operation
	reads, wrote []*memory
	named        map[*memory]bool
	closed       bool
}

// hasClosedArray reports whether an array recorded into the graph is closed. Replaying the graph is not new work, but
// running it is.
func (g *graph) hasClosedArray() bool {
	if g == nil {
		return false
	}
	for x, certain := range g.named {
		if x.closed && certain {
			return true
		}
	}
	return false
}

// doubtful reports whether an array is closed that was passed only to a refused call.
func (g *graph) doubtful() bool {
	if g == nil {
		return false
	}
	for x, certain := range g.named {
		if x.closed && !certain {
			return true
		}
	}
	return false
}

func (c *capture) graph() *graph {
	g := &graph{operations: c.operations, named: c.named}
	for m, u := range c.used {
		if u.writer != nil {
			g.wrote = append(g.wrote, m)
		} else {
			g.reads = append(g.reads, m)
		}
	}
	return g
}

// event is a point in a stream.
type event struct {
	closed, recorded bool
	capture          *capture
	at               clock
}

// body is the body of a conditional or a loop, open or ended.
type body struct {
	opener *context
	closed bool
}

// cell holds the error of a public call.
type cell struct{ err string }

func (c *cell) fail(class string) {
	if c.err == "" {
		c.err = class
	}
}

// scopes are what a launch context copies from the context.Context of its call.
type scopes struct {
	unconditional, conditional, hostPoll bool
	foreign                              *stream
	capturing                            bool
}

// slot is a stage that is emitting or has ended.
type slot struct {
	class  string
	closed bool
}

// nesting is shared by a context, those derived from it, and those created inside its body.
type nesting struct{ opener *context } // has a body open

// object is the memory of a context: the library reuses that of a body for the next body of the same opener.
type object struct {
	latest *context // the context that it currently serves
	inner  *object
}

// context is a launch context.
type context struct {
	stream   *stream
	scopes   scopes
	cell     *cell
	body     *body // the body to which it belongs
	nesting  *nesting
	object   *object
	slot     *slot
	target   *[]operation // of the body of a device conditional
	forced   bool
	intruder bool // while it had a body open, work of another context was refused
	inDevice bool
	library  bool
	run      int // the call of a runner to which it belongs
	other    int // the goroutine that created it
}

// model interprets programs according to the rules.
type model struct {
	abilities
	entries  []entry
	arrays   map[string]*memory
	streams  map[string]*stream
	current  *stream
	events   map[string]*event
	graphs   map[string]*graph
	contexts map[string]*context
	runners  map[string]*runner
	foreign  map[string]*graph // by name
	marks    map[string]*registration
	seeds    seedState
	host     clock
	flags    map[*memory][]*stream // flags of the open loops, and their streams
	depth    int                   // number of enclosing functions of the program
	run      int                   // the enclosing call of a runner, 0 if none
	runs     int
	runsOn   *stream // the stream on which the runner emits
	other    int     // the current goroutine, 0 for the test's
	others   int
}

func newModel(a abilities) *model {
	m := &model{abilities: a, arrays: map[string]*memory{}, streams: map[string]*stream{}, events: map[string]*event{},
		graphs: map[string]*graph{}, contexts: map[string]*context{}, runners: map[string]*runner{},
		foreign: map[string]*graph{},
		marks:   map[string]*registration{}, host: clock{},
		flags: map[*memory][]*stream{}}
	for _, name := range arrayNames {
		m.arrays[name] = &memory{values: initial(name)}
	}
	m.arrays["x0"] = nil
	for _, name := range streamNames {
		m.streams[name] = &stream{name: name, before: clock{}}
	}
	if a.foreign {
		for _, name := range foreignNames {
			m.streams[name] = &stream{name: name, before: clock{}, foreign: true}
		}
	}
	m.current = m.streams["s0"]
	for _, name := range append(slices.Clone(eventNames), "u0", "u1", "u2") {
		m.events[name] = &event{}
	}
	for name := range runnerKinds {
		m.runners[name] = m.newRunner(name)
	}
	m.seeds = newSeedState()
	return m
}

// verdict is the result of a call, or that the call is not made.
type verdict struct {
	text string
	skip bool
}

func says(text string) verdict {
	if text == "" {
		text = "ok"
	}
	return verdict{text: text}
}

var skipped = verdict{skip: true}

// interpret executes calls.
func (m *model) interpret(calls []call) {
	for i := range calls {
		c := &calls[i]
		at := len(m.entries)
		m.entries = append(m.entries, entry{text: c.String()})
		v := m.perform(c)
		if v.skip {
			m.entries = m.entries[:at+1]
			m.entries[at].skip = true
			continue
		}
		m.entries = append(m.entries, entry{text: v.text})
	}
}

// waitFor makes the current call wait first for the streams, or for all if none is given, as far as that is possible.
func (m *model) waitFor(streams ...*stream) {
	at := len(m.entries) - 1
	if streams == nil {
		for _, name := range slices.Sorted(maps.Keys(m.streams)) {
			streams = append(streams, m.streams[name])
		}
		turn := at % len(streams) // varies the order of waiting
		streams = slices.Concat(streams[turn:], streams[:turn])
	}
	for _, s := range streams {
		if !s.closed && s.live() == nil && s.device == 0 {
			m.entries[at].sync = append(m.entries[at].sync, s.name)
			m.host.merge(s.before)
		}
	}
}

// racy reports whether accesses on a stream would race with earlier ones.
func (m *model) racy(s *stream, reads, writes []*memory) bool {
	before, of := m.point(s)
	late := func(u *uses) bool { return u.writer != nil && u.write > before[u.writer] }
	for _, x := range reads {
		if late(of(x)) {
			return true
		}
	}
	for _, x := range writes {
		u := of(x)
		if late(u) || m.watched(x, s) {
			return true
		}
		for reader, n := range u.reads {
			if n > before[reader] {
				return true
			}
		}
	}
	return false
}

// watched reports whether a loop on another stream may read x as its flag at any time.
func (m *model) watched(x *memory, than *stream) bool {
	return slices.ContainsFunc(m.flags[x], func(s *stream) bool { return s != than })
}

// point returns what happens before the next work of a stream, and the accesses with which it may race: those of its
// capture, or those of eager work.
func (m *model) point(s *stream) (clock, func(*memory) *uses) {
	if c := s.live(); c != nil {
		return c.points[s], func(x *memory) *uses {
			if c.used[x] == nil {
				c.used[x] = &uses{}
			}
			return c.used[x]
		}
	}
	s.before.merge(m.host)
	return s.before, func(x *memory) *uses { return &x.used }
}

// use records accesses.
func (m *model) use(s *stream, reads, writes []*memory) {
	before, of := m.point(s)
	before[s]++
	for _, x := range reads {
		u := of(x)
		if u.reads == nil {
			u.reads = map[*stream]int{}
		}
		u.reads[s] = before[s]
	}
	for _, x := range writes {
		*of(x) = uses{writer: s, write: before[s]}
	}
}

// refused reports whether a context takes no work, and no call begins from it, because a body is open (D17).
func refused(c *context) bool {
	if c.other != 0 && c.body == nil && c.stream.state() == "none" && c.nesting.opener == nil {
		return false // eager work of another goroutine
	}
	return c.body != nil && c.body.closed || c.stream.top() != c.body
}

// refuse records the refusal in the context's call, and tells the call that has the body open.
func refuse(c *context) {
	c.cell.fail("capture")
	tell(c)
}

// tell makes the call that has the body open fail when the body returns.
func tell(c *context) {
	switch ended := c.body != nil && c.body.closed; {
	case !ended && c.nesting.opener != nil:
		c.nesting.opener.intruder = true
	case c.other == 0 && len(c.stream.bodies) > 0:
		c.stream.bodies[0].opener.intruder = true
	}
}

// odd reports whether the rules do not cover a call through a context: one of a stage that has returned, or inside a
// runner's body through a context from outside.
func (m *model) odd(c *context) bool {
	return c.slot != nil && c.slot.closed || m.run != c.run && m.other == 0 && c.stream != m.runsOn ||
		c.stream.device > 0 && c.target == nil && m.other == 0
}

// blocked returns the error class if the stream of a context takes no work.
func blocked(c *context) string {
	switch capture := c.stream.live(); {
	case c.stream.closed:
		return "closed"
	case capture != nil && capture.invalid:
		return "capture"
	case c.target == nil && c.stream.bodyOpen():
		return "capture"
	}
	return ""
}

// work is a call that emits through a context.
type work struct {
	invalid       string // error class of the arguments
	nothing       bool   // legal, but emits nothing
	reads, writes []*memory
	run           func()
}

// emit emits work through a call's context.
func (m *model) emit(name string, w work) verdict {
	c := m.context(name)
	if c == nil {
		return skipped
	}
	if c.cell.err != "" {
		return says(c.cell.err)
	}
	if refused(c) {
		if w.invalid != "" {
			return skipped
		}
		refuse(c)
		return says(c.cell.err)
	}
	if m.odd(c) {
		return skipped
	}
	valid := w.invalid == ""
	if valid && !w.nothing {
		w.invalid = blocked(c)
		if w.invalid == "" && m.racy(c.stream, w.reads, w.writes) {
			return skipped
		}
	}
	note(c, w.reads, valid)
	note(c, w.writes, valid)
	if w.invalid != "" || w.nothing {
		c.cell.fail(w.invalid)
		return says(c.cell.err)
	}
	m.use(c.stream, w.reads, w.writes)
	m.add(c, operation{run: w.run})
	return says(c.cell.err)
}

// note records the arrays that a call names, if it is being recorded. The rules do not say whether the arrays of a
// refused call count.
func note(c *context, arrays []*memory, valid bool) {
	if capture := c.stream.live(); capture != nil {
		for _, x := range arrays {
			capture.named[x] = capture.named[x] || valid
		}
	}
}

// add records or runs an operation.
func (m *model) add(c *context, o operation) {
	switch capture := c.stream.live(); {
	case c.target != nil:
		*c.target = append(*c.target, o)
	case capture != nil:
		capture.operations = append(capture.operations, o)
	default:
		execute([]operation{o})
	}
}

// context returns a context by name, nil if there is none or its memory now serves another one.
func (m *model) context(name string) *context {
	c := m.contexts[name]
	if c == nil || c.object.latest != c || c.other != m.other {
		return nil
	}
	return c
}

// array returns the view that an argument names, and the error class.
func (m *model) array(arg string) (view, string) {
	name, low, high := part(arg)
	x := m.arrays[name]
	switch {
	case x == nil:
		return view{}, "mismatch"
	case x.closed:
		return view{}, "closed"
	case high < 0:
		high = len(x.values)
	}
	return view{x, low, high}, ""
}

// flag returns an array of one element.
func (m *model) flag(arg string) (*memory, string) {
	v, wrong := m.array(arg)
	if wrong == "" && len(v.elements()) != 1 {
		wrong = "invalid"
	}
	return v.memory, wrong
}

// perform runs one call.
func (m *model) perform(c *call) verdict {
	families := []func(*call) (verdict, bool){m.performContext, m.performWork, m.performBody, m.performHost,
		m.performSeeds, m.performStream, m.performEvent, m.performObject, m.performRunner, m.performForeign}
	for _, family := range families {
		if v, known := family(c); known {
			return v
		}
	}
	panic(fmt.Sprintf("the model does not know the call %q", c))
}

// performWork runs launches, copies and fills.
func (m *model) performWork(c *call) (verdict, bool) {
	var w work
	v, wrong := m.array(c.arg(1))
	w.invalid = wrong
	if wrong == "" {
		w.writes = []*memory{v.memory}
	}
	switch c.op {
	case "launch":
		w.run = func() { each(v, func(x int32) int32 { return x + 1 }) }
	case "chain":
		term := int32(c.int(2))
		w.run = func() { each(v, func(x int32) int32 { return 3*x + term }) }
	case "fill":
		value := int32(c.int(2))
		w.run = func() { each(v, func(int32) int32 { return value }) }
	case "copy":
		m.copyWork(c, v, &w)
	default:
		return verdict{}, false
	}
	if strings.HasSuffix(c.arg(1), "]") && w.invalid == "" && v.low == v.high {
		w.nothing = true
	}
	return m.emit(c.arg(0), w), true
}

// copyWork completes the work of a copy to v.
func (m *model) copyWork(c *call, v view, w *work) {
	from, wrong := m.array(c.arg(2))
	if w.invalid == "" {
		w.invalid = wrong
	}
	if w.invalid != "" {
		return
	}
	n := from.high - from.low
	v.high, w.invalid = v.low+n, longer(n, v)
	if w.invalid == "" && v.memory == from.memory && v.low < from.high && from.low < v.high {
		w.invalid = "invalid"
	}
	w.nothing = w.invalid == "" && n == 0
	w.reads = []*memory{from.memory}
	w.run = func() { copy(v.elements(), from.elements()) }
}

// longer returns the error class of copying n elements to v.
func longer(n int, v view) string {
	if n > v.high-v.low {
		return "invalid"
	}
	return ""
}

func each(v view, f func(int32) int32) {
	for i, x := range v.elements() {
		v.elements()[i] = f(x)
	}
}
