package sequences

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// generator generates random programs: blocks of sensible calls, mixed with each other and with senseless calls.
type generator struct {
	random *rand.Rand
	gpu    bool // there is a foreigner
}

// generate returns the program for a seed.
func generate(seed uint64, foreign bool) []call {
	g := &generator{random: rand.New(rand.NewPCG(seed, 1)), gpu: foreign}
	var lines []string
	for range 2 + g.random.IntN(4) {
		block := g.block()
		if g.random.IntN(3) == 0 { // interleaved with another block
			block = g.merge(block, g.block())
		}
		lines = append(lines, block...)
		if g.random.IntN(3) == 0 {
			lines = append(lines, g.noise()...)
		}
	}
	calls, err := parse(strings.Join(lines, "\n"))
	if err != nil {
		panic(fmt.Sprintf("%v in\n%s", err, strings.Join(lines, "\n")))
	}
	return calls
}

// one returns one of the choices.
func (g *generator) one(choices ...string) string { return choices[g.random.IntN(len(choices))] }

// chance is true with probability 1/n.
func (g *generator) chance(n int) bool { return g.random.IntN(n) == 0 }

// line formats one line of a program.
func line(format string, a ...any) string {
	return strings.Join(strings.Fields(fmt.Sprintf(format, a...)), " ")
}

// merge interleaves two blocks.
func (g *generator) merge(a, b []string) (merged []string) {
	for len(a) > 0 && len(b) > 0 {
		from := &a
		if g.chance(2) {
			from = &b
		}
		end := 1
		for depth := strings.Count((*from)[0], "{"); depth > 0; end++ { // keep a call together with its body
			depth += strings.Count((*from)[end], "{") - strings.Count((*from)[end], "}")
		}
		merged = append(merged, (*from)[:end]...)
		*from = (*from)[end:]
	}
	return slices.Concat(merged, a, b)
}

func (g *generator) block() []string {
	kinds := []func() []string{g.eager, g.eager, g.captured, g.captured, g.captured, g.running, g.running, g.stages}
	if g.gpu {
		kinds = append(kinds, g.foreign, g.foreign, g.foreign)
	}
	return kinds[g.random.IntN(len(kinds))]()
}

func (g *generator) stream() string  { return fmt.Sprint("s", g.random.IntN(4)) }
func (g *generator) context() string { return fmt.Sprint("c", g.random.IntN(6)) }
func (g *generator) event() string   { return fmt.Sprint("e", g.random.IntN(4)) }
func (g *generator) graph() string   { return fmt.Sprint("g", g.random.IntN(3)) }

// flag returns mostly an open flag, rarely an array that is not a flag.
func (g *generator) flag() string {
	if g.chance(40) {
		return g.one("a0", "x0", "a4")
	}
	return g.one("f0", "f1", "f2")
}

// array returns an array or a part of one, rarely one of another device.
func (g *generator) array() string {
	if g.chance(60) {
		return "x0"
	}
	name := g.one("a0", "a1", "a2", "a3", "a4", "a5")
	if g.chance(8) {
		name = g.flag()
	}
	if g.chance(8) && name[0] == 'a' {
		low := g.random.IntN(4)
		name += fmt.Sprintf("[%d:%d]", low, low+g.random.IntN(5-low))
	}
	return name
}

// scope returns an option for scopes, mostly none.
func (g *generator) scope() string {
	if !g.chance(4) {
		return ""
	}
	return "scope=" + g.one("u", "p", "p", "c", "up")
}

