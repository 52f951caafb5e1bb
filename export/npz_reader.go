package export

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// ReadOption is an option of OpenNPZ and ReadNPZ.
type ReadOption func(*NPZReader)

// MaxBytes sets the maximum memory of one batch, in bytes. The default is the limit of MaxTotal.
func MaxBytes(n int64) ReadOption { return func(r *NPZReader) { r.maxBytes = n } }

// MaxTotal sets the maximum number of bytes in all arrays of the file. The sizes that the file declares are checked
// before anything is read. The default is 64 MiB plus 32 times the size of the file. Stored arrays never exceed it,
// while a small file of deflated arrays cannot exhaust the memory or take hours to read.
func MaxTotal(n int64) ReadOption { return func(r *NPZReader) { r.maxTotal = n } }

// Default limits of readers.
const (
	baseMaxTotal     = 64 << 20
	maxExpansion     = 32
	maxDeflate       = 1032 // maximum compression ratio of deflate
	maxEntries       = 1000 // of the archive, including entries that are not TrackGen's
	maxMetadataChars = 1 << 20
	maxCircuitChars  = 1 << 11 // additional per track: a description of its circuit with the file name
)

// defaultMaxTotal returns the default limit of MaxTotal for a file of the given size.
func defaultMaxTotal(size int64) int64 { return baseMaxTotal + maxExpansion*size }

// ReadNPZ reads all tracks of an .npz file that NewNPZWriter or another program wrote. Points may have two components;
// then z is zero. The arrays reason, seed, epoch and metadata may be missing; then they are zero. For a file with wrong
// contents ReadNPZ returns a *FormatError that names the file, the array, what was found and what was expected.
func ReadNPZ(path string, options ...ReadOption) (*track.Batch, Metadata, error) {
	r, err := OpenNPZ(path, options...)
	if err != nil {
		return nil, Metadata{}, err
	}
	defer func() { _ = r.Close() }()
	batch, err := r.Read(context.Background(), r.shape.Envs)
	if err != nil {
		return nil, Metadata{}, err
	}
	return batch, r.metadata, nil
}

// NPZReader reads the tracks of an .npz file in chunks; OpenNPZ returns one. It must not be used by several goroutines
// at the same time.
type NPZReader struct {
	path     string
	source   io.ReaderAt
	size     int64 // of the file
	closer   io.Closer
	shape    Shape
	metadata Metadata
	gates    *GateMetadata   // of gate courses; nil for tracks
	names    []string        // of all envs; nil if none has one
	arrays   []column.Column // of a batch of this file
	columns  []npzColumn     // parallel to arrays
	next     int             // first env of the next chunk
	maxTotal int64           // maximum bytes of all arrays
	maxBytes int64           // maximum bytes of one batch; 0: maxTotal
	err      error           // first error of Read
}

// npzColumn is one array of the file, read from front to back. It is the zero value if the file lacks the array.
type npzColumn struct {
	data       io.ReadCloser
	header     npy.Header
	components int
}

// OpenNPZ opens a file and checks everything except the elements, as described at ReadNPZ. The caller must call Close.
func OpenNPZ(path string, options ...ReadOption) (*NPZReader, error) {
	return openNPZ(path, nil, options)
}

// openNPZ opens a file of tracks or, if gates is not nil, of gate courses, whose metadata it stores there.
func openNPZ(path string, gates *GateMetadata, options []ReadOption) (*NPZReader, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	options = append([]ReadOption{func(r *NPZReader) { r.gates = gates }}, options...)
	r, err := newNPZReader(path, file, size, options)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	r.closer = file
	return r, nil
}

// newNPZReader reads an archive of the given size. path is its name in error messages.
func newNPZReader(path string, source io.ReaderAt, size int64, options []ReadOption) (*NPZReader, error) {
	r := &NPZReader{path: path, source: source, size: size, maxTotal: defaultMaxTotal(size)}
	for _, option := range options {
		option(r)
	}
	if r.maxBytes == 0 {
		r.maxBytes = r.maxTotal
	}
	if err := r.open(); err != nil {
		r.closeColumns()
		return nil, err
	}
	return r, nil
}

