package random

import (
	"fmt"
	"strings"
)

// helper is a function that kernels and later helpers call.
type helper struct {
	name     string
	receiver typ // of a method, -1 of a function
	params   []*variable
	results  []typ
	writes   bool // a slice
	cost     int  // iterations of its loops
}

// helperLength is the length of the slices that helpers take, at least.
const helperLength = 4

// helperFunction writes a helper.
func (g *generator) helperFunction() {
	h := helper{name: fmt.Sprintf("helper%c%s", 'a'+len(g.helpers), g.suffix), receiver: -1}
	g.begin(inHelper, 1+g.IntN(5))
	receiver := ""
	if len(g.structs) > 0 && g.chance(1, 4) {
		h.receiver = structBase + typ(g.IntN(len(g.structs)))
		h.name = fmt.Sprintf("with%c", 'a'+len(g.helpers))
		v := g.declare(&variable{name: g.fresh(), t: h.receiver, used: true})
		receiver = fmt.Sprintf("(%s %s) ", v.name, g.typeName(v.t))
	}
	parameters := g.helperParameters(&h)
	named, results := g.helperResults(&h)
	g.line("func %s%s(%s) %s {", receiver, h.name, parameters, results)
	g.line("acc := uint32(%d)", g.Uint32N(1000))
	g.declare(&variable{name: "acc", t: unsigned, fixed: true, kept: true, used: true})
	for range 1 + g.IntN(3) {
		g.statement()
	}
	for _, v := range h.params {
		if v.slice && v.access == anywhere {
			g.line("%s[%s] = %s", v.name, g.index(helperLength), g.plain(v.t))
		}
	}
	g.sink()
	g.helperEnd(h, named)
	g.line("}")
	g.end()
	h.cost = 1 + g.cost
	g.helpers = append(g.helpers, h)
}

// helperParameters declares the parameters of a helper and returns their text.
func (g *generator) helperParameters(h *helper) string {
	var list []string
	for range 1 + g.IntN(3) {
		v := &variable{name: g.fresh(), t: g.anyType(), used: true}
		kind := g.typeName(v.t)
		if g.chance(1, 3) {
			v.t = pick(g, elements)
			kind = "[]" + g.typeName(v.t)
			v.slice, v.length, v.access, v.kept = true, helperLength, readOnly, true
			if g.chance(1, 2) {
				v.access, h.writes = anywhere, true
			}
		}
		h.params = append(h.params, g.declare(v))
		list = append(list, v.name+" "+kind)
	}
	return strings.Join(list, ", ")
}

// helperResults decides what a helper returns, a number first. named are the names of results that have some.
func (g *generator) helperResults(h *helper) (named []string, text string) {
	count := 1 + g.IntN(2)*g.IntN(3)
	if h.writes && g.chance(1, 2) {
		count = 0
	}
	withNames := g.chance(1, 4)
	var list []string
	for i := range count {
		t := g.anyType()
		if i == 0 {
			t = pick(g, numbers)
		}
		h.results = append(h.results, t)
		kind := g.typeName(t)
		if withNames {
			v := g.declare(&variable{name: g.fresh(), t: t, used: true, kept: true})
			named = append(named, v.name)
			kind = v.name + " " + kind
		}
		list = append(list, kind)
	}
	g.result = h.results
	return named, "(" + strings.Join(list, ", ") + ")"
}

// helperEnd writes the end of a helper, where acc goes into what it returns or writes.
func (g *generator) helperEnd(h helper, named []string) {
	switch {
	case len(named) > 0 && g.chance(1, 2):
		g.line("%s = %s", named[0], g.mixed(named[0], h.results[0]))
		g.line("return")
	case len(h.results) > 0:
		text := g.mixed(g.unknown(h.results[0]), h.results[0])
		for _, t := range h.results[1:] {
			text += ", " + g.plain(t)
		}
		g.line("return %s", text)
	default:
		for _, v := range h.params {
			if v.slice && v.access == anywhere {
				g.line("if acc&1 == 1 {\n%s[0] = %s\n}", v.name, g.plain(v.t))
				return
			}
		}
	}
}

// mixed returns a number that depends on an expression and on acc.
func (g *generator) mixed(text string, t typ) string {
	switch t {
	case signed:
		return "(" + text + ") ^ int32(acc)"
	case unsigned:
		return "(" + text + ") + acc"
	}
	return "(" + text + ") + float32(acc & 255)"
}