// makes returns a line that creates a context on a stream in one of the possible ways.
func (g *generator) makes(name, stream string) string {
	switch g.random.IntN(12) {
	case 0:
		return line("for %s default=%s %s", name, stream, g.scope())
	case 1:
		return line("for %s ambient=%s %s", name, g.context(), g.scope())
	case 2:
		return line("for %s on=%s %s", name, g.context(), g.scope())
	case 3:
		return line("for %s stream=%s ambient=%s default=%s", name, stream, g.context(), g.stream())
	case 4:
		return g.one("ondefault "+name, line("for %s on=%s stream=%s", name, g.context(), stream),
			line("for %s stream=x", name), line("for %s stream=%s badblock", name, stream),
			line("for %s foreign=%s %s", name, stream, g.one("", "capturing")),
			line("for %s stream=%s foreign=%s %s", name, stream, stream, g.one("", "scope=c")))
	default:
		return line("for %s stream=%s %s", name, stream, g.scope())
	}
}

// emission returns calls that emit through a context.
func (g *generator) emission(name string, depth int) (lines []string) {
	for range 1 + g.random.IntN(4) {
		lines = append(lines, g.emit(name, depth)...)
	}
	return lines
}

// inner returns the name of the body's context at a depth, rarely that of another context.
func (g *generator) inner(depth int) string {
	if g.chance(20) {
		return g.context()
	}
	return fmt.Sprint("b", depth)
}

// emit returns one call with its body.
func (g *generator) emit(name string, depth int) []string {
	n := 20
	if depth >= 3 {
		n = 11
	}
	switch k := g.random.IntN(n); k {
	case 0, 1:
		return []string{line("launch %s %s", name, g.array())}
	case 2, 3:
		return []string{line("chain %s %s %d", name, g.array(), g.random.IntN(5))}
	case 4:
		return []string{line("fill %s %s %d", name, g.array(), g.random.IntN(5)-1)}
	case 5:
		return []string{line("copy %s %s %s", name, g.array(), g.array())}
	case 6:
		return []string{line("%s %s %s", g.one("launch", "fill"), name, g.flag())}
	case 7:
		return []string{g.seeds(name)}
	case 8:
		if g.chance(2) { // through a context derived from this one
			made := g.one(line("with d2 %s", name), line("uncond d2 %s", name), line("uncond d2 %s", name),
				line("for d2 ambient=%s %s", name, g.scope()), line("for d2 on=%s", name))
			return append([]string{made}, g.emit("d2", min(depth+1, 2))...)
		}
		return []string{g.one(line("with %s %s", g.context(), name), line("uncond %s %s", g.context(), name),
			line("for %s ambient=%s %s", g.context(), name, g.scope()), line("for %s on=%s", g.context(), name),
			line("replayin %s %s", name, g.graph()), line("checkrecord %s %s", g.one("r0", "r1", "r4"), name))}
	case 9:
		if depth > 0 && g.chance(3) {
			return []string{g.misuse()}
		}
		if g.chance(4) {
			return g.elsewhere()
		}
		return []string{line("chain %s a0 1", name)}
	case 10:
		return []string{line("seed.effective %s a1", name)}
	case 11, 12, 13:
		return g.wrap(depth, "skip %s %s %s {", name, g.flag())
	case 14, 15:
		return g.wrap(depth, "loop %s %d %s first=%d every=%d flag=%s {", name, g.random.IntN(4))
	case 16:
		return g.wrap(depth, "loop %s %d %s {", name, g.random.IntN(3))
	case 17, 18:
		return g.wrap(depth, "repeat %s %d %s %s {", name, g.random.IntN(4))
	default:
		if depth > 0 && g.chance(2) {
			return g.runIn(name, depth)
		}
		lines := []string{line("stage %s %s {", name, g.one("static", "bounded", "host", "bounded"))}
		return append(append(lines, g.emission(name, depth+1)...), "}")
	}
}

// wrap returns a call with a body.
func (g *generator) wrap(depth int, format, name string, argument any) []string {
	inner := g.inner(depth)
	var head string
	switch {
	case strings.HasPrefix(format, "skip"):
		head = line(format, name, argument, inner)
	case strings.Contains(format, "first"):
		head = line(format, name, argument, inner, g.random.IntN(3), g.random.IntN(3), g.flag())
	case strings.HasPrefix(format, "repeat"):
		head = line(format, name, argument, g.flag(), inner)
	default:
		head = line(format, name, argument, inner)
	}
	lines := append([]string{head}, g.emission(inner, depth+1)...)
	if g.chance(3) { // a loop that ends early
		lines = append(lines, line("launch %s %s", inner, g.one("f2", "f0")))
	}
	return append(lines, "}")
}