// Shape returns the shape of the whole batch.
func (r *NPZReader) Shape() Shape { return r.shape }

// Metadata returns how the tracks were made. It is the zero value if the file does not contain it.
func (r *NPZReader) Metadata() Metadata { return r.metadata }

// Names returns the names of all tracks by env, or nil if the file has none. Circuits in files of earlier versions have
// the names of their files.
func (r *NPZReader) Names() []string { return slices.Clone(r.names) }

// Close closes the file.
func (r *NPZReader) Close() error {
	r.closeColumns()
	return r.closer.Close()
}

func (r *NPZReader) closeColumns() {
	for i := range r.columns {
		if r.columns[i].data != nil {
			_ = r.columns[i].data.Close()
		}
	}
}

// Read returns the next tracks, at most n, and io.EOF after the last one. After an error, including cancellation, every
// further call returns that error, because the arrays may no longer be at the same env.
func (r *NPZReader) Read(ctx context.Context, n int) (*track.Batch, error) {
	if r.err != nil {
		return nil, r.err
	}
	batch, err := r.read(ctx, n)
	r.err = err
	return batch, err
}

func (r *NPZReader) read(ctx context.Context, n int) (*track.Batch, error) {
	n, err := r.chunk(n, "tracks", "points")
	if err != nil {
		return nil, err
	}
	batch := &track.Batch{Envs: n, NMax: r.shape.NMax}
	if r.names != nil {
		batch.Names = slices.Clone(r.names[r.next : r.next+n])
	}
	if err := r.fill(ctx, n, track.Schema.Host(&batch.HostColumns)); err != nil {
		return nil, err
	}
	if err := r.checkValues(batch.Count, batch.Valid, "points", "N_max"); err != nil {
		return nil, err
	}
	r.next += n
	return batch, nil
}

// chunk returns how many envs the next chunk has, at most n, and io.EOF if none is left. Messages say what an env and
// its elements are.
func (r *NPZReader) chunk(n int, envs, elements string) (int, error) {
	if n < 1 {
		return 0, fmt.Errorf("export: %d %s to read: must be at least 1", n, envs)
	}
	if n = min(n, r.shape.Envs-r.next); n == 0 {
		return 0, io.EOF
	}
	if perEnv := bytesPerEnv(r.arrays, r.shape.NMax); int64(n) > r.maxBytes/perEnv {
		return 0, r.fail("", fmt.Errorf("%d %s of %d %s take %d bytes each, expected at most %d bytes in all",
			n, envs, r.shape.NMax, elements, perEnv, r.maxBytes))
	}
	return n, nil
}

// fill reads the next n envs into the columns of a batch that the file has.
func (r *NPZReader) fill(ctx context.Context, n int, columns []column.Host) error {
	for _, c := range columns {
		i := slices.IndexFunc(r.arrays, func(a column.Column) bool { return a.Name == c.Name })
		if i < 0 {
			continue
		}
		c.Resize(n * c.Stride(r.shape.NMax))
		if r.columns[i].data == nil {
			continue
		}
		if err := r.readColumn(ctx, i, c, r.next+n == r.shape.Envs); err != nil {
			return r.fail(c.Name, err)
		}
	}
	return nil
}

// readColumn fills c from array i of the file. For the last chunk it also checks that no data follow the last element.
func (r *NPZReader) readColumn(ctx context.Context, i int, c column.Host, last bool) error {
	from := &r.columns[i]
	stride := from.components * wordSize
	step := spoolPiece / stride
	piece := make([]byte, min(step, c.Len())*stride)
	for lo := 0; lo < c.Len(); lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := piece[:min(step, c.Len()-lo)*stride]
		if err := npy.ReadFull(from.data, part); err != nil {
			return fmt.Errorf("reading the elements: %w", err)
		}
		c.SetWords(lo, part, from.components)
	}
	if !last {
		return nil
	}
	return expectEnd(from.data)
}

