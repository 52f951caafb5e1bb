package random

import (
	"fmt"
	"strings"
)

// block writes up to n statements in a block of their own, and perhaps a jump at its end.
func (g *generator) block(n int) {
	g.push()
	if g.budget <= 0 {
		g.assignment()
	}
	for range 1 + g.IntN(n) {
		g.statement()
	}
	g.leave(g.jumpHere())
}

// leave ends a block with a statement that leaves it, if it is not empty.
func (g *generator) leave(jump string) {
	g.pop()
	if jump != "" {
		g.line("%s", jump)
	}
}

// statement writes one statement, if the budget has room for it.
func (g *generator) statement() {
	if g.budget <= 0 {
		return
	}
	g.budget--
	choice := g.IntN(20)
	if g.budget < 2 {
		choice %= 8 // no block, which would be empty
	}
	switch choice {
	case 0, 1, 2:
		g.declaration()
	case 3, 4, 5, 6:
		g.assignment()
	case 7:
		g.swap()
	case 8, 9, 10:
		g.ifStatement()
	case 11, 12, 13:
		g.loopStatement()
	case 14, 15:
		g.switchStatement()
	case 16:
		g.line("{")
		g.block(3)
		g.line("}")
	case 17, 18:
		if !g.helperStatement() {
			g.assignment()
		}
	default:
		g.store()
	}
}

// declaration declares one or two variables.
func (g *generator) declaration() {
	t := g.anyType()
	if g.place != inGroup && g.chance(1, 4) {
		g.declareArray(t)
		return
	}
	switch g.IntN(6) {
	case 0:
		name := g.fresh()
		g.line("var %s %s", name, g.typeName(t))
		g.declare(&variable{name: name, t: t})
	case 1:
		value := g.plain(t)
		name := g.fresh()
		g.line("var %s %s = %s", name, g.typeName(t), value)
		g.declare(&variable{name: name, t: t})
	case 2:
		other := g.anyType()
		x, y := g.typed(t), g.typed(other)
		first := g.fresh()
		g.declare(&variable{name: first, t: t})
		second := g.fresh()
		g.declare(&variable{name: second, t: other})
		g.line("%s, %s := %s, %s", first, second, x, y)
	default:
		value := g.typed(t)
		name := g.fresh()
		g.line("%s := %s", name, value)
		g.declare(&variable{name: name, t: t})
	}
}

// typed returns an expression whose type Go knows without a declared one.
func (g *generator) typed(t typ) string {
	text, constant := g.value(t)
	if constant && t != boolean {
		return g.typeName(t) + "(" + text + ")"
	}
	return text
}

func (g *generator) declareArray(t typ) {
	dims := []int{pick(g, []int{4, 4, 8})}
	if g.chance(1, 3) {
		dims = []int{2, 4}
	}
	kind := dimensions(dims) + g.typeName(t)
	switch {
	case len(dims) == 1 && g.chance(1, 2):
		parts := make([]string, 1+g.IntN(3))
		for i := range parts {
			parts[i] = g.plain(t)
		}
		name := g.fresh()
		g.line("%s := %s{%s}", name, kind, strings.Join(parts, ", "))
		g.declare(&variable{name: name, t: t, dims: dims})
	default:
		name := g.fresh()
		g.line("var %s %s", name, kind)
		g.declare(&variable{name: name, t: t, dims: dims})
	}
}

// target returns a place that may be assigned, and its type; ok is false where there is none.
func (g *generator) target() (text string, t typ, ok bool) {
	if g.place != inGroup && g.chance(1, 3) {
		if text, t, ok = g.elementTarget(); ok {
			return text, t, true
		}
	}
	list := g.assignable()
	if len(list) == 0 {
		return "", 0, false
	}
	v := pick(g, list)
	text, t = g.partTarget(v.name, v.t)
	return text, t, true
}

// partTarget returns a place, or in some cases a part of it.
func (g *generator) partTarget(text string, t typ) (string, typ) {
	if fields := vectorFields[t]; fields != "" && g.chance(1, 2) {
		return text + "." + string(fields[g.IntN(len(fields))]), float
	}
	if t < structBase || g.chance(1, 3) {
		return text, t
	}
	f := pick(g, g.structs[t-structBase].fields)
	text += "." + f.name
	for _, n := range f.dims {
		text += "[" + g.index(n) + "]"
	}
	return text, f.t
}

// elementTarget returns an element of a list that may be written.
func (g *generator) elementTarget() (text string, t typ, ok bool) {
	list := g.find(func(v *variable) bool {
		return v.isList() && (v.access == anywhere || g.item != "" && (v.access == own || v.access == halves))
	})
	if len(list) == 0 {
		return "", 0, false
	}
	v := pick(g, list)
	if v.access == halves {
		text, t = g.partTarget(v.name+"[1-cur]["+g.item+"]", v.t)
		return text, t, true
	}
	if text, ok = g.element(v); !ok {
		return "", 0, false
	}
	text, t = g.partTarget(text, v.t)
	return text, t, true
}

