package graphview

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/trackgen-go/trackgen/backend"
)

// MaxOperations is the maximum number of operations in a view. The limit is needed because a graph may replay a graph
// that replays a graph, and so on.
const MaxOperations = 10_000

// View lists the work in a graph.
type View struct {
	Device     string
	Operations []backend.Operation
	total      int
}

// Of lists a graph. It returns backend.ErrUnsupported for a graph that cannot be listed, and backend.ErrInvalid for nil
// or for a graph with more than MaxOperations operations.
func Of(g backend.Graph) (View, error) {
	const op = "view graph"
	if g == nil {
		return View{}, &backend.ArgumentError{Op: op, Argument: "graph", Value: "nil", Allowed: "a graph"}
	}
	device := g.Device().Info().Name
	inspector, ok := g.(backend.Inspector)
	if !ok {
		return View{}, &backend.UnsupportedError{Device: device, Op: op, Reason: "its graphs do not list their operations"}
	}
	v := View{Device: device, Operations: inspector.Operations()}
	if v.total = count(v.Operations, MaxOperations+1); v.total > MaxOperations {
		return View{}, &backend.ArgumentError{Op: op, Argument: "operations",
			Value:   fmt.Sprintf("more than %d", MaxOperations),
			Allowed: fmt.Sprintf("at most %d", MaxOperations)}
	}
	return v, nil
}

// count counts operations, including those in bodies, up to a limit.
func count(operations []backend.Operation, limit int) int {
	total := 0
	for i := range operations {
		if total++; total >= limit {
			return limit
		}
		if total += count(operations[i].Body, limit-total); total >= limit {
			return limit
		}
	}
	return total
}

// title returns the title of the view.
func (v View) title() string {
	return fmt.Sprintf("graph on %s: %s", v.Device, number(int64(v.total), "operation"))
}

// number formats a count with its noun.
func number(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// name returns the first line of a box: the kernel with its package, or what the operation does.
func name(o backend.Operation) string {
	switch o.Kind {
	case backend.OperationLaunch:
		if o.Kernel == "" {
			return "an unknown kernel"
		}
		return o.Kernel[strings.LastIndexByte(o.Kernel, '/')+1:]
	case backend.OperationIf:
		return "if the flag is not 0"
	case backend.OperationRepeat:
		return "repeat while the flag is not 0"
	case backend.OperationReplay:
		return "replay of a graph"
	default:
		return o.Kind.String()
	}
}

// size returns the second line of a box: the amount of work.
func size(o backend.Operation) string {
	switch o.Kind {
	case backend.OperationLaunch:
		if o.Group {
			return number(int64(o.Items), "group")
		}
		return number(int64(o.Items), "thread")
	case backend.OperationRepeat:
		return "at most " + number(int64(o.Limit), "time")
	case backend.OperationIf, backend.OperationReplay:
		return ""
	default:
		return number(o.Bytes, "byte")
	}
}

// Text writes one line for each operation. The operations of a body are indented below it.
func (v View) Text(w io.Writer) error {
	lines := listing(nil, v.Operations, "")
	width := 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l.what))
	}
	text := bufio.NewWriter(w) // keeps the first error
	fmt.Fprintln(text, v.title())
	for _, l := range lines {
		fmt.Fprintln(text, strings.TrimRight(fmt.Sprintf("%-*s  %s", width, l.what, l.size), " "))
	}
	return text.Flush()
}

// line is one line of a listing.
type line struct{ what, size string }

func listing(lines []line, operations []backend.Operation, indent string) []line {
	for _, o := range operations {
		what := name(o)
		if o.Kind == backend.OperationLaunch {
			what = "launch " + what
		}
		lines = listing(append(lines, line{indent + what, size(o)}), o.Body, indent+"    ")
	}
	return lines
}

// operation is the JSON form of an operation. Fields that do not apply are left out.
type operation struct {
	Kind   backend.OperationKind `json:"kind"`
	Kernel string                `json:"kernel,omitempty"`
	Items  int32                 `json:"items,omitempty"`
	Group  bool                  `json:"group,omitempty"`
	Bytes  int64                 `json:"bytes,omitempty"`
	Limit  int32                 `json:"limit,omitempty"`
	Body   []operation           `json:"body,omitempty"`
}

func convert(operations []backend.Operation) []operation {
	list := make([]operation, len(operations))
	for i, o := range operations {
		list[i] = operation{o.Kind, o.Kernel, o.Items, o.Group, o.Bytes, o.Limit, nil}
		if len(o.Body) > 0 {
			list[i].Body = convert(o.Body)
		}
	}
	return list
}

// JSON writes {"device", "nodes", "operations": [{"kind", "kernel", "items", "group", "bytes", "limit", "body"}]}.
// Fields that do not apply are left out.
func (v View) JSON(w io.Writer) error {
	text, err := json.MarshalIndent(struct {
		Device     string      `json:"device"`
		Nodes      int         `json:"nodes"`
		Operations []operation `json:"operations"`
	}{v.Device, v.total, convert(v.Operations)}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
