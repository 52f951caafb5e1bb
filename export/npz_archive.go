package export

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/track"
)

// NPZOption is an option of NewNPZWriter and NewNPZ.
type NPZOption func(*npzArchive)

// Compressed deflates the arrays, which shrinks padding most. The default stores them, as np.savez does: stored arrays
// load many times faster, can be mapped or read in part, and their bytes do not depend on the version of a compression
// library. A batch that consists almost entirely of padding is stored even with
// Compressed, because readers refuse a small file that inflates too much (MaxTotal).
func Compressed() NPZOption { return func(w *npzArchive) { w.method = zip.Deflate } }

// Tight stores as many points per track as the longest track of the batch has, instead of the N_max of its shape. It
// leaves out only padding, so readers find the same tracks. Two such files may have arrays of different shapes.
func Tight() NPZOption { return func(w *npzArchive) { w.tight = true } }

// npzArchive collects the chunks of a batch and writes the archive. Each array must be contiguous in the archive, but
// every chunk contains a part of each array. So the chunks go to a spool, in which each array has its own range.
type npzArchive struct {
	sequence
	spool    spool
	columns  []column.Host // of the first chunk, which determines the arrays of the file
	entries  []npzEntry    // parallel to columns
	names    []string      // of the envs so far; nil if none has a name
	metadata npzEntry
	method   uint16
	tight    bool
	longest  int   // most points of a track so far
	stream64 int64 // entries of at least this many bytes are written with a data descriptor
	buffer   []byte
}

// spool keeps the elements of the arrays until all chunks have been added.
type spool interface {
	io.ReaderAt
	io.WriterAt
}

// npzEntry is one entry of the archive.
type npzEntry struct {
	name   string
	header []byte // of the array
	offset int64  // of the elements in the spool
	size   int64  // of the elements, in bytes
	filled int64  // bytes of elements written so far to the spool
	row    int64  // bytes of a track in the spool
	keep   int64  // leading bytes of the row that the archive holds
	crc    uint32 // of the header and the elements written so far
	data   []byte // elements, if they are not in the spool
}

// newNPZArchive starts an archive without a spool.
func newNPZArchive(shape Shape, metadata json.Marshaler, options []NPZOption) (*npzArchive, error) {
	sequence, err := newSequence(shape)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		return nil, err
	}
	w := &npzArchive{sequence: sequence, method: zip.Store, stream64: math.MaxUint32}
	for _, option := range options {
		option(w)
	}
	if err := w.extra.check(); err != nil {
		return nil, err
	}
	header, words := encodeText(text)
	w.metadata = newTextEntry(metadataName, header, words)
	return w, nil
}

// begin determines the arrays of the file.
func (w *npzArchive) begin(columns []column.Host) {
	w.columns = columns
	offset := int64(0)
	for _, c := range columns {
		entry := newColumnEntry(c.Column, w.shape)
		entry.offset, entry.row = offset, entry.keep
		offset += entry.size
		w.entries = append(w.entries, entry)
	}
}

// newColumnEntry returns the entry of a column in a file of the given shape, which keeps whole rows.
func newColumnEntry(c column.Column, shape Shape) npzEntry {
	entry := newNPZEntry(c.Name, npy.Header{Descr: descrOf(c), Shape: axes(c, shape)})
	entry.size = elements(c, shape) * c.Type.Size()
	entry.keep = entry.size / int64(shape.Envs)
	return entry
}

func newNPZEntry(name string, header npy.Header) npzEntry {
	text := header.Encode()
	return npzEntry{name: name + npySuffix, header: text, crc: crc32.ChecksumIEEE(text)}
}

// newTextEntry returns an entry whose elements are in memory.
func newTextEntry(name string, header npy.Header, words []byte) npzEntry {
	entry := newNPZEntry(name, header)
	entry.data, entry.size = words, int64(len(words))
	entry.crc = crc32.Update(entry.crc, crc32.IEEETable, words)
	return entry
}

// addNames keeps the names of a chunk.
func (w *npzArchive) addNames(chunk *track.Batch) {
	if chunk.Names == nil && w.names == nil {
		return
	}
	if w.names == nil {
		w.names = make([]string, w.next-chunk.Envs) // of the chunks before
	}
	for e := range chunk.Envs {
		w.names = append(w.names, chunk.Name(e))
	}
}

// texts returns the entries that are not columns.
func (w *npzArchive) texts() []*npzEntry {
	if w.names == nil {
		return []*npzEntry{&w.metadata}
	}
	descr, words := encodeNames(w.names)
	names := newTextEntry(nameColumn, npy.Header{Descr: descr, Shape: []int64{int64(len(w.names))}}, words)
	return []*npzEntry{&names, &w.metadata}
}

// spoolPiece is the number of bytes encoded and written at a time.
const spoolPiece = 1 << 20

// add adds the tracks of a chunk.
func (w *npzArchive) add(ctx context.Context, chunk *track.Batch) error {
	if _, err := w.take(chunk); err != nil {
		return err
	}
	if chunk.Envs == 0 {
		return nil
	}
	w.addNames(chunk)
	extra, err := w.extra.Of(ctx, chunk)
	if err != nil {
		return err
	}
	columns := append(written(track.Schema.Host(&chunk.HostColumns)), extra...)
	return w.store(ctx, columns, ShapeOf(chunk), chunk.Count)
}

