package backendtest

import (
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
)

// listing writes operations in one line, and those of a replayed graph in the place of the replay.
func listing(operations []backend.Operation) string {
	var parts []string
	for _, o := range operations {
		switch o.Kind {
		case backend.OperationReplay:
			parts = append(parts, listing(o.Body))
		case backend.OperationLaunch:
			parts = append(parts, fmt.Sprintf("%s x%d", o.Kernel[strings.LastIndexByte(o.Kernel, '.')+1:], o.Items))
		case backend.OperationRepeat:
			parts = append(parts, fmt.Sprintf("repeat %d {%s}", o.Limit, listing(o.Body)))
		case backend.OperationIf:
			parts = append(parts, fmt.Sprintf("if {%s}", listing(o.Body)))
		default:
			parts = append(parts, fmt.Sprintf("%v %d", o.Kind, o.Bytes))
		}
	}
	return strings.Join(parts, ", ")
}

// inspect checks the list of a graph; the graphs of every backend can be listed.
func (c *check) inspect(g backend.Graph, want string) {
	inspector, ok := g.(backend.Inspector)
	if !ok {
		c.fatalf("a graph of type %T is not a backend.Inspector", g)
	}
	got := listing(inspector.Operations())
	c.that(got == want, "the graph lists %q, want %q", got, want)
}

var inspectCases = []testCase{
	{"inspect/operations", func(c *check) {
		if !c.captures() {
			return
		}
		s, x, y := c.stream(), c.zeros(10), c.zeros(10)
		host := c.allocHost(40)
		inner := c.capture(s, func() { c.increment(s, x) })
		g := c.capture(s, func() {
			c.ok(s.Upload(x.view, host, 0), "upload")
			c.ok(s.Fill(y.view, 3), "fill")
			c.ok(s.Copy(y.view, x.view), "copy")
			c.ok(s.Replay(inner), "replay")
			c.ok(s.Download(host, 0, y.view), "download")
		})
		c.inspect(g, "upload 40, fill 40, copy 40, increment x10, download 40")
		c.inspect(c.capture(s, func() {}), "")
		c.ok(inner.Close(), "close")
		c.inspect(inner, "")
	}},
	{"inspect/conditionals", func(c *check) {
		if !c.captures() || !c.conditionals() {
			return
		}
		s, flag, x := c.stream(), c.flag(1), c.zeros(10)
		g := c.capture(s, func() {
			c.when(s, flag, func(inner backend.Stream) {
				c.increment(inner, x)
				c.when(inner, flag, func(innermost backend.Stream) { c.increment(innermost, x) })
				c.ok(inner.Fill(x.view, 0), "fill")
			})
			c.increment(s, flag)
		})
		c.inspect(g, "if {increment x10, if {increment x10}, fill 40}, increment x1")
		if !c.device.Caps().WhileNodes {
			return
		}
		g = c.capture(s, func() {
			c.ok(s.(backend.Repeater).Repeat(flag.view, 7, func(inner backend.Stream) error {
				c.increment(inner, x)
				return nil
			}), "repeat")
		})
		c.inspect(g, "repeat 7 {increment x10}")
	}},
}