// begin begins a function; end adds it to the program.
func (g *generator) begin(where place, budget int) {
	g.body.Reset()
	g.place, g.budget, g.rounds, g.cost, g.depth, g.item, g.jumps = where, budget, 1, 0, 0, "", nil
	g.scopes = []scope{{place: where}}
}

func (g *generator) end() {
	g.written.WriteString("\n" + g.body.String())
	g.scopes = nil
}

// returnText returns a return statement of the current helper.
func (g *generator) returnText() string {
	values := make([]string, len(g.result))
	for i, t := range g.result {
		values[i] = g.plain(t)
	}
	return strings.TrimSpace("return " + strings.Join(values, ", "))
}

// call returns a call of a helper; ok is false where no list can be given to it.
func (g *generator) call(h helper) (text string, ok bool) {
	g.depth++
	defer func() { g.depth-- }()
	before := len(g.reads)
	arguments := make([]string, len(h.params))
	for i, p := range h.params {
		if !p.slice {
			arguments[i] = g.argument(p.t)
			continue
		}
		if arguments[i], ok = g.listArgument(p); !ok {
			g.forget(before)
			return "", false
		}
	}
	name := h.name
	if h.receiver >= 0 {
		name = g.receiver(h.receiver) + "." + name
	}
	return name + "(" + strings.Join(arguments, ", ") + ")", true
}

// affordable says whether a call of a helper runs few iterations.
func (g *generator) affordable(h helper) bool {
	cost := g.rounds * h.cost
	if cost > maxRounds || g.cost > maxCost {
		return false
	}
	g.cost += cost
	return true
}

// argument returns an expression that is not deep.
func (g *generator) argument(t typ) string {
	if g.depth > maxDepth {
		return g.converted(t)
	}
	return g.plain(t)
}

// receiver returns a value of a struct type whose method can be called.
func (g *generator) receiver(t typ) string {
	list := g.find(func(v *variable) bool { return v.t == t && !v.isList() })
	if len(list) == 0 {
		return "(" + g.composite(t) + ")"
	}
	v := pick(g, list)
	g.use(v)
	return v.name
}

// listArgument returns a list for a parameter.
func (g *generator) listArgument(p *variable) (string, bool) {
	writes := p.access == anywhere
	list := g.find(func(v *variable) bool {
		if v.t != p.t || !v.isList() || v.base != "" || v.atomic != "" && writes {
			return false
		}
		switch v.access {
		case anywhere:
			return true
		case readOnly:
			return !writes
		case own:
			return len(v.dims) == 2 && g.item != ""
		}
		return false
	})
	if len(list) == 0 {
		return "", false
	}
	v := pick(g, list)
	g.use(v)
	switch {
	case v.slice:
		return v.name, true
	case v.access == own:
		return v.name + "[" + g.item + "][:]", true
	case len(v.dims) == 2:
		return v.name + "[" + g.index(v.dims[0]) + "][:]", true
	}
	return v.name + "[:]", true
}

// helperCall returns a call of a helper that gives a value of a type and writes nothing.
func (g *generator) helperCall(t typ) (string, bool) {
	if g.depth > 2 {
		return "", false
	}
	for _, k := range g.Perm(len(g.helpers)) {
		if h := g.helpers[k]; len(h.results) == 1 && h.results[0] == t && !h.writes && g.affordable(h) {
			return g.call(h)
		}
	}
	return "", false
}

// helperStatement writes a call of a helper as a statement, with its results assigned.
func (g *generator) helperStatement() bool {
	if len(g.helpers) == 0 {
		return false
	}
	h := pick(g, g.helpers)
	if h.writes && g.place == inGroup || !g.affordable(h) {
		return false
	}
	text, ok := g.call(h)
	switch {
	case !ok:
		return false
	case len(h.results) == 0, h.writes && g.chance(1, 4):
		g.line("%s", text)
		return true
	}
	targets := make([]string, len(h.results))
	if g.chance(1, 3) && len(targets) > 1 && !h.writes {
		// To places that are there, evaluated before the call.
		for i, t := range h.results {
			targets[i] = "_"
			for range 4 {
				before := len(g.reads)
				place, found, ok := g.target()
				if ok && found == t {
					targets[i] = place
					break
				}
				g.forget(before)
			}
		}
		g.line("%s = %s", strings.Join(targets, ", "), text)
		return true
	}
	for i, t := range h.results {
		targets[i] = "_"
		if i == 0 || g.chance(3, 4) {
			targets[i] = g.fresh()
			g.declare(&variable{name: targets[i], t: t})
		}
	}
	g.line("%s := %s", strings.Join(targets, ", "), text)
	return true
}