// expectEnd reads up to the end of the data, where archive/zip verifies the checksum.
func expectEnd(data io.Reader) error {
	_, err := io.ReadFull(data, make([]byte, 1))
	switch {
	case err == nil:
		return errors.New("holds more data than its shape needs")
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("reading the elements: %w", err)
	}
	return nil
}

// checkValues returns an error for values of the next chunk that no batch has and that could cause accesses out of
// range.
func (r *NPZReader) checkValues(counts, valid []int32, elements, most string) error {
	for e, count := range counts {
		if count < 0 || int(count) > r.shape.NMax {
			return r.fail("count", fmt.Errorf("env %d has %d %s, expected 0 to %s (%d)", r.next+e, count, elements, most,
				r.shape.NMax))
		}
		if v := valid[e]; v != 0 && v != 1 {
			return r.fail("valid", fmt.Errorf("env %d has %d, expected 0 or 1", r.next+e, v))
		}
	}
	return nil
}

func (r *NPZReader) fail(array string, err error) error {
	return &FormatError{File: r.path, Array: array, Err: err}
}

// open reads the directory of the archive and the headers of the arrays.
func (r *NPZReader) open() error {
	files, err := r.directory()
	if err != nil {
		return err
	}
	if err := r.checkCourse(files); err != nil {
		return err
	}
	schema := track.Schema.Columns()
	if r.gates != nil {
		schema = gate.Schema.Columns()
	}
	for _, c := range schema {
		if c.Absent != column.Unknown || files[c.Name] != nil {
			r.arrays = append(r.arrays, c)
		}
	}
	r.columns = make([]npzColumn, len(r.arrays))
	if err := r.checkSizes(files); err != nil {
		return err
	}
	for i, c := range r.arrays {
		f := files[c.Name]
		if f == nil {
			if c.Absent != column.Never {
				continue
			}
			return r.fail(c.Name, errors.New("is missing, expected "+expected(c, r.shape)))
		}
		if err := r.openColumn(i, f); err != nil {
			return r.fail(c.Name, err)
		}
	}
	if f := files[metadataName]; f != nil {
		if err := r.readMetadata(f); err != nil {
			return r.fail(metadataName, err)
		}
	}
	if f := files[nameColumn]; f != nil {
		if err := r.readNames(f); err != nil {
			return r.fail(nameColumn, err)
		}
	} else if made := r.metadata.Import; made != nil && len(made.Circuits) == r.shape.Envs {
		r.names = made.names()
	}
	return nil
}

// ErrGateCourses is the cause of the error for a file of gate courses where tracks are expected.
var ErrGateCourses = errors.New("holds gate courses, expected tracks: trackgen plot, stats and export, " +
	"export.OpenGates and NumPy read gate courses")

// checkCourse returns an error for a file of gate courses where tracks are expected, or the other way round, and for a
// file of height fields.
func (r *NPZReader) checkCourse(files map[string]*zip.File) error {
	holdsGates := files["center"] == nil && files["position"] != nil && files["orientation"] != nil
	holdsTracks := files["center"] != nil && files["position"] == nil
	holdsHeights := files["center"] == nil && files["position"] == nil && files["resolution"] != nil
	switch {
	case holdsHeights && files["height"] != nil && files["lo"] != nil:
		return r.fail("", errors.New("holds height fields of trackgen terrain, expected tracks or gate courses: "+
			"NumPy reads height fields"))
	case holdsGates && r.gates == nil:
		return r.fail("", ErrGateCourses)
	case holdsTracks && r.gates != nil:
		return r.fail("", errors.New("holds tracks, expected gate courses"))
	}
	return nil
}

