package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/registry"
)

// GateReader reads the gate courses of a file in chunks. It must not be used by several goroutines at the same time.
type GateReader interface {
	// Shape returns the shape of the whole batch.
	Shape() Shape
	// Metadata returns how the courses were made. It is the zero value if the file does not contain it.
	Metadata() GateMetadata
	// Read returns the next courses, at most n, and io.EOF after the last one.
	Read(ctx context.Context, n int) (*gate.Batch, error)
	// Close closes the file.
	Close() error
}

// GateFormat is a format of files of gate courses that another package reads, such as export/parquet.
type GateFormat struct {
	Magic string // the first bytes of every file of the format
	// Holds reports whether a file of the format holds gate courses.
	Holds func(file io.ReaderAt, size int64) bool
	// Read reads the courses of a file. The memory of the batch must not exceed limit, in bytes.
	Read func(file io.ReaderAt, size, limit int64) (*gate.Batch, GateMetadata, error)
}

var gateFormats = registry.New[GateFormat]("format of gate courses")

// RegisterGateFormat adds a format of files to OpenGates and HoldsGates, as circuit.RegisterFormat does for circuits.
// The error is a *backend.ArgumentError if the name is invalid or registered already, or a field of the format is not
// set.
func RegisterGateFormat(name string, format GateFormat) error {
	if format.Magic == "" || format.Holds == nil || format.Read == nil {
		return &backend.ArgumentError{Op: "export: register format of gate courses", Argument: "format", Value: name,
			Allowed: "a format with Magic, Holds and Read"}
	}
	return gateFormats.Register(name, format)
}

// formatOf returns the registered format of a file that begins with head.
func formatOf(head []byte) (GateFormat, bool) {
	for _, name := range gateFormats.Names() {
		if format, known := gateFormats.Lookup(name); known && bytes.HasPrefix(head, []byte(format.Magic)) {
			return format, true
		}
	}
	return GateFormat{}, false
}

const (
	gateHead    = 64 << 10  // bytes at the start of a file that say what it is
	maxGateFile = 256 << 20 // size of a file of gate courses that is not an .npz file
	zipMagic    = "PK\x03\x04"
	npzEnd      = "PK\x05\x06" // an archive without entries
	byteOrder   = "\xef\xbb\xbf"
)

// HoldsGates reports whether a file holds gate courses, so that OpenGates reads it, unless it is damaged. The contents
// decide, not the name.
func HoldsGates(path string) bool {
	file, size, err := openRegular(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	head := headOf(file)
	if bytes.HasPrefix(head, []byte(zipMagic)) {
		r := &NPZReader{path: path, source: file, size: size}
		entries, err := r.directory()
		return err == nil && errors.Is(r.checkCourse(entries), ErrGateCourses)
	}
	if format, known := formatOf(head); known {
		return format.Holds(file, size)
	}
	return isGatesJSON(head) || isGatesCSV(head)
}

// OpenGates opens a file of gate courses: an .npz file (OpenGateNPZ), JSON as NewCoursesJSON writes it, CSV as
// NewGatesCSV writes it, or a registered format. The contents decide, not the name. Only an .npz file is read in
// chunks; all other files are read at once, and have at most 256 MiB. For a file with wrong contents it returns a
// *FormatError. The caller must call Close.
func OpenGates(path string, options ...ReadOption) (GateReader, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	head := headOf(file)
	format, known := formatOf(head)
	wrong := func(err error) error { return &FormatError{File: path, Err: err} }
	switch {
	case bytes.HasPrefix(head, []byte(zipMagic)) || bytes.HasPrefix(head, []byte(npzEnd)):
		return OpenGateNPZ(path, options...)
	case size > maxGateFile:
		return nil, wrong(fmt.Errorf("has %d bytes, expected at most %d for a file of gate courses that is not an .npz file",
			size, maxGateFile))
	case known && !format.Holds(file, size):
		return nil, wrong(errors.New("holds no gate courses: there are no columns gate and position_x"))
	case known:
	case isGatesJSON(head):
		format.Read = readGatesJSON
	case isGatesCSV(head):
		format.Read = readGatesCSV
	default:
		return nil, wrong(errors.New("not a file of gate courses: expected .npz, .json, .csv or .parquet as trackgen " +
			"generate --course gates writes them"))
	}
	limits := NPZReader{maxTotal: defaultMaxTotal(size)}
	for _, option := range options {
		option(&limits)
	}
	if limits.maxBytes == 0 {
		limits.maxBytes = limits.maxTotal
	}
	batch, metadata, err := format.Read(file, size, limits.maxBytes)
	if err != nil {
		return nil, wrong(err)
	}
	return &gatesInMemory{batch: batch, metadata: metadata}, nil
}

// openRegular opens a regular file and returns its size.
func openRegular(path string) (*os.File, int64, error) {
	// This check comes before the file is opened, because opening a pipe blocks.
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, fmt.Errorf("reading %q: %w", path, reason(err))
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("reading %q: it is not a regular file (%s)", path, info.Mode().Type())
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("reading %q: %w", path, reason(err))
	}
	return file, info.Size(), nil
}

// headOf returns the start of a file without a byte order mark.
func headOf(file io.ReaderAt) []byte {
	head := make([]byte, gateHead)
	n, _ := file.ReadAt(head, 0) // after an error the part that was read decides
	return bytes.TrimPrefix(head[:n], []byte(byteOrder))
}

// gatesInMemory reads a batch in host memory in chunks.
type gatesInMemory struct {
	batch    *gate.Batch
	metadata GateMetadata
	next     int
}

// Shape implements GateReader.
func (g *gatesInMemory) Shape() Shape { return GateShapeOf(g.batch) }

// Metadata implements GateReader.
func (g *gatesInMemory) Metadata() GateMetadata { return g.metadata }

// Close implements GateReader.
func (g *gatesInMemory) Close() error { return nil }

// Read implements GateReader.
func (g *gatesInMemory) Read(ctx context.Context, n int) (*gate.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, fmt.Errorf("export: %d courses to read: must be at least 1", n)
	}
	if n = min(n, g.batch.Envs-g.next); n == 0 {
		return nil, io.EOF
	}
	envs := make([]int, n)
	for i := range envs {
		envs[i] = g.next + i
	}
	chunk := new(gate.Batch)
	if err := chunk.Append(g.batch, envs...); err != nil {
		return nil, err
	}
	g.next += n
	return chunk, nil
}
