package random

import (
	"fmt"
	"strings"
)

// parameters returns the declarations of a kernel's parameters. part is how many elements of an output belong to one
// thread or group, and base begins them.
func (g *generator) parameters(part int, base string) string {
	var list []*variable
	for k := range 2 + g.IntN(5) {
		v := &variable{name: fmt.Sprintf("in%d", k), t: pick(g, elements), slice: true, length: inputLength, kept: true}
		v.access = readOnly
		list = append(list, v)
	}
	for k := range 2 + g.IntN(3) {
		v := &variable{name: fmt.Sprintf("out%d", k), t: pick(g, elements), slice: true, length: part, base: base,
			kept: true}
		if k == 0 {
			v.t = unsigned // takes acc
		}
		list = append(list, v)
	}
	for k := range g.IntN(2) {
		v := &variable{name: fmt.Sprintf("count%d", k), t: signed, slice: true, length: countLength, kept: true,
			access: combined, atomic: pick(g, atomics)}
		list = append(list, v)
	}
	for k := range 1 + g.IntN(3) {
		list = append(list, &variable{name: fmt.Sprintf("number%d", k), t: pick(g, numbers), used: true, kept: true})
	}
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var text strings.Builder
	for _, v := range list {
		g.declare(v)
		kind := g.typeName(v.t)
		if v.slice {
			kind = "[]" + kind
		}
		fmt.Fprintf(&text, ", %s %s", v.name, kind)
	}
	return text.String()
}

var atomics = []string{"Add", "Max", "Or"}

// outputs returns the outputs of the current kernel.
func (g *generator) outputs() []*variable {
	return g.find(func(v *variable) bool { return v.slice && strings.HasPrefix(v.name, "out") })
}

// threadKernel writes a kernel that one thread runs for each item.
func (g *generator) threadKernel(name string) {
	g.begin(inThread, 5+g.IntN(10))
	g.declare(&variable{name: "i", t: signed, fixed: true, kept: true, used: true})
	params := g.parameters(threadPart, fmt.Sprintf("i*%d", threadPart))
	g.line("//kernel:thread\nfunc %s(i int32%s) {", name, params)
	g.line("acc := uint32(i)*%d", 1+g.Uint32N(100)*2)
	g.declare(&variable{name: "acc", t: unsigned, fixed: true, kept: true, used: true})
	for range 3 + g.IntN(4) {
		g.statement()
	}
	g.sink()
	for _, v := range g.outputs() {
		g.line("%s[%s] = %s", v.name, v.base, g.plain(v.t))
		if v.t == unsigned {
			g.line("%s[%s + 3] ^= acc", v.name, v.base)
		}
	}
	g.store()
	g.line("}")
	g.end()
}

// groupKernel writes a kernel that a group runs for each item.
func (g *generator) groupKernel(name string) {
	g.begin(inGroup, 5+g.IntN(8))
	g.declare(&variable{name: "g", fixed: true, kept: true, used: true, t: noValue})
	params := g.parameters(groupPart, fmt.Sprintf("g.ID*%d", groupPart))
	g.lanes = pick(g, []int{1, 5, 8, 16, 32, 33, 64, 64})
	g.line("//kernel:group lanes=%d", g.lanes)
	g.line("func %s(g kernel.Group%s) {", name, params)
	g.sharedArrays()
	g.line("acc := uint32(g.ID)*%d", 1+g.Uint32N(100)*2)
	g.declare(&variable{name: "acc", t: unsigned, fixed: true, kept: true, used: true})
	g.line("cur := int32(0)")
	g.declare(&variable{name: "cur", t: signed, fixed: true, kept: true})
	g.rest()
	g.phase(false)
	for range 2 + g.IntN(2) {
		g.groupStatement(0)
	}
	g.sink()
	g.phase(true)
	g.line("}")
	g.end()
}

// noValue is the type of what no expression takes.
const noValue typ = -1

// sharedArrays declares the arrays of the group.
func (g *generator) sharedArrays() {
	for k := range 1 + g.IntN(4) {
		v := &variable{name: fmt.Sprintf("part%d", k), t: pick(g, elements), kept: true, dims: []int{groupPart}}
		if len(g.structs) > 0 && g.chance(1, 5) {
			v.t = structBase
		}
		switch g.IntN(4) {
		case 0:
			v.dims = []int{groupPart, 4}
		case 1:
			v.dims = []int{2, groupPart}
		}
		g.line("var %s %s%s", v.name, dimensions(v.dims), g.typeName(v.t))
		g.declare(v)
	}
}

// memory returns the lists that the items of a group share.
func (g *generator) memory() []*variable {
	return g.find(func(v *variable) bool {
		return strings.HasPrefix(v.name, "part") && len(v.dims) > 0 || v.slice && v.base != ""
	})
}

// rest lets everything be read, which holds outside of phases.
func (g *generator) rest() {
	for _, v := range g.memory() {
		v.access, v.atomic = readOnly, ""
	}
}

// share decides what the items of the next phase do with each list.
func (g *generator) share() {
	for _, v := range g.memory() {
		v.access, v.atomic = pick(g, []permission{readOnly, own, own}), ""
		if len(v.dims) == 2 && v.dims[0] == 2 {
			v.access = pick(g, []permission{readOnly, halves, halves})
		}
		if len(v.dims) == 1 && v.t == signed && g.chance(1, 3) {
			v.access, v.atomic = combined, pick(g, atomics)
		}
	}
}