// directory returns the entries of the archive by array name.
func (r *NPZReader) directory() (map[string]*zip.File, error) {
	archive, err := zip.NewReader(r.source, r.size)
	if err != nil {
		return nil, r.fail("", fmt.Errorf("not a complete .npz file, such as trackgen generate and import write: %w", err))
	}
	if n := len(archive.File); n > maxEntries {
		return nil, r.fail("", fmt.Errorf("holds %d arrays, expected at most %d", n, maxEntries))
	}
	files := map[string]*zip.File{}
	for _, f := range archive.File {
		if !filepath.IsLocal(f.Name) || strings.ContainsAny(f.Name, "\\:") {
			return nil, r.fail("", fmt.Errorf("entry %q has a path for a name, expected the name of an array", npy.Clip(f.Name)))
		}
		name := strings.TrimSuffix(f.Name, npySuffix)
		if files[name] != nil {
			return nil, r.fail(npy.Clip(name), errors.New("is there twice"))
		}
		files[name] = f
	}
	return files, nil
}

// checkSizes checks the sizes that the archive declares against the size of the file before it reads any array, because
// the declared sizes determine how much memory and time the reader needs.
func (r *NPZReader) checkSizes(files map[string]*zip.File) error {
	type extent struct {
		name       string
		start, end int64 // in the file
	}
	var extents []extent
	total := int64(0)
	names := []string{metadataName, nameColumn}
	for i := range r.arrays {
		names = append(names, r.arrays[i].Name)
	}
	for _, name := range names {
		f := files[name]
		if f == nil {
			continue
		}
		offset, err := f.DataOffset()
		if err == nil {
			err = checkSize(f, r.size-offset)
		}
		if err != nil {
			return r.fail(name, err)
		}
		extents = append(extents, extent{name, offset, offset + int64(f.CompressedSize64)})
		const enough = 1 << 56 // above every limit, yet small enough that the sum of all arrays fits in an int64
		total += int64(min(f.UncompressedSize64, enough))
	}
	if total > r.maxTotal {
		return r.fail("", fmt.Errorf("its arrays hold %d bytes, expected at most %d for a file of %d bytes",
			total, r.maxTotal, r.size))
	}
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(extents); i++ {
		if before := extents[i-1]; extents[i].start < before.end {
			return r.fail(extents[i].name, fmt.Errorf("shares bytes of the file with array %q", before.name))
		}
	}
	return nil
}

// checkSize checks the size of one array. room is the number of bytes from its start to the end of the file.
func checkSize(f *zip.File, room int64) error {
	if there := uint64(max(0, room)); f.CompressedSize64 > there {
		return fmt.Errorf("is said to take %d bytes of the file, of which only %d are there", f.CompressedSize64, there)
	}
	expansion := uint64(1)
	if f.Method != zip.Store {
		expansion = maxDeflate
	}
	if f.UncompressedSize64/expansion > f.CompressedSize64 {
		return fmt.Errorf("is said to hold %d bytes, which %d bytes of the file cannot",
			f.UncompressedSize64, f.CompressedSize64)
	}
	return nil
}

// expected describes the type and shape that the array of a column must have.
func expected(c column.Column, s Shape) string {
	axes := []string{"E"}
	if s.Envs > 0 {
		axes[0] = strconv.Itoa(s.Envs)
	}
	switch {
	case c.Per != column.Env && s.NMax > 0:
		axes = append(axes, strconv.Itoa(s.NMax))
	case c.Per == column.Point:
		axes = append(axes, "N_max")
	case c.Per == column.Gate:
		axes = append(axes, "G_max")
	}
	switch c.Type {
	case kernel.TypeVec3:
		axes = append(axes, "2 or 3")
	case kernel.TypeQuat:
		axes = append(axes, "4")
	}
	kind := "float32"
	if c.Type == kernel.Int32 {
		kind = "int32"
	}
	return fmt.Sprintf("%s (%s) of shape [%s]", kind, descrOf(c), strings.Join(axes, ", "))
}