// misuse returns a call that is illegal inside a body, or looks so.
func (g *generator) misuse() string {
	return g.one(line("launch %s %s", g.context(), g.array()), line("launch c0 a0"), line("end %s g4", g.stream()),
		line("record %s %s", g.stream(), g.event()), line("wait %s %s", g.stream(), g.event()), line("sync %s", g.stream()),
		line("begin %s", g.stream()), line("replay %s %s", g.stream(), g.graph()), line("state %s", g.stream()),
		line("close %s", g.one("a0", "a1", "f0")), line("err %s", g.context()),
		line("for %s stream=%s", g.context(), g.stream()),
		line("launch b0 a0"), line("launch b1 a0"), "ondefault c5", line("replayin b0 %s", g.graph()),
		line("for c3 ambient=%s", g.context()))
}

// elsewhere returns work of another goroutine.
func (g *generator) elsewhere() []string {
	lines := []string{"go {", line("for d0 stream=%s %s", g.stream(), g.scope()),
		line("launch d0 %s", g.one("a0", "a1", "a2"))}
	if g.chance(3) {
		lines = append(lines, line("skip d0 %s d1 {", g.flag()), "chain d1 a0 2", "}")
	}
	return append(lines, "}")
}

func (g *generator) seeds(name string) string {
	mask, a := g.one("a0", "a1", "a2"), g.one("a0", "a3")
	return g.one(line("seed.advance %s", name), line("seed.advancemasked %s %s", name, mask), line("seed.reset %s", name),
		line("seed.resetmasked %s %s", name, mask), line("seed.set %s %s", name, a), line("seed.ids %s %s %s", name, mask, a),
		line("seed.ids %s a4 a5", name), line("seed.effectivemasked %s %s %s", name, a, mask),
		line("anyset %s %s %s", name, mask, g.flag()),
		line("seed.set %s a4", name))
}

// eager returns work on one or two streams.
func (g *generator) eager() []string {
	s, c := g.stream(), g.context()
	lines := append([]string{g.makes(c, s)}, g.emission(c, 0)...)
	if g.chance(2) {
		t, d, e := g.stream(), g.context(), g.event()
		lines = append(lines, line("record %s %s", s, e), line("wait %s %s", t, e), g.makes(d, t))
		lines = append(lines, g.emission(d, 0)...)
	}
	if g.chance(3) {
		lines = append(lines, g.one("check", line("event.sync %s", g.event()), line("sync %s", s)))
	}
	return lines
}

// captured records a graph, with or without a fork, and replays it.
func (g *generator) captured() []string {
	s, c, graph := g.stream(), g.context(), g.graph()
	lines := append([]string{line("begin %s", s), g.makes(c, s)}, g.emission(c, 0)...)
	if g.chance(2) {
		t, d, fork, join := g.stream(), g.context(), g.event(), g.event()
		lines = append(lines, line("record %s %s", s, fork), line("wait %s %s", t, fork), g.makes(d, t))
		lines = append(lines, g.emission(d, 0)...)
		if g.chance(3) {
			lines = append(lines, g.emission(c, 0)...)
		}
		if !g.chance(8) {
			lines = append(lines, line("record %s %s", t, join), line("wait %s %s", s, join))
		}
		lines = append(lines, g.emission(c, 0)...)
	}
	if g.chance(4) {
		lines = append(lines, line("replay %s %s", s, g.graph()))
	}
	if g.chance(3) {
		lines = append(lines, g.run(c, s)...)
	}
	lines = append(lines, line("end %s %s", s, graph))
	for range g.random.IntN(3) {
		lines = append(lines, line("replay %s %s", g.stream(), graph))
	}
	if g.chance(4) {
		lines = append(lines, "close "+g.one("a0", "a1", "a2", "f0"), line("replay %s %s", s, graph), "check")
	}
	return lines
}