// store writes an element.
func (g *generator) store() {
	if g.place == inGroup {
		g.assignment()
		return
	}
	if g.chance(1, 3) && g.atomic() {
		return
	}
	if text, t, ok := g.elementTarget(); ok {
		g.assign(text, t)
		return
	}
	g.assignment()
}

// atomic writes an atomic, if a list takes one.
func (g *generator) atomic() bool {
	list := g.find(func(v *variable) bool { return v.access == combined })
	if len(list) == 0 {
		return false
	}
	v := pick(g, list)
	g.use(v)
	name, length := v.name, v.length
	if !v.slice {
		name, length = name+"[:]", v.dims[0]
	}
	g.line("kernel.Atomic%s(%s, %s, %s)", v.atomic, name, g.index(length), g.plain(signed))
	return true
}

func (g *generator) assignment() {
	if text, t, ok := g.target(); ok {
		g.assign(text, t)
	}
}

// assign assigns to a place, perhaps with an operation.
func (g *generator) assign(text string, t typ) {
	if (t == signed || t == unsigned) && g.chance(1, 2) {
		switch g.IntN(8) {
		case 0:
			g.line("%s%s", text, pick(g, []string{"++", "--"}))
		case 1:
			g.line("%s %s= %s", text, pick(g, []string{"<<", ">>"}), g.shiftCount())
		case 2:
			g.line("%s %s= %s", text, pick(g, []string{"/", "%"}), fmt.Sprint(2+g.IntN(99)))
		default:
			g.line("%s %s= %s", text, pick(g, []string{"+", "-", "*", "&", "|", "^", "&^"}), g.plain(t))
		}
		return
	}
	if t == float && g.chance(1, 3) {
		g.line("%s %s= %s", text, pick(g, []string{"+", "-", "/"}), g.unknown(float))
		return
	}
	g.line("%s = %s", text, g.plain(t))
}

// swap assigns to two places at once.
func (g *generator) swap() {
	before := len(g.reads)
	first, t, ok := g.target()
	second, other, alsoOK := g.target()
	if !ok || !alsoOK {
		g.forget(before)
		return
	}
	if t == other && g.chance(1, 2) {
		g.line("%s, %s = %s, %s", first, second, second, first)
		return
	}
	g.line("%s, %s = %s, %s", first, second, g.plain(t), g.plain(other))
}

// jumpHere returns a statement that leaves what is around here, "" where there is none.
func (g *generator) jumpHere() string {
	var list []string
	for i := len(g.jumps) - 1; i >= 0; i-- {
		if kind := g.jumps[i]; i == len(g.jumps)-1 && (kind == loop || kind == tagged || kind == groupLoop) {
			list = append(list, "break")
		}
		if kind := g.jumps[i]; kind == loop || kind == phase || kind == groupLoop {
			list = append(list, "continue")
			break
		}
	}
	if g.place == inThread || g.place == inHelper {
		list = append(list, "return")
	}
	if len(list) == 0 || !g.chance(1, 3) {
		return ""
	}
	if jump := pick(g, list); jump != "return" || g.place != inHelper {
		return jump
	}
	return g.returnText()
}

// header returns a short declaration for the header of a statement, in a scope that the caller closes, or nothing.
func (g *generator) header() string {
	g.push()
	if !g.chance(1, 4) {
		return ""
	}
	t := pick(g, numbers)
	value := g.typed(t)
	name := g.fresh()
	g.declare(&variable{name: name, t: t})
	return name + " := " + value + "; "
}

func (g *generator) ifStatement() {
	g.line("if %s(%s) {", g.header(), g.plain(boolean))
	g.sink()
	g.block(4)
	switch g.IntN(4) {
	case 0:
		g.line("} else if %s(%s) {", g.header(), g.plain(boolean))
		g.sink()
		g.block(3)
		if g.chance(1, 2) {
			g.line("} else {")
			g.block(3)
		}
		g.line("}")
		g.popHeader()
	case 1:
		g.line("} else {")
		g.block(3)
		g.line("}")
	default:
		g.line("}")
	}
	g.popHeader()
}

// popHeader ends the scope of a header, whose variable the first block has read.
func (g *generator) popHeader() { g.scopes = g.scopes[:len(g.scopes)-1] }

// maxRounds is how often the innermost statement of nested loops runs at most, maxCost about how many iterations a lane
// makes in all.
const (
	maxRounds = 512
	maxCost   = 20_000
)

func (g *generator) loopStatement() {
	before := g.rounds
	if 8*before > maxRounds || g.cost > maxCost {
		g.assignment()
		return
	}
	g.rounds *= 8
	g.cost += g.rounds
	g.push()
	kept := g.jumps
	g.jumps = append(g.jumps[:len(g.jumps):len(g.jumps)], loop)
	switch g.IntN(7) {
	case 0:
		g.countingLoop()
	case 1:
		g.countingDown()
	case 2:
		g.twoCounters()
	case 3:
		g.fuelledLoop()
	case 4:
		g.endlessLoop()
	default:
		g.rangeLoop()
	}
	g.line("}")
	g.jumps = kept
	g.scopes = g.scopes[:len(g.scopes)-1]
	g.rounds = before
}

