package random

import (
	"fmt"
	"slices"
)

// variable is a variable of the current function.
type variable struct {
	name   string
	t      typ   // of an element of a list
	dims   []int // of an array
	slice  bool
	access permission
	base   string // what stands before the index of a buffer's element
	length int    // of a slice, or the part of a buffer that base begins
	bound  int    // if not 0, the variable is an index below bound

	fixed  bool // not to be assigned
	kept   bool // not to be hidden by another variable of the name
	used   bool
	atomic string // the atomic of a list whose access is combined
}

// permission is what may be done to the elements of a list.
type permission int

const (
	anywhere permission = iota // read and written at any index
	readOnly                   // read at any index
	own                        // read and written where the first index is the item's own
	halves                     // of a pair of arrays: one half is read, the item's own element of the other one is written
	combined                   // changed by atomics of one kind
)

func (v *variable) isList() bool { return v.slice || len(v.dims) > 0 }

// scope is a block of the current function.
type scope struct {
	variables []*variable
	place     place
}

// names are ordinary ones and ones that the C-like languages reserve.
var names = []string{
	"a", "b", "x", "y", "t", "u", "first", "rest", "buffer", "half", "sample", "flat", "float", "double", "unsigned",
	"shared", "input", "output", "x_y", "x__", "é", "out", "this", "lane", "kg_1", "v_x", "main", "barrier",
}

// visible calls do with the variables that a name finds here, the innermost first.
func (g *generator) visible(do func(*variable, place)) {
	seen := map[string]bool{}
	for i := len(g.scopes) - 1; i >= 0; i-- {
		list := g.scopes[i].variables
		for k := len(list) - 1; k >= 0; k-- {
			if v := list[k]; !seen[v.name] {
				seen[v.name] = true
				do(v, g.scopes[i].place)
			}
		}
	}
}

// find returns the visible variables that satisfy a condition.
func (g *generator) find(condition func(*variable) bool) []*variable {
	var found []*variable
	g.visible(func(v *variable, _ place) {
		if condition(v) {
			found = append(found, v)
		}
	})
	return found
}

// assignable returns the visible variables, lists apart, that may be assigned here.
func (g *generator) assignable() []*variable {
	var found []*variable
	g.visible(func(v *variable, declared place) {
		if !v.isList() && !v.fixed && (g.place != inPhase || declared != inGroup) {
			found = append(found, v)
		}
	})
	return found
}

// fresh returns a name that the current block does not have and that hides nothing that must stay visible.
func (g *generator) fresh() string {
	inner := g.scopes[len(g.scopes)-1].variables
	for range 20 {
		name := pick(g, names)
		taken := slices.ContainsFunc(inner, func(v *variable) bool { return v.name == name })
		for _, s := range g.scopes {
			taken = taken || slices.ContainsFunc(s.variables, func(v *variable) bool { return v.name == name && v.kept })
		}
		if !taken {
			return name
		}
	}
	count := 0
	for _, s := range g.scopes {
		count += len(s.variables)
	}
	return fmt.Sprintf("n%d", count)
}

// declare adds a variable to the current block.
func (g *generator) declare(v *variable) *variable {
	inner := &g.scopes[len(g.scopes)-1]
	inner.variables = append(inner.variables, v)
	return v
}

// use notes that an expression reads a variable.
func (g *generator) use(v *variable) {
	if !v.used {
		v.used = true
		g.reads = append(g.reads, v)
	}
}

// forget takes back what was noted after the first n uses, because the expression is not written after all.
func (g *generator) forget(n int) {
	for _, v := range g.reads[n:] {
		v.used = false
	}
	g.reads = g.reads[:n]
}

func (g *generator) push() { g.scopes = append(g.scopes, scope{place: g.place}) }

// pop ends a block. What its variables hold goes into acc, which goes into an output, so that hardly anything that is
// computed has no effect. Go also refuses variables that nothing reads.
func (g *generator) pop() {
	g.sink()
	g.scopes = g.scopes[:len(g.scopes)-1]
}

// sink mixes the variables of the current block into acc: those that nothing has read, and most others.
func (g *generator) sink() {
	for _, v := range g.scopes[len(g.scopes)-1].variables {
		if v.slice || v.t == noValue || v.name == "acc" || v.access == combined || v.access == halves ||
			v.used && (v.fixed || g.chance(1, 3)) {
			continue
		}
		v.used = true
		text := v.name
		for _, n := range v.dims {
			text += fmt.Sprintf("[%d]", g.IntN(n))
		}
		if len(v.dims) > 0 && g.chance(1, 3) {
			g.line("acc += uint32(len(%s))", v.name)
		}
		g.line("acc = acc*31 ^ %s", g.encoded(text, v.t))
	}
}

// encoded returns a uint32 that depends on a value.
func (g *generator) encoded(text string, t typ) string {
	switch t {
	case boolean:
		return g.support("flag") + "(" + text + ")"
	case signed:
		return "uint32(" + text + ")"
	case unsigned:
		return text
	case float:
		return g.support("bits") + "(" + text + ")"
	}
	if fields := vectorFields[t]; fields != "" {
		return g.encoded(text+"."+string(fields[g.IntN(len(fields))]), float)
	}
	f := pick(g, g.structs[t-structBase].fields)
	text += "." + f.name
	for _, n := range f.dims {
		text += fmt.Sprintf("[%d]", g.IntN(n))
	}
	return g.encoded(text, f.t)
}