// running calls runners.
func (g *generator) running() (lines []string) {
	if g.chance(4) {
		return g.keyed()
	}
	for range 1 + g.random.IntN(4) {
		s := g.stream()
		switch g.random.IntN(8) {
		case 0, 1:
			lines = append(lines, g.prepare()...)
		case 2:
			lines = append(lines, g.segmented(s)...)
		case 3:
			lines = append(lines, g.legacy(s)...)
		default:
			lines = append(lines, g.run(g.context(), s)...)
		}
		if g.chance(2) { // later work on the same stream
			lines = append(lines, "for c5 stream="+s, line("chain c5 %s 1", g.array()), line("copy c5 a1 a0"))
		}
	}
	return lines
}

// keyed calls one runner with several keys, each with its own body.
func (g *generator) keyed() []string {
	r, s := g.one("r0", "r3"), g.stream()
	lines := []string{"for c5 stream=s0", line("chain c5 %s 1", g.array()), line("prepare %s b0 ambient=c3 {", r)}
	if g.chance(2) {
		lines[2] = line("prepare %s b0 {", r)
	}
	lines = append(append(lines, g.emission("b0", 1)...), "}")
	for range 3 + g.random.IntN(4) {
		lines = append(lines, line("run %s b0 stream=%s key=%d {", r, s, 1+g.random.IntN(4)),
			line("chain b0 %s 1", g.array()), "}")
	}
	return append(lines, line("for c5 stream=%s", s), "chain c5 a0 2", "check")
}

// where returns how a runner finds its stream.
func (g *generator) where(stream string) string {
	switch g.random.IntN(6) {
	case 0:
		return ""
	case 1:
		return "ambient=" + g.context()
	case 2:
		return "stream=" + g.one("x", stream, stream)
	default:
		return "stream=" + stream
	}
}

// options returns the options of a run.
func (g *generator) options() string {
	key := g.one("", "", "", "key=1", "key=2", "key=3")
	policy := g.one("", "", "", "", "", "", "", "policy=eager", "policy=eager", "policy=eager", "policy=bad")
	return line("%s %s %s %s", key, policy, g.one("", "sync"), g.scope())
}

func (g *generator) run(c, s string) []string {
	r, where := g.one("r0", "r0", "r1", "r3"), g.one(g.where(s), "ambient="+c)
	lines := []string{line("run %s b0 %s %s {", r, where, g.options())}
	return append(append(lines, g.emission("b0", 1)...), "}")
}

// runIn calls a runner inside a body.
func (g *generator) runIn(name string, depth int) []string {
	where := g.one("ambient="+name, "ambient="+name, "stream="+g.stream())
	inner := fmt.Sprint("b", depth)
	lines := []string{line("run %s %s %s %s {", g.one("r0", "r1", "r3"), inner, where, g.options())}
	return append(append(lines, g.emission(inner, depth+1)...), "}")
}

func (g *generator) prepare() []string {
	r, where := g.one("r0", "r0", "r1", "r3"), g.one("", "ambient="+g.context())
	lines := []string{line("prepare %s b0 %s %s {", r, where, g.scope())}
	return append(append(lines, g.emission("b0", 1)...), "}")
}

func (g *generator) segmented(s string) []string {
	op, options := "runseg", g.options()
	if g.chance(3) {
		op, options = "prepareseg", g.scope()
	}
	lines := []string{line("%s %s b0 %s %s {", op, g.one("r2", "r2", "r2", "r0", "r1"), g.where(s), options)}
	if op == "prepareseg" {
		lines[0] = line("prepareseg r2 b0 {")
	}
	classes := []string{"bounded", "host", "static"}
	g.random.Shuffle(3, func(i, k int) { classes[i], classes[k] = classes[k], classes[i] })
	if g.chance(5) {
		classes = classes[:1+g.random.IntN(2)]
	}
	for _, class := range classes {
		lines = append(lines, line("seg %s {", class), line("stage b0 %s {", class))
		if class == "host" {
			lines = append(lines, g.one("host.read b0 a0 1", "host.read b0 f0 0", "host.read b0 a3 9"),
				g.one("host.upload b0 a1 5", "host.upload b0 f1 0", "host.sync b0"))
		}
		lines = append(lines, g.emission("b0", 1)...)
		lines = append(lines, "}", "}")
	}
	return append(lines, "}")
}

