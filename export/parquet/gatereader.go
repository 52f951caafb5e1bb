package parquet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// A program that imports this package also reads the gate courses of Parquet files.
func init() {
	format := export.GateFormat{Magic: "PAR1", Holds: holdsGates, Read: readGates}
	if err := export.RegisterGateFormat("parquet", format); err != nil {
		panic(err)
	}
}

// open opens a file without its indexes. The library panics on some files that contradict their metadata; open returns
// an error for them.
func open(data io.ReaderAt, size int64) (file *parquet.File, err error) {
	defer recovered(&err)
	if err := checkFooter(data, size); err != nil {
		return nil, err
	}
	return parquet.OpenFile(data, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

// recovered turns a panic of the library into an error.
func recovered(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("the file is damaged: %v", reason)
	}
}

// holdsGates reports whether a file has the columns gate and position_x.
func holdsGates(data io.ReaderAt, size int64) bool {
	file, err := open(data, size)
	return err == nil && hasColumn(file, "gate") && hasColumn(file, "position_x")
}

func hasColumn(file *parquet.File, name string) bool {
	_, there := file.Schema().Lookup(name)
	return there
}

// gateRows adds the rows of a file to a builder.
type gateRows struct {
	builder   *export.GateBuilder
	fields    []gateField     // in the order of gateLeaves, which is that of the components of a vector
	values    []parquet.Value // of the current row, by column of the file
	env, gate int             // columns of the file
	seen      map[int32]bool  // envs of the courses so far
	current   int32           // env of the current course
	gates     int32           // of the current course, so far
}

// gateField is a column of a file that is read.
type gateField struct {
	leaf
	at     int           // column of the file
	column int           // index in GateBuilder.Columns
	first  parquet.Value // in the first row of the current course, for a column of one value per env
}

// readGates reads the gate courses of a file that NewGateEncoder wrote.
func readGates(data io.ReaderAt, size, limit int64) (batch *gate.Batch, metadata export.GateMetadata, err error) {
	defer recovered(&err)
	file, err := open(data, size)
	if err != nil {
		return nil, metadata, err
	}
	if err := checkPages(file, data, size); err != nil {
		return nil, metadata, err
	}
	r := &gateRows{builder: export.NewGateBuilder(), seen: map[int32]bool{}}
	if err := r.findColumns(file); err != nil {
		return nil, metadata, err
	}
	if most := limit / (export.Shape{Envs: 1, NMax: 1}).GateBytes(); file.NumRows() > most {
		return nil, metadata, fmt.Errorf("there are %d rows: at most %d can be read", file.NumRows(), most)
	}
	if text, there := file.Lookup(MetadataKey); there {
		if err := json.Unmarshal([]byte(text), &metadata); err != nil {
			return nil, metadata, fmt.Errorf("%s is not the JSON that describes a batch: %w", MetadataKey, err)
		}
	}
	if err := r.readAll(file); err != nil {
		return nil, metadata, err
	}
	maxGates := 0
	if text, there := file.Lookup(MaxGatesKey); there {
		const most = 1 << 16
		if maxGates, err = strconv.Atoi(text); err != nil || maxGates < 1 || maxGates > most {
			return nil, metadata, fmt.Errorf("%s is %.80q, expected a whole number from 1 to %d", MaxGatesKey, text, most)
		}
	}
	batch, err = r.builder.Batch(maxGates, limit)
	return batch, metadata, err
}

// readKinds are the types of the columns of gate courses, by kind.
var readKinds = [...]parquet.Kind{integer: parquet.Int32, flag: parquet.Boolean, text: parquet.ByteArray,
	number: parquet.Float}

// findColumns finds the columns of the data set in a file and checks their types.
func (r *gateRows) findColumns(file *parquet.File) error {
	r.values = make([]parquet.Value, len(file.Schema().Columns()))
	index := map[string]int{}
	for i, c := range r.builder.Columns() {
		index[c.Name] = i
	}
	table := export.GateTable(new(gate.Batch))
	for _, l := range gateLeaves {
		required := l.of < 0 || table[l.of].Absent == column.Never && l.name != countColumn
		found, there := file.Schema().Lookup(l.name)
		kind := readKinds[l.kind]
		switch {
		case !there && required:
			return fmt.Errorf("there is no column %s of type %v", l.name, kind)
		case !there:
			continue
		case found.MaxRepetitionLevel > 0 || found.Node.Type().Kind() != kind:
			return fmt.Errorf("column %s has the type %v, expected one %v in each row", l.name, found.Node.Type(), kind)
		}
		switch l.of {
		case ofEnv:
			r.env = found.ColumnIndex
		case ofGate:
			r.gate = found.ColumnIndex
		default:
			r.fields = append(r.fields, gateField{leaf: l, at: found.ColumnIndex, column: index[table[l.of].Name]})
		}
	}
	return nil
}

// readAll reads all rows.
func (r *gateRows) readAll(file *parquet.File) (err error) {
	if file.NumRows() == 0 {
		return nil // the library cannot read such a file
	}
	//nolint:staticcheck // the reader that replaces it needs a Go type for a row
	reader := parquet.NewReader(file)
	defer func() { err = errors.Join(err, reader.Close()) }()
	rows := make([]parquet.Row, 64)
	for number := 0; ; {
		n, err := reader.ReadRows(rows)
		for _, row := range rows[:n] {
			if err := r.add(row); err != nil {
				return fmt.Errorf("row %d: %w", number, err)
			}
			number++
		}
		switch {
		case errors.Is(err, io.EOF):
			return r.endCourse()
		case err != nil:
			return err
		}
	}
}

// add adds a row.
func (r *gateRows) add(row parquet.Row) error {
	for _, v := range row {
		if at := v.Column(); at >= 0 && at < len(r.values) {
			r.values[at] = v
		}
	}
	env, number := r.values[r.env], r.values[r.gate]
	if env.IsNull() || env.Int32() < 0 {
		return fmt.Errorf("column env is %s, expected a whole number >= 0", textOf(env))
	}
	isFirst := len(r.seen) == 0 || env.Int32() != r.current
	if isFirst {
		if err := r.begin(env.Int32()); err != nil {
			return err
		}
	}
	isGate := !number.IsNull()
	if isGate && number.Int32() != r.gates || !isGate && !isFirst {
		return fmt.Errorf("column gate is %s, expected %d, the number of the next gate of env %d", textOf(number), r.gates,
			r.current)
	}
	if isGate {
		r.builder.Gate()
		r.gates++
	}
	for i := range r.fields {
		if err := r.put(&r.fields[i], isFirst, isGate); err != nil {
			return err
		}
	}
	return nil
}

// begin begins the course of an env.
func (r *gateRows) begin(env int32) error {
	if r.seen[env] {
		return fmt.Errorf("column env is %d, which was there before: the rows of a course must be together", env)
	}
	if err := r.endCourse(); err != nil {
		return err
	}
	r.seen[env] = true
	r.current, r.gates = env, 0
	r.builder.Course()
	return nil
}

// put adds the value of a column in the current row. isFirst says that the row is the first one of its course, and
// isGate that it has a gate.
func (r *gateRows) put(field *gateField, isFirst, isGate bool) error {
	v := r.values[field.at]
	if r.builder.Columns()[field.column].Per != column.Env {
		switch {
		case !isGate:
		case v.IsNull():
			r.builder.Put(field.column, kernel.NaNBits)
		default:
			r.builder.Put(field.column, math.Float32bits(v.Float()))
		}
		return nil
	}
	switch {
	case v.IsNull():
		return fmt.Errorf("column %s is null, expected a value in each row", field.name)
	case !isFirst && !parquet.Equal(v, field.first):
		return fmt.Errorf("column %s is %.80q, but %.80q in the first row of env %d", field.name, v, field.first, r.current)
	case !isFirst:
		return nil
	}
	field.first = v.Clone()
	switch field.name {
	case reasonColumn:
		if v.String() == "" {
			return nil
		}
		if err := r.builder.PutReasons(strings.Split(v.String(), "|")); err != nil {
			return fmt.Errorf("column %s: %w", field.name, err)
		}
	case validColumn:
		if v.Boolean() {
			r.builder.Put(field.column, 1)
		}
	default:
		r.builder.Put(field.column, v.Uint32())
	}
	return nil
}

// textOf returns a value as messages show it.
func textOf(v parquet.Value) string {
	if v.IsNull() {
		return "null"
	}
	return v.String()
}

// endCourse checks the number of gates of the course that ends.
func (r *gateRows) endCourse() error {
	for _, field := range r.fields {
		if field.name == countColumn && len(r.seen) > 0 && field.first.Int32() != r.gates {
			return fmt.Errorf("column count is %v for env %d, which has %d rows with a gate", field.first, r.current, r.gates)
		}
	}
	return nil
}
