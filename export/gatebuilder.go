package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// GateBuilder collects gate courses of any number of gates, one after the other, for the readers of files. A course
// begins with Course, and each of its gates with Gate. Values are words of 32 bits, the bits of a float32 or an int32.
type GateBuilder struct {
	columns []column.Column
	words   [][]byte // by column: all values in order, little-endian
	counts  []int32  // gates of each course
	gates   int      // of all courses
}

// NewGateBuilder returns a builder without courses.
func NewGateBuilder() *GateBuilder {
	columns := gate.Schema.Columns()
	return &GateBuilder{columns: columns, words: make([][]byte, len(columns))}
}

// Columns returns the columns of a batch of gate courses. Put takes an index of this list.
func (b *GateBuilder) Columns() []column.Column { return b.columns }

// Course begins the next course. Its columns of one value per env are 0 until Put sets them.
func (b *GateBuilder) Course() {
	b.counts = append(b.counts, 0)
	for i, c := range b.columns {
		if c.Per == column.Env {
			b.words[i] = append(b.words[i], make([]byte, wordSize)...)
		}
	}
}

// Gate begins the next gate of the current course. Put must then give it every column of gates.
func (b *GateBuilder) Gate() {
	b.counts[len(b.counts)-1]++
	b.gates++
}

// Put sets column i of the current gate or, for a column of one value per env, of the current course.
func (b *GateBuilder) Put(i int, words ...uint32) {
	if b.columns[i].Per == column.Env {
		binary.LittleEndian.PutUint32(b.words[i][len(b.words[i])-wordSize:], words[0])
		return
	}
	for _, word := range words {
		b.words[i] = binary.LittleEndian.AppendUint32(b.words[i], word)
	}
}

// PutReasons sets the tests that the current course fails, by the names that GateReasonNames returns.
func (b *GateBuilder) PutReasons(names []string) error {
	failed := gate.Reason(0)
	for _, name := range names {
		bit := gate.ReasonNamed(name)
		if bit == 0 && name != unknownReason {
			return fmt.Errorf("reason %q is not known", name)
		}
		failed |= bit
	}
	b.Put(b.index(reasonColumn), uint32(failed))
	return nil
}

// index returns the index of a column, or -1.
func (b *GateBuilder) index(name string) int {
	return slices.IndexFunc(b.columns, func(c column.Column) bool { return c.Name == name })
}

// Batch returns the courses. maxGates is the number of gates that it stores per course, or 0 for that of the longest
// course. The column count of each course is the number of its gates. The memory of the batch must not exceed limit, in
// bytes.
func (b *GateBuilder) Batch(maxGates int, limit int64) (*gate.Batch, error) {
	if len(b.counts) == 0 {
		return nil, errors.New("holds no gate courses, expected at least 1")
	}
	longest := int(slices.Max(b.counts))
	if maxGates == 0 {
		maxGates = max(longest, 1)
	}
	shape := Shape{Envs: len(b.counts), NMax: maxGates}
	switch {
	case longest > maxGates:
		return nil, fmt.Errorf("course %d has %d gates, expected at most G_max (%d)",
			slices.Index(b.counts, int32(longest)), longest, maxGates)
	case shape.Envs > maxEnvs || maxGates > maxNMax:
		return nil, fmt.Errorf("holds %d courses of up to %d gates, expected at most %d courses of %d gates", shape.Envs,
			maxGates, maxEnvs, maxNMax)
	case shape.GateBytes() > limit:
		return nil, fmt.Errorf("%d courses of up to %d gates take %d bytes, expected at most %d", shape.Envs, maxGates,
			shape.GateBytes(), limit)
	}
	batch := &gate.Batch{Envs: shape.Envs, MaxGates: maxGates}
	for i, h := range gate.Schema.Host(&batch.HostColumns) {
		h.Resize(shape.Envs * h.Stride(maxGates))
		if h.Per == column.Env {
			h.SetWords(0, b.words[i], 1)
			continue
		}
		if want := b.gates * h.Components() * wordSize; len(b.words[i]) != want {
			return nil, fmt.Errorf("column %s has %d bytes for %d gates, expected %d", h.Name, len(b.words[i]), b.gates, want)
		}
		b.fill(h, b.words[i], maxGates)
	}
	copy(batch.Count, b.counts)
	for e, v := range batch.Valid {
		if v != 0 && v != 1 {
			return nil, fmt.Errorf("valid of course %d is %d, expected 0 or 1", e, v)
		}
	}
	return batch, nil
}

// fill copies the values of all gates to their rows, and fills the rest of the rows with NaN.
func (b *GateBuilder) fill(h column.Host, words []byte, maxGates int) {
	padding := make([]byte, 0, maxGates*h.Components()*wordSize)
	for range maxGates * h.Components() {
		padding = binary.LittleEndian.AppendUint32(padding, kernel.NaNBits)
	}
	size := h.Components() * wordSize
	for e, count := range b.counts {
		n := int(count) * size
		h.SetWords(e*maxGates, words[:n], h.Components())
		h.SetWords(e*maxGates+int(count), padding[n:], h.Components())
		words = words[n:]
	}
}

// gateComponents returns the names of the table columns of a column: position_x, position_y, position_z.
func gateComponents(c column.Column) []string {
	if c.Components() == 1 {
		return []string{c.Name}
	}
	var names []string
	for _, axis := range axisNames[:c.Components()] {
		names = append(names, c.Name+axis)
	}
	return names
}