func (g *generator) legacy(s string) []string {
	var lines []string
	if g.chance(3) {
		lines = append(lines, "current "+s)
	}
	lines = append(lines, line("run r4 b0 %s %s {", g.where(s), g.options()), "legacy b0 b1 {",
		line("raw %s", g.one("a0", "a1")))
	if g.chance(2) {
		lines = append(lines, line("launch b1 %s", g.array()))
	}
	if g.chance(2) { // a legacy producer that calls another producer, which is legal
		r, where := g.one("r0", "r1", "r3"), g.one("ambient=b1", "")
		lines = append(lines, line("run %s b2 %s %s {", r, where, g.options()))
		lines = append(append(lines, g.emission("b2", 2)...), "}")
	}
	if g.chance(4) {
		lines = append(lines, "legacy b1 b2 {", "raw a2", "}")
	}
	lines = append(lines, line("raw %s", g.one("a0", "a1")), "}", "}")
	if g.chance(2) {
		lines = append(lines, "current s0")
	}
	return lines
}

// stages runs stages outside of runners.
func (g *generator) stages() []string {
	c, s := g.context(), g.stream()
	lines := []string{g.makes(c, s)}
	for _, class := range []string{g.one("static", "bounded"), "host"} {
		lines = append(lines, line("stage %s %s {", c, class), g.one("host.read", "host.upload")+" "+c+" a2 1")
		lines = append(lines, g.emission(c, 1)...)
		lines = append(lines, line("host.read %s a2 0", c), "}")
	}
	return append(lines, line("host.sync %s", c))
}

// foreign records into a capture of the foreigner.
func (g *generator) foreign() []string {
	t, u := "t0", "t1"
	if g.chance(3) {
		t, u = u, t
	}
	q, c, h := g.one("q0", "q1"), g.context(), g.one("h0", "h1")
	mode := g.one("global", "thread", "relaxed")
	lines := []string{"foreign.destroy " + h, line("foreign.begin %s mode=%s", t, mode)}
	if !g.chance(4) {
		lines = append(lines, line("register %s %s mode=%s %s", q, t, mode, g.one("conditional", "")))
	}
	lines = append(lines, g.one(line("for %s reg=%s", c, q), line("for %s stream=%s %s", c, t, g.scope()),
		line("for %s stream=%s", c, t)))
	lines = append(lines, g.emission(c, 0)...)
	if g.chance(2) {
		lines = append(lines, g.fork(t, u, q, c)...)
	}
	lines = append(lines, g.during(q, t)...)
	if !g.chance(4) {
		lines = append(lines, "register.end "+q)
	}
	if g.chance(4) {
		lines = append(lines, g.emission(c, 0)...)
	}
	lines = append(lines, line("foreign.end %s %s", t, h))
	for range 1 + g.random.IntN(2) {
		lines = append(lines, line("foreign.launch %s %s", t, h))
	}
	return append(lines, g.one("check", "register.end "+q))
}

