package graphview

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
)

// DOT writes the graph in the DOT language of Graphviz. A conditional is a diamond beside a cluster that holds its
// body. A dashed edge shows the path that skips the body.
func (v View) DOT(w io.Writer) error {
	d := dot{w: bufio.NewWriter(w)}
	d.line(0, "digraph {")
	d.line(1, "label=%s; labelloc=t; fontname=\"sans-serif\";", quote(v.title()))
	d.line(1, "node [shape=box, style=rounded, fontname=\"sans-serif\"]; edge [fontname=\"sans-serif\"];")
	d.chain(1, v.Operations, nil)
	d.line(0, "}")
	return d.w.Flush()
}

// dot writes nodes and edges. The bufio.Writer keeps the first error.
type dot struct {
	w    *bufio.Writer
	next int // number of the next node
}

// end is the start of an edge to the next node.
type end struct {
	node       int
	attributes string
}

// chain writes operations in sequence. It connects the first to the ends in from and returns the ends of the last.
func (d *dot) chain(indent int, operations []backend.Operation, from []end) []end {
	for _, o := range operations {
		from = d.node(indent, o, from)
	}
	return from
}

func (d *dot) node(indent int, o backend.Operation, from []end) []end {
	node := d.next
	d.next++
	label := name(o)
	if s := size(o); s != "" {
		label += "\n" + s
	}
	shape := ""
	if o.Kind == backend.OperationIf || o.Kind == backend.OperationRepeat {
		shape = ", shape=diamond, style=solid"
	}
	d.line(indent, "n%d [label=%s%s];", node, quote(label), shape)
	for _, e := range from {
		d.line(indent, "n%d -> n%d%s;", e.node, node, e.attributes)
	}
	if len(o.Body) == 0 {
		return []end{{node: node}}
	}
	d.line(indent, "subgraph cluster%d {", node)
	d.line(indent+1, "style=dashed; label=\"\";")
	last := d.chain(indent+1, o.Body, []end{{node: node}})
	d.line(indent, "}")
	around := end{node, " [style=dashed, label=\"0\"]"}
	switch o.Kind {
	case backend.OperationIf:
		return append(last, around)
	case backend.OperationRepeat:
		for _, e := range last {
			d.line(indent, "n%d -> n%d [constraint=false];", e.node, node)
		}
		return []end{around}
	default:
		return last
	}
}

func (d *dot) line(indent int, format string, arguments ...any) {
	fmt.Fprintf(d.w, strings.Repeat("  ", indent)+format+"\n", arguments...)
}

// quote returns a quoted string of the DOT language. A line break becomes the escape for a centred line.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "").Replace(text) + `"`
}
