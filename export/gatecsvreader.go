package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/kernel"
)

// Columns of a table of gates that are no columns of a batch.
const (
	envColumn  = "env"
	gateColumn = "gate"
)

// isGatesCSV reports whether the first line of a file has the columns env and gate.
func isGatesCSV(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	names := strings.Split(strings.TrimSpace(string(line)), ",")
	return slices.Contains(names, envColumn) && slices.Contains(names, gateColumn)
}

// gateTableReader reads the rows of a table as NewGatesCSV writes it.
type gateTableReader struct {
	rows    *csv.Reader
	builder *GateBuilder
	at      map[string]int // column of the table by its name
	row     []string
	env     string          // of the current course
	seen    map[string]bool // envs of the courses so far
}

// readGatesCSV reads a table of gates. The rows of a course are together, its gates in order. Further columns are
// ignored; a course without gates has no rows.
func readGatesCSV(file io.ReaderAt, size, limit int64) (*gate.Batch, GateMetadata, error) {
	var metadata GateMetadata
	r := &gateTableReader{rows: csv.NewReader(withoutMark(file, size)), builder: NewGateBuilder(), seen: map[string]bool{}}
	r.rows.ReuseRecord = true
	if err := r.readHeader(); err != nil {
		return nil, metadata, err
	}
	for {
		var err error
		if r.row, err = r.rows.Read(); errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, metadata, fmt.Errorf("not valid CSV: %w", err)
		}
		if err := r.readRow(); err != nil {
			line, _ := r.rows.FieldPos(0)
			return nil, metadata, fmt.Errorf("line %d: %w", line, err)
		}
	}
	batch, err := r.builder.Batch(0, limit)
	return batch, metadata, err
}

// withoutMark reads a file from its beginning, but for a byte order mark.
func withoutMark(file io.ReaderAt, size int64) io.Reader {
	mark := make([]byte, len(byteOrder))
	if n, _ := file.ReadAt(mark, 0); string(mark[:n]) == byteOrder {
		return io.NewSectionReader(file, int64(n), size-int64(n))
	}
	return io.NewSectionReader(file, 0, size)
}

// readHeader reads the names of the columns and checks that all are there.
func (r *gateTableReader) readHeader() error {
	header, err := r.rows.Read()
	if err != nil {
		return fmt.Errorf("not valid CSV: %w", err)
	}
	r.at = make(map[string]int, len(header))
	for i, name := range header {
		if _, twice := r.at[name]; twice {
			return fmt.Errorf("column %q is there twice", npy.Clip(name))
		}
		r.at[name] = i
	}
	for _, c := range r.builder.Columns() {
		if c.Per == column.Env && c.Name != "valid" {
			continue
		}
		for _, name := range gateComponents(c) {
			if _, there := r.at[name]; !there {
				return fmt.Errorf("there is no column %s: %s, expected in every file of gates", name, c.Doc)
			}
		}
	}
	return nil
}

// readRow adds the gate of a row.
func (r *gateTableReader) readRow() error {
	b := r.builder
	env := r.row[r.at[envColumn]]
	if env != r.env || len(b.counts) == 0 {
		if _, err := strconv.ParseUint(env, 10, 31); err != nil {
			return fmt.Errorf("column %s is %q, expected a whole number >= 0", envColumn, npy.Clip(env))
		}
		r.env = strings.Clone(env)
		if r.seen[r.env] {
			return fmt.Errorf("column %s is %s, which was there before: the rows of a course must be together", envColumn, env)
		}
		r.seen[r.env] = true
		b.Course()
	}
	if want, is := strconv.Itoa(int(b.counts[len(b.counts)-1])), r.row[r.at[gateColumn]]; is != want {
		return fmt.Errorf("column %s is %q, expected %s, the number of the next gate of env %s", gateColumn, npy.Clip(is),
			want, r.env)
	}
	valid := r.row[r.at["valid"]]
	if valid != "0" && valid != "1" {
		return fmt.Errorf("column valid is %q, expected 0 or 1", npy.Clip(valid))
	}
	b.Put(b.index("valid"), uint32(valid[0]-'0'))
	b.Gate()
	for i, c := range b.Columns() {
		if c.Per == column.Env {
			continue
		}
		for _, name := range gateComponents(c) {
			word, err := parseWord(r.row[r.at[name]])
			if err != nil {
				return fmt.Errorf("column %s %w", name, err)
			}
			b.Put(i, word)
		}
	}
	return nil
}

// parseWord returns the bits of a number, as NewGatesCSV writes it.
func parseWord(text string) (uint32, error) {
	v, err := strconv.ParseFloat(text, 32)
	switch {
	case err != nil:
		return 0, fmt.Errorf("is %q, expected a number that a float32 can hold, or NaN, +Inf or -Inf", npy.Clip(text))
	case v != v:
		return kernel.NaNBits, nil
	}
	return math.Float32bits(float32(v)), nil
}