// phase writes a phase. The last one fills the outputs.
func (g *generator) phase(last bool) {
	count := fmt.Sprint(groupPart)
	switch g.IntN(6) {
	case 0:
		count = fmt.Sprint(1 + g.IntN(groupPart))
	case 1:
		count = fmt.Sprintf("%s&%d + 1", g.factor(signed), groupPart-1)
	case 2:
		count = fmt.Sprintf("%s&%d", g.factor(signed), groupPart-1)
	}
	if last {
		count = fmt.Sprint(groupPart)
	}
	g.share()
	if last {
		for _, v := range g.outputs() {
			v.access = own
		}
	}
	g.place = inPhase
	g.push()
	g.declare(&variable{name: "i", t: signed, fixed: true, kept: true, used: true})
	g.item = "i"
	before, rounds := g.jumps, g.rounds
	g.jumps, g.rounds = []jump{phase}, g.rounds*((groupPart+g.lanes-1)/g.lanes)
	g.line("for i := range g.Each(%s) {", count)
	g.line("acc := acc ^ uint32(i)*%d", 1+2*g.Uint32N(200))
	g.declare(&variable{name: "acc", t: unsigned, fixed: true, used: true})
	g.budget++
	for range 1 + g.IntN(2) {
		g.statement()
	}
	for _, v := range g.memory() {
		if g.chance(1, 2) || last && v.base != "" {
			g.touch(v)
		} else if text, ok := g.element(v); ok {
			g.line("acc = acc*33 ^ %s", g.encoded(text, v.t))
		}
	}
	g.sink()
	g.keep()
	g.line("}")
	g.scopes = g.scopes[:len(g.scopes)-1]
	g.jumps, g.rounds, g.item, g.place = before, rounds, "", inGroup
	g.rest()
	if g.chance(2, 3) {
		g.line("cur = 1 - cur")
	}
}

// touch writes an element of a list as the current phase may.
func (g *generator) touch(v *variable) {
	switch {
	case v.access == own && v.slice:
		g.line("%s[%s + %s] = %s", v.name, v.base, g.item, g.plain(v.t))
	case v.access == own:
		text, _ := g.element(v)
		g.line("%s = %s", text, g.plain(v.t))
	case v.access == halves:
		g.line("%s[1-cur][%s] = %s", v.name, g.item, g.plain(v.t))
	case v.access == combined:
		g.line("kernel.Atomic%s(%s[:], %s, %s)", v.atomic, v.name, g.index(v.dims[0]), g.plain(signed))
	}
}

// keep stores acc where an item may store it, because Go refuses a variable that nothing reads.
func (g *generator) keep() {
	for _, v := range g.memory() {
		if v.access == own && v.t == unsigned && v.slice {
			g.line("%s[%s + %s] ^= acc", v.name, v.base, g.item)
			return
		}
	}
	g.line("acc += 0")
}

// groupStatement writes what all lanes of a group run alike: a phase, a statement, or control flow around phases.
func (g *generator) groupStatement(depth int) {
	if g.budget <= 0 {
		return
	}
	g.budget--
	choice := g.IntN(10)
	if depth > 1 {
		choice = g.IntN(6)
	}
	switch choice {
	case 0, 1, 2:
		g.phase(false)
	case 3, 4, 5:
		g.statement()
	case 6:
		g.line("if (%s) {", g.plain(boolean))
		g.groupBlock(depth)
		if g.chance(1, 2) {
			g.line("} else {")
			g.groupBlock(depth)
		}
		g.line("}")
	case 7, 8:
		g.loopAroundPhases(depth)
	case 9:
		g.line("switch (%s&3) {", g.factor(signed))
		kept := g.jumps
		g.jumps = append(g.jumps[:len(g.jumps):len(g.jumps)], tagged)
		for k := range 1 + g.IntN(3) {
			g.line("case %d:", k)
			g.groupBlock(depth)
		}
		g.jumps = kept
		g.line("}")
	}
}

// groupJump returns a jump at group scope, which all lanes take alike.
func (g *generator) groupJump() string {
	if g.chance(1, 12) {
		return "return"
	}
	return g.jumpHere()
}

func (g *generator) groupBlock(depth int) {
	g.push()
	for range 1 + g.IntN(3) {
		g.groupStatement(depth + 1)
	}
	g.leave(g.groupJump())
}

func (g *generator) loopAroundPhases(depth int) {
	g.push()
	name := g.fresh()
	g.line("for %s := int32(0); %[1]s < %d; %[1]s++ {", name, 1+g.IntN(3))
	g.declare(&variable{name: name, t: signed, fixed: true, kept: true, used: true, bound: 4})
	kept, rounds := g.jumps, g.rounds
	g.jumps, g.rounds = append(g.jumps[:len(g.jumps):len(g.jumps)], groupLoop), g.rounds*3
	if g.chance(1, 2) {
		g.line("if (%s) {\n%s\n}", g.plain(boolean), pick(g, []string{"break", "continue"}))
	}
	g.groupBlock(depth)
	g.line("}")
	g.jumps, g.rounds = kept, rounds
	g.scopes = g.scopes[:len(g.scopes)-1]
}