func (g *generator) countingLoop() {
	n := pick(g, []int{2, 3, 4, 4, 8})
	t := pick(g, []typ{signed, signed, unsigned})
	v := g.declare(&variable{name: g.fresh(), t: t, fixed: true, kept: true, used: true})
	limit := fmt.Sprint(n)
	if g.chance(1, 3) {
		limit, n = fmt.Sprintf("(%s&7)", g.factor(t)), 8
	}
	if t == signed {
		v.bound = n
	}
	g.line("for %s := %s(0); %[1]s < %[3]s; %[1]s++ {", v.name, g.typeName(t), limit)
	g.block(3)
}

func (g *generator) countingDown() {
	name := g.fresh()
	g.line("for %s := int32(%d); %s %s 0; %s -= %d {", name, 1+g.IntN(7), name, pick(g, []string{">", ">="}), name,
		1+g.IntN(3))
	g.declare(&variable{name: name, t: signed, fixed: true, used: true})
	g.block(3)
}

func (g *generator) twoCounters() {
	first := g.fresh()
	g.declare(&variable{name: first, t: signed, fixed: true, used: true})
	second := g.fresh()
	g.declare(&variable{name: second, t: signed, fixed: true, used: true})
	g.line("for %s, %s := int32(0), int32(%d); %[1]s < %[2]s; %[1]s, %[2]s = %[1]s+%[4]d, %[2]s-%[5]d {", first, second,
		4+g.IntN(6), 1+g.IntN(2), 1+g.IntN(2))
	g.block(3)
}

// fuelledLoop writes a loop whose condition depends on what it computes.
func (g *generator) fuelledLoop() {
	fuel := g.fresh()
	g.declare(&variable{name: fuel, t: signed, fixed: true, kept: true, used: true})
	condition := ""
	if g.chance(2, 3) {
		condition = " && (" + g.plain(boolean) + ")"
	}
	g.line("for %s := int32(%d); %[1]s > 0%[3]s; {", fuel, 1+g.IntN(8), condition)
	g.line("%s--", fuel)
	g.block(3)
}

func (g *generator) endlessLoop() {
	count := g.fresh()
	g.declare(&variable{name: count, t: unsigned, fixed: true, kept: true, used: true})
	g.line("for %s := uint32(0); ; {", count)
	g.line("if %s++; %[1]s > %d {\nbreak\n}", count, 1+g.IntN(7))
	g.block(3)
}

func (g *generator) rangeLoop() {
	t := pick(g, []typ{signed, signed, unsigned})
	n := pick(g, []int{2, 3, 4, 8})
	limit, bound := fmt.Sprintf("%s(%d)", g.typeName(t), n), n
	if g.chance(1, 2) {
		limit, bound = g.factor(t)+"&7", 8
	}
	if t == unsigned {
		bound = 0
	}
	if g.chance(1, 5) {
		g.line("for range %s {", limit)
		g.block(3)
		return
	}
	name := g.fresh()
	g.line("for %s := range %s {", name, limit)
	v := &variable{name: name, t: t, fixed: true, used: true, bound: bound}
	if g.chance(1, 4) {
		v.fixed, v.bound = false, 0 // the count goes on
	}
	g.declare(v)
	g.line("acc += uint32(%s)", name)
	g.block(3)
}

func (g *generator) switchStatement() {
	before := g.jumps
	if g.chance(1, 2) {
		g.taggedSwitch()
	} else {
		g.taglessSwitch()
	}
	g.jumps = before
}

func (g *generator) taggedSwitch() {
	t := pick(g, []typ{signed, signed, unsigned})
	g.line("switch %s(%s%s) {", g.header(), g.factor(t), pick(g, []string{"&7", "%5", "", ""}))
	g.jumps = append(g.jumps[:len(g.jumps):len(g.jumps)], tagged)
	values := g.Perm(8)
	otherwise := g.IntN(5)
	for i := range 1 + g.IntN(3) {
		if i == otherwise {
			g.line("default:")
			g.sink()
			g.block(2)
		}
		list := fmt.Sprint(values[2*i])
		if g.chance(1, 3) {
			list += fmt.Sprintf(", %d", values[2*i+1])
		}
		g.line("case %s:", list)
		g.sink()
		g.block(3)
	}
	g.line("}")
	g.popHeader()
}

func (g *generator) taglessSwitch() {
	g.line("switch %s{", g.header())
	g.jumps = append(g.jumps[:len(g.jumps):len(g.jumps)], tagless)
	otherwise := g.IntN(5)
	for i := range 1 + g.IntN(3) {
		if i == otherwise {
			g.line("default:")
			g.sink()
			g.block(2)
		}
		list := g.unknown(boolean)
		if g.chance(1, 3) {
			list += ", " + g.unknown(boolean)
		}
		g.line("case %s:", list)
		g.sink()
		g.block(3)
	}
	g.line("}")
	g.popHeader()
}
