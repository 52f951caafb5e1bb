package world

import (
	"slices"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/kernel"
)

// courseHead is the JSON of a frame of courses. The body has the columns one after the other, as little-endian words of
// 32 bits. A column of points has those of all envs in a row, count[e] of env e: no padding.
type courseHead struct {
	Kind    string       `json:"kind"` // tracks or gates
	First   int          `json:"first"`
	Envs    int          `json:"envs"`
	Columns []columnHead `json:"columns"`
	Faults  []Fault      `json:"faults"`
	Names   []string     `json:"names,omitempty"`
	Reasons [][]string   `json:"reasons"` // of each env
}

type columnHead struct {
	Name       string `json:"name"`
	Whole      bool   `json:"whole"` // int32 instead of float32
	Per        string `json:"per"`   // env, or the thing that a row has several of
	Components int    `json:"components"`
}

// leftOut are the columns that the page does not draw: they follow from others.
var leftOut = []string{"tangent", "normal", "height", "forward"}

// trackFrame returns a frame with the tracks of a batch.
func trackFrame(b *trackgen.Batch, first int, faults []Fault) Frame {
	head := courseHead{Kind: CourseTracks, First: first, Envs: b.Envs, Faults: faults, Names: b.Names}
	for e := range b.Envs {
		head.Reasons = append(head.Reasons, export.ReasonNames(b, e))
	}
	return courseFrame(head, export.Table(b), b.NMax, b.Count)
}

// gateFrame returns a frame with the gate courses of a batch.
func gateFrame(b *trackgen.GateBatch, first int) Frame {
	head := courseHead{Kind: CourseGates, First: first, Envs: b.Envs, Faults: gateFaultsOf(b)}
	for e := range b.Envs {
		head.Reasons = append(head.Reasons, export.GateReasonNames(b, e))
	}
	return courseFrame(head, export.GateTable(b), b.MaxGates, b.Count)
}

// courseFrame encodes the columns, of which rows have room for stride points and count real ones.
func courseFrame(head courseHead, table []column.Host, stride int, count []int32) Frame {
	var body []byte
	for _, h := range table {
		if h.IsAbsent() || slices.Contains(leftOut, h.Name) {
			continue
		}
		head.Columns = append(head.Columns, columnHead{Name: h.Name, Whole: h.Type == kernel.Int32, Per: string(h.Per),
			Components: h.Components()})
		if h.Per == column.Env {
			body = h.AppendWords(body, 0, h.Len())
			continue
		}
		for e, n := range count {
			body = h.AppendWords(body, e*stride, e*stride+min(int(n), stride))
		}
	}
	return Frame{Head: head, Body: body}
}
