package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/x448/float16"

	"github.com/trackgen-go/trackgen/circuit"
)

// A program that imports this package also reads the circuits of Parquet files.
func init() {
	if err := circuit.RegisterFormat("parquet", "PAR1", readTracks); err != nil {
		panic(err)
	}
}

// trackRow has the columns that a circuit is made of, with numbers of the precision of the file.
type trackRow[N float] struct {
	Env        int32   `parquet:"env"`
	Name       *string `parquet:"name,optional"`
	Valid      bool    `parquet:"valid"`
	CenterX    []N     `parquet:"center_x,optional,list"`
	CenterY    []N     `parquet:"center_y,optional,list"`
	CenterZ    []N     `parquet:"center_z,optional,list"`
	WidthRight []N     `parquet:"width_right,optional,list"`
	WidthLeft  []N     `parquet:"width_left,optional,list"`
}

// float is the type of a number in a file: a float, or the bytes of a float16, little-endian.
type float interface{ float32 | [halfBytes]byte }

const (
	maxRows      = 1 << 16
	maxExpansion = 32 // largest uncompressed size of the columns, relative to the size of the file
)

// readTracks reads the tracks of a Parquet file that Create wrote. The library panics on some files that contradict
// their metadata; readTracks returns an error for them.
func readTracks(data []byte) (lines []circuit.TrackLine, err error) {
	defer recovered(&err)
	file, err := open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if err := checkFile(file); err != nil {
		return nil, err
	}
	if err := checkPages(file, bytes.NewReader(data), int64(len(data))); err != nil {
		return nil, err
	}
	if element, there := file.Schema().Lookup("center_x", "list", "element"); there &&
		element.Node.Type().Kind() == parquet.FixedLenByteArray && element.Node.Type().Length() == halfBytes {
		return readRows[[halfBytes]byte](file)
	}
	return readRows[float32](file)
}

// readRows reads the rows of a file whose numbers of points have the type N.
func readRows[N float](file *parquet.File) (lines []circuit.TrackLine, err error) {
	reader := parquet.NewGenericReader[trackRow[N]](file)
	defer func() { err = errors.Join(err, reader.Close()) }()
	for {
		rows := make([]trackRow[N], 1)
		n, err := reader.Read(rows)
		for _, row := range rows[:n] {
			lines = append(lines, row.line())
		}
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// checkFile refuses a file without the columns of a circuit, and one with too many rows.
func checkFile(file *parquet.File) error {
	if hasColumn(file, "gate") {
		return errors.New("it holds gate courses, not tracks")
	}
	for _, name := range []string{"env", "valid", "center_x", "center_y"} {
		if !slices.ContainsFunc(file.Schema().Columns(), func(path []string) bool { return path[0] == name }) {
			return fmt.Errorf("there is no column %s", name)
		}
	}
	if n := file.NumRows(); n > maxRows {
		return fmt.Errorf("there are %d rows: at most %d can be read", n, maxRows)
	}
	return nil
}

// line returns the row as the centreline of a track.
func (r trackRow[N]) line() circuit.TrackLine {
	line := circuit.TrackLine{Env: strconv.Itoa(int(r.Env)), Valid: r.Valid, X: wide(r.CenterX), Y: wide(r.CenterY),
		Z: wide(r.CenterZ), Right: wide(r.WidthRight), Left: wide(r.WidthLeft)}
	if r.Name != nil {
		line.Name = *r.Name
	}
	return line
}

// wide returns values as float64, or nil if there are none.
func wide[N float](values []N) []float64 {
	if len(values) == 0 {
		return nil
	}
	list := make([]float64, len(values))
	for i, v := range values {
		switch v := any(v).(type) {
		case float32:
			list[i] = float64(v)
		case [halfBytes]byte:
			list[i] = float64(float16.Frombits(binary.LittleEndian.Uint16(v[:])).Float32())
		}
	}
	return list
}