// fork lets another stream join a capture of the foreigner, through an event of the foreigner's or the library's.
func (g *generator) fork(t, u, q, c string) (lines []string) {
	d := g.context()
	if g.chance(3) {
		u = g.stream()
		lines = []string{line("record %s e0", t), line("wait %s e0", u)}
	} else {
		lines = []string{line("foreign.record %s u0", t), line("foreign.wait %s u0", u)}
	}
	if g.chance(2) {
		lines = append(lines, line("register q2 %s %s", u, g.one("conditional", "")))
	}
	lines = append(lines, line("for %s stream=%s", d, u))
	lines = append(lines, g.emission(d, 0)...)
	lines = append(lines, "register.state "+q, g.one("register.end q2", "register.state q2"))
	if g.chance(3) {
		lines = append(lines, g.emission(c, 0)...)
	}
	if g.chance(10) {
		return lines
	}
	if u[0] == 's' {
		return append(lines, line("record %s e1", u), line("wait %s e1", t))
	}
	return append(lines, line("foreign.record %s u1", u), line("foreign.wait %s u1", t))
}

// during returns calls to make while the foreigner is capturing.
func (g *generator) during(q, t string) (lines []string) {
	for range g.random.IntN(4) {
		switch g.random.IntN(9) {
		case 0:
			lines = append(lines, g.run("c0", g.one("s1", t))...)
		case 1:
			lines = append(lines, g.prepare()...)
		case 2:
			lines = append(lines, line("for c5 stream=%s scope=p", g.stream()))
			lines = append(lines, g.wrap(0, "loop %s %d %s first=%d every=%d flag=%s {", "c5", 3)...)
		case 3:
			lines = append(lines, line("run r0 b0 reg=%s %s {", q, g.options()), "launch b0 a0", "}")
		case 4:
			lines = append(lines, line("register q2 %s conditional", t), "register.state q2", "register.end q2")
		case 5:
			lines = append(lines, g.one(line("state %s", t), line("begin %s", t), line("end %s g4", t),
				line("sync %s", t), "check", line("wait %s %s", t, g.event()), line("foreign.wait %s u2", t),
				"foreign.record t1 u2", "foreign.begin t1 mode=relaxed"))
		case 6:
			lines = append(lines, line("replay %s %s", t, g.graph()))
		case 7:
			lines = append(lines, g.eager()...)
		default:
			lines = append(lines, line("for c4 stream=%s", t), line("with c3 c4"))
			lines = append(lines, g.emission("c4", 0)...)
		}
	}
	return lines
}

// noise returns unrelated calls.
func (g *generator) noise() []string {
	s, a, e, graph := g.stream(), g.one("a0", "a1", "a2", "f0", "f1", "f2", "f2"), g.event(), g.graph()
	switch g.random.IntN(9) {
	case 0:
		r := g.one("r0", "r3")
		return []string{"check", line("ensure %s ambient=%s", r, g.context()), "ensure " + r}
	case 1:
		return g.some("close "+a, line("write %s %d", a, g.random.IntN(4)), "new "+a,
			line("write %s %d", a, -1-g.random.IntN(3)))
	case 2:
		return g.some("begin "+s, "stream.close "+s, line("end %s g4", s), "stream.new "+s, "state "+s)
	case 3:
		return g.some(line("record %s %s", s, e), "event.close "+e, line("wait %s %s", g.stream(), e), "event.new "+e,
			"event.sync "+e)
	case 4:
		r := g.one("r0", "r1", "r2", "r3", "r4")
		return g.some("runner.close "+r, line("run %s b0 stream=%s {", r, s)+"\n}", "runner.new "+r)
	case 5:
		return []string{line("begin %s", s)}
	case 6:
		return []string{line("end %s g4", s)}
	case 7:
		return g.some("graph.close "+graph, line("replay %s %s", s, graph))
	default:
		return []string{g.one(line("err %s", g.context()), "launch b0 a0", line("replay %s %s", s, graph),
			line("record %s %s", s, e), line("wait %s %s", s, e), line("current %s", g.one("s0", s)), "state "+s, "sync "+s,
			"event.sync "+e)}
	}
}

// some returns most of the lines, in order.
func (g *generator) some(lines ...string) (kept []string) {
	for _, l := range lines {
		if !g.chance(4) {
			kept = append(kept, strings.Split(l, "\n")...)
		}
	}
	return kept
}