// openColumn opens one array and checks its header. The first array determines the shape of the batch.
func (r *NPZReader) openColumn(i int, f *zip.File) error {
	a := r.arrays[i]
	data, header, rest, err := r.openArray(f)
	if err != nil {
		return err
	}
	r.columns[i] = npzColumn{data: data, header: header, components: 1}
	switch {
	case header.Descr != descrOf(a):
		return fmt.Errorf("has elements of type %q, expected %s", npy.Clip(header.Descr), expected(a, r.shape))
	case header.Fortran && len(header.Shape) > 1:
		return errors.New("is in Fortran order, expected C order (the last axis varies fastest)")
	}
	wrongShape := fmt.Errorf("has shape %v, expected %s", header.Shape, expected(a, r.shape))
	if len(header.Shape) != len(axes(a, r.shape)) {
		return wrongShape
	}
	if a.Components() > 1 {
		components := header.Shape[len(header.Shape)-1]
		if components != int64(a.Components()) && (a.Type != kernel.TypeVec3 || components != 2) {
			return wrongShape
		}
		r.columns[i].components = int(components)
	}
	if r.shape == (Shape{}) {
		envs, nMax := header.Shape[0], header.Shape[1]
		// Refuse numbers greater than the entry can hold, so that the products below cannot overflow.
		if envs < 1 || nMax < 1 || envs > rest || nMax > rest || envs > rest/nMax {
			return fmt.Errorf("has shape %v, which its %d bytes of data cannot hold; expected %s", header.Shape, rest,
				expected(a, r.shape))
		}
		r.shape = Shape{Envs: int(envs), NMax: int(nMax)}
		if err := r.shape.check(); err != nil {
			return err
		}
	}
	if header.Shape[0] != int64(r.shape.Envs) || a.Per != column.Env && header.Shape[1] != int64(r.shape.NMax) {
		return wrongShape
	}
	if want := elements(a, r.shape) * int64(r.columns[i].components*wordSize); rest != want {
		return fmt.Errorf("holds %d bytes of data, expected %d for shape %v", rest, want, header.Shape)
	}
	return nil
}

// openArray opens an array of the archive, reads its header, and returns the number of bytes that follow, as the
// archive declares it.
func (r *NPZReader) openArray(f *zip.File) (io.ReadCloser, npy.Header, int64, error) {
	data, err := f.Open()
	if err != nil {
		return nil, npy.Header{}, 0, err
	}
	header, size, err := npy.ReadHeader(data)
	if err != nil {
		_ = data.Close()
		return nil, npy.Header{}, 0, err
	}
	return data, header, int64(f.UncompressedSize64) - size, nil
}

// textLength returns the number of characters of each text of an array, as its type says it. isText reports whether it
// is an array of texts.
func textLength(header npy.Header) (n int64, isText bool) {
	chars, isText := strings.CutPrefix(header.Descr, "<U")
	n, err := strconv.ParseInt(chars, 10, 32)
	return n, isText && err == nil
}

func (r *NPZReader) readMetadata(f *zip.File) error {
	data, header, rest, err := r.openArray(f)
	if err != nil {
		return err
	}
	defer func() { _ = data.Close() }()
	n, isText := textLength(header)
	if !isText || len(header.Shape) != 0 {
		return fmt.Errorf("has type %q and shape %v, expected one text (<U) of shape []", npy.Clip(header.Descr),
			header.Shape)
	}
	most := maxMetadataChars + maxCircuitChars*int64(r.shape.Envs)
	if n < 0 || n > most || 4*n != rest {
		return fmt.Errorf("is a text of %d characters in %d bytes of data, expected 4 bytes each and at most %d characters",
			n, rest, most)
	}
	words := make([]byte, rest)
	if err := npy.ReadFull(data, words); err != nil {
		return fmt.Errorf("reading the text: %w", err)
	}
	if err := expectEnd(data); err != nil {
		return err
	}
	text, err := decodeText(words)
	if err != nil {
		return err
	}
	var into json.Unmarshaler = &r.metadata
	if r.gates != nil {
		into = r.gates
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("is not the JSON that describes a batch: %w", err)
	}
	return nil
}