// store adds the columns of a chunk with their counts of points or gates.
func (w *npzArchive) store(ctx context.Context, columns []column.Host, shape Shape, counts []int32) error {
	if w.columns == nil {
		w.begin(columns)
	}
	if err := sameColumns(w.columns, columns); err != nil {
		return err
	}
	for _, count := range counts {
		w.longest = max(w.longest, int(count))
	}
	for i, c := range columns {
		entry := &w.entries[i]
		step := spoolPiece / int(c.Type.Size())
		n := int(elements(c.Column, shape))
		for lo := 0; lo < n; lo += step {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.buffer = c.AppendWords(w.buffer[:0], lo, min(lo+step, n))
			if _, err := w.spool.WriteAt(w.buffer, entry.offset+entry.filled); err != nil {
				return err
			}
			entry.filled += int64(len(w.buffer))
			entry.crc = crc32.Update(entry.crc, crc32.IEEETable, w.buffer)
		}
	}
	return nil
}

// complete ends the batch, of which all chunks must have been added.
func (w *npzArchive) complete(ctx context.Context) error {
	if err := w.finish(); err != nil || !w.tight {
		return err
	}
	return w.cut(ctx)
}

// cut shortens the arrays with an element per point to the longest track. Their headers and checksums change, so it
// reads their elements once more.
func (w *npzArchive) cut(ctx context.Context) error {
	cut := Shape{Envs: w.shape.Envs, NMax: max(1, w.longest)}
	for i, c := range w.columns {
		if c.Per == column.Env || cut == w.shape {
			continue
		}
		old := w.entries[i]
		entry := newColumnEntry(c.Column, cut)
		entry.offset, entry.filled, entry.row = old.offset, old.filled, old.row
		err := w.eachPiece(ctx, &entry, func(piece []byte) error {
			entry.crc = crc32.Update(entry.crc, crc32.IEEETable, piece)
			return nil
		})
		if err != nil {
			return err
		}
		w.entries[i] = entry
	}
	return nil
}

// readable reports whether OpenNPZ accepts an archive of the given size.
func (w *npzArchive) readable(size int64) bool {
	total := int64(0)
	for _, entry := range w.texts() {
		total += entry.total()
	}
	for i := range w.entries {
		total += w.entries[i].total()
	}
	return total <= defaultMaxTotal(size)
}

// total returns the size of the entry before compression, in bytes.
func (e *npzEntry) total() int64 { return int64(len(e.header)) + e.size }

// assemble writes the archive.
func (w *npzArchive) assemble(ctx context.Context, to io.Writer) error {
	out := bufio.NewWriterSize(to, spoolPiece)
	archive := zip.NewWriter(out)
	for i := range w.entries {
		if err := w.assembleEntry(ctx, archive, &w.entries[i]); err != nil {
			return err
		}
	}
	for _, entry := range w.texts() {
		if err := w.assembleEntry(ctx, archive, entry); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return out.Flush()
}

func (w *npzArchive) assembleEntry(ctx context.Context, archive *zip.Writer, entry *npzEntry) error {
	out, err := w.createEntry(archive, entry)
	if err != nil {
		return err
	}
	if _, err := out.Write(entry.header); err != nil {
		return err
	}
	if _, err := out.Write(entry.data); err != nil {
		return err
	}
	return w.eachPiece(ctx, entry, func(piece []byte) error {
		_, err := out.Write(piece)
		return err
	})
}

// eachPiece calls take with the spooled elements of an entry that the archive holds, in pieces and in order.
func (w *npzArchive) eachPiece(ctx context.Context, entry *npzEntry, take func([]byte) error) error {
	rows := max(1, spoolPiece/max(1, entry.row)) // of a piece
	for at := int64(0); at < entry.filled; at += rows * entry.row {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := min(rows*entry.row, entry.filled-at)
		w.buffer = slices.Grow(w.buffer[:0], int(size))[:size]
		if _, err := w.spool.ReadAt(w.buffer, entry.offset+at); err != nil {
			return err
		}
		kept := w.buffer
		if entry.keep < entry.row {
			kept = kept[:0]
			for row := int64(0); row < size; row += entry.row {
				kept = append(kept, w.buffer[row:row+entry.keep]...) // moves towards the front, in place
			}
		}
		if err := take(kept); err != nil {
			return err
		}
	}
	return nil
}

// createEntry starts an entry. The size and checksum of a stored entry are known in advance, and some readers expect
// them before the data. archive/zip cannot write sizes of 4 GiB and more there; those follow the data, as for deflated
// entries.
func (w *npzArchive) createEntry(archive *zip.Writer, entry *npzEntry) (io.Writer, error) {
	const (
		firstDate = 1<<5 | 1 // 1 January 1980, in the format of MS-DOS
		version20 = 20       // of the zip format
	)
	size := entry.total()
	//nolint:staticcheck // Modified, its replacement, adds a field to some entries, and CreateRaw ignores it.
	file := zip.FileHeader{Name: entry.name, Method: w.method, ModifiedDate: firstDate}
	if w.method != zip.Store || size >= w.stream64 {
		return archive.CreateHeader(&file)
	}
	file.CreatorVersion, file.ReaderVersion = version20, version20
	file.CRC32, file.CompressedSize64, file.UncompressedSize64 = entry.crc, uint64(size), uint64(size)
	return archive.CreateRaw(&file)
}
