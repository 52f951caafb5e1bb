package export

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/track"
)

// rawEntry is one entry of a malicious archive.
type rawEntry struct {
	name string
	data []byte
	lies *zip.FileHeader // written unchanged, even if it contradicts the data
}

// smallEntries returns the entries of a correct file with 2 envs of 3 points.
func smallEntries(t testing.TB) []rawEntry {
	t.Helper()
	b := newBatch(2, 3)
	setTrack(b, 0, 3, 0.1, circle(1))
	path := writeNPZ(t, b, []int{2})
	archive, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer archive.Close()
	var entries []rawEntry
	for _, f := range archive.File {
		r, err := f.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		entries = append(entries, rawEntry{name: f.Name, data: data})
	}
	return entries
}

func pack(t testing.TB, entries []rawEntry, method uint16) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, entry := range entries {
		var w io.Writer
		var err error
		if entry.lies != nil {
			w, err = archive.CreateRaw(entry.lies)
		} else {
			w, err = archive.CreateHeader(&zip.FileHeader{Name: entry.name, Method: method})
		}
		require.NoError(t, err)
		_, err = w.Write(entry.data)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	return out.Bytes()
}

// array returns the bytes of a .npy file. Its elements are size zero bytes.
func array(header npy.Header, size int) []byte { return append(header.Encode(), make([]byte, size)...) }

func readBytes(data []byte, options ...ReadOption) error {
	r, err := newNPZReader("bad.npz", bytes.NewReader(data), int64(len(data)), options)
	if err != nil {
		return err
	}
	defer r.closeColumns()
	_, err = r.Read(context.Background(), r.shape.Envs)
	return err
}

func TestReadNPZRefusesWrongArrays(t *testing.T) {
	f32 := func(shape ...int64) npy.Header { return npy.Header{Descr: "<f4", Shape: shape} }
	i32 := func(shape ...int64) npy.Header { return npy.Header{Descr: "<i4", Shape: shape} }
	text := func(text string) []byte {
		header, words := encodeText([]byte(text))
		return append(header.Encode(), words...)
	}
	for _, c := range []struct {
		array string
		data  []byte // nil: the array is left out
		want  string
	}{
		{"center", nil, `is missing, expected float32 (<f4) of shape [2, 3, 2 or 3]`},
		{"outer", nil, `is missing, expected float32 (<f4) of shape [E, N_max, 2 or 3]`},
		{"count", nil, `is missing, expected int32 (<i4) of shape [2]`},
		{"outer", array(npy.Header{Descr: "<f8", Shape: []int64{2, 3, 3}}, 144),
			`has elements of type "<f8", expected float32 (<f4)`},
		{"inner", array(npy.Header{Descr: ">f4", Shape: []int64{2, 3, 3}}, 72),
			`has elements of type ">f4", expected float32 (<f4) of shape [2, 3, 2 or 3]`},
		{"inner", array(npy.Header{Descr: "|O", Shape: []int64{2, 3, 3}}, 72), `has elements of type "|O"`},
		{"inner", array(npy.Header{Descr: "<f4", Fortran: true, Shape: []int64{2, 3, 3}}, 72),
			"is in Fortran order, expected C order"},
		{"valid", array(npy.Header{Descr: "|b1", Shape: []int64{2}}, 2),
			`has elements of type "|b1", expected int32 (<i4) of shape [2]`},
		{"inner", array(f32(3, 2, 3), 72), "has shape [3 2 3], expected float32 (<f4) of shape [2, 3, 2 or 3]"},
		{"inner", array(f32(2, 3, 4), 96), "has shape [2 3 4], expected"},
		{"inner", array(f32(6, 3), 72), "has shape [6 3], expected"},
		{"inner", array(f32(), 4), "has shape [], expected"},
		{"length", array(f32(2, 1), 8), "has shape [2 1], expected float32 (<f4) of shape [2]"},
		{"length", array(f32(3), 12), "has shape [3], expected"},
		{"reason", array(i32(3), 12), "has shape [3], expected"},
		{"outer", array(f32(0, 3, 3), 0), "cannot hold"},
		{"outer", array(f32(2, 0, 3), 0), "cannot hold"},
		{"outer", array(f32(1<<40, 1<<40, 3), 72),
			"has shape [1099511627776 1099511627776 3], which its 72 bytes of data cannot hold"},
		{"outer", array(f32(1<<62, 4, 3), 72), "cannot hold"},
		{"outer", array(f32(1<<32+2, 3, 3), 72), "cannot hold"},
		{"outer", array(f32(2, 3, 3), 71), "holds 71 bytes of data, expected 72"},
		{"outer", array(f32(2, 3, 3), 76), "holds 76 bytes of data, expected 72"},
		{"outer", array(f32(2, 3, 2), 72), "holds 72 bytes of data, expected 48"},
		{"outer", []byte("PK\x03\x04 not an array"), "does not start as a NumPy array"},
		{"outer", []byte(npy.Magic), "reading the array header: unexpected EOF"},
		{"outer", []byte(npy.Magic + "\x01\x00\xff\xff{"), "reading the array header: unexpected EOF"},
		{"outer", []byte(npy.Magic + "\x02\x00\xff\xff\xff\xff{"),
			"array header of 4294967295 bytes, expected at most 65536"},
		{"outer", []byte(npy.Magic + "\x09\x00\x01\x00{"), "format version 9, expected 1, 2 or 3"},
		{"count", append(i32(2).Encode(), 3, 0, 0, 0, 4, 0, 0, 0), "env 1 has 4 points, expected 0 to N_max (3)"},
		{"count", append(i32(2).Encode(), 255, 255, 255, 255, 0, 0, 0, 0), "env 0 has -1 points"},
		{"valid", append(i32(2).Encode(), 1, 0, 0, 0, 2, 0, 0, 0), "env 1 has 2, expected 0 or 1"},
		{"metadata", array(i32(2), 8), `has type "<i4" and shape [2], expected one text (<U) of shape []`},
		{"metadata", array(npy.Header{Descr: "<U9", Shape: []int64{2}}, 72), "expected one text"},
		{"metadata", array(npy.Header{Descr: "<U-9"}, 36), "is a text of -9 characters"},
		{"metadata", array(npy.Header{Descr: "<U9"}, 40), "is a text of 9 characters in 40 bytes"},
		{"metadata", array(npy.Header{Descr: "<U99999999999"}, 40), "expected one text"},
		{"metadata", append(npy.Header{Descr: "<U1"}.Encode(), 0, 0xd8, 0, 0), "character 0 is 0xd800, which is not Unicode"},
		{"metadata", text("hello"), "is not the JSON that describes a batch"},
		{"metadata", text(`{"format": 2}`), "format is 2, expected 1"},
		{"metadata", text(`{"format": 1, "config": {"road": {"half_width": "wide"}}}`),
			"config: road.half_width is wide: must be"},
		{"metadata", text(`{"format": 1, "config": {"bezier": {"scale_range": [1, 2, 3]}}}`),
			"bezier.scale_range: found [1, 2, 3], expected"},
	} {
		entries := smallEntries(t)
		i := slices.IndexFunc(entries, func(e rawEntry) bool { return e.name == c.array+npySuffix })
		if c.data == nil {
			entries = slices.Delete(entries, i, i+1)
		} else {
			entries[i].data = c.data
		}
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			err := readBytes(pack(t, entries, method))
			require.ErrorContains(t, err, fmt.Sprintf(`"bad.npz": array %q: `, c.array))
			require.ErrorContains(t, err, c.want)
			var format *FormatError
			require.ErrorAs(t, err, &format)
			require.Equal(t, c.array, format.Array)
		}
	}
}

func TestReadNPZWithoutOptionalArrays(t *testing.T) {
	entries := slices.DeleteFunc(smallEntries(t), func(e rawEntry) bool {
		return slices.Contains([]string{"reason.npy", "seed.npy", "epoch.npy", "metadata.npy"}, e.name)
	})
	require.NoError(t, readBytes(pack(t, entries, zip.Store)))
}

func TestReadNPZRefusesPathsAndDoubles(t *testing.T) {
	for _, name := range []string{"../outer.npy", "/outer.npy", `C:\outer.npy`, `a\b`, "a/../../b", ""} {
		entries := append(smallEntries(t), rawEntry{name: name})
		require.ErrorContains(t, readBytes(pack(t, entries, zip.Store)), "has a path for a name", name)
	}
	entries := smallEntries(t)
	require.ErrorContains(t, readBytes(pack(t, append(entries, entries[2]), zip.Store)), `array "inner": is there twice`)
	require.NoError(t, readBytes(pack(t, append(entries, rawEntry{name: "folder/other.npy"}), zip.Store)),
		"arrays of others are left alone")
}

func TestReadNPZRefusesEveryTruncation(t *testing.T) {
	data := pack(t, smallEntries(t), zip.Store)
	require.NoError(t, readBytes(data))
	for n := range len(data) {
		var format *FormatError
		require.ErrorAs(t, readBytes(data[:n]), &format, "%d of %d bytes", n, len(data))
	}
}

func TestReadNPZFindsDamage(t *testing.T) {
	data := readFile(t, writeNPZ(t, sampleBatch(), []int{7}))
	data[5000] ^= 0x10 // inside the points of outer
	err := readBytes(data)
	require.ErrorIs(t, err, zip.ErrChecksum)
	require.ErrorContains(t, err, `array "outer"`)
}

// TestReadNPZBelievesTheFileNotItsHeaders checks that a small file cannot make the reader allocate much memory.
func TestReadNPZBelievesTheFileNotItsHeaders(t *testing.T) {
	const huge = 1 << 33
	header := npy.Header{Descr: "<f4", Shape: []int64{1 << 20, 1 << 13 / 12, 3}}.Encode()
	size := uint64(1<<20*(1<<13/12)*12 + len(header))
	for name, c := range map[string]struct {
		lies *zip.FileHeader
		want string
	}{
		"stored": {&zip.FileHeader{Method: zip.Store, CompressedSize64: size, UncompressedSize64: size},
			"is said to take"},
		"stored short": {&zip.FileHeader{Method: zip.Store, CompressedSize64: uint64(len(header)), UncompressedSize64: size},
			"which 128 bytes of the file cannot"},
		"deflated": {&zip.FileHeader{Method: zip.Deflate, CompressedSize64: uint64(len(header)),
			UncompressedSize64: size}, "which 128 bytes of the file cannot"},
		"unknown": {&zip.FileHeader{Method: 99, CompressedSize64: uint64(len(header)),
			UncompressedSize64: uint64(len(header))}, "unsupported compression algorithm"},
		"absurd": {&zip.FileHeader{Method: zip.Deflate, CompressedSize64: 1 << 62, UncompressedSize64: 1<<64 - 1},
			"is said to take"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := smallEntries(t)
			c.lies.Name, c.lies.CRC32 = "outer.npy", crc32.ChecksumIEEE(header)
			entries[0] = rawEntry{name: "outer.npy", data: header, lies: c.lies}
			data := pack(t, entries, zip.Store)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := readBytes(data)
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, c.want)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(huge>>10), "bytes allocated")
		})
	}
}

func TestReadNPZLimitsExpansion(t *testing.T) {
	b := newBatch(8, 4096)
	for i := range b.Arclen {
		b.Arclen[i] = 0
	}
	path := writeNPZ(t, b, []int{8}, Compressed())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(32<<10), "an archive that expands sixty-fold")
	_, _, err = ReadNPZ(path)
	require.NoError(t, err, "small altogether")
	_, _, err = ReadNPZ(path, MaxBytes(1<<20))
	require.ErrorContains(t, err, "8 tracks of 4096 points take 262180 bytes each, expected at most 1048576 bytes in all")

	r, err := OpenNPZ(path, MaxBytes(1<<20))
	require.NoError(t, err)
	defer r.Close()
	for range 4 {
		chunk, err := r.Read(context.Background(), 2)
		require.NoError(t, err)
		require.Equal(t, 2, chunk.Envs)
	}
	_, err = r.Read(context.Background(), 2)
	require.ErrorIs(t, err, io.EOF)
}

// countedReader counts the bytes read from a file.
type countedReader struct {
	io.ReaderAt
	read int64
}

func (c *countedReader) ReadAt(p []byte, offset int64) (int, error) {
	c.read += int64(len(p))
	return c.ReaderAt.ReadAt(p, offset)
}

// bomb returns a file of zeros of the given shape, deflated to about a thousandth of its size, and the size of its
// arrays.
func bomb(t *testing.T, shape Shape) (data []byte, size int64) {
	t.Helper()
	entries := smallEntries(t)
	for i := range entries {
		for _, a := range track.Schema.Columns() {
			if entries[i].name != a.Name+npySuffix {
				continue
			}
			header := npy.Header{Descr: descrOf(a), Shape: axes(a, shape)}.Encode()
			entries[i].data = append(header, make([]byte, elements(a, shape)*a.Type.Size())...)
		}
	}
	for _, entry := range entries {
		size += int64(len(entry.data))
	}
	return pack(t, entries, zip.Deflate), size
}

func TestReadNPZRefusesBombsBeforeReadingThem(t *testing.T) {
	data, size := bomb(t, Shape{Envs: 3500, NMax: 384})
	require.Less(t, len(data), 200<<10)
	source := &countedReader{ReaderAt: bytes.NewReader(data)}
	_, err := newNPZReader("bad.npz", source, int64(len(data)), nil)
	want := fmt.Sprintf(`"bad.npz": its arrays hold %d bytes, expected at most %d for a file of %d bytes`,
		size, 64<<20+32*len(data), len(data))
	require.EqualError(t, err, want)
	require.Less(t, source.read, int64(32<<10), "the directory, and the start of each array")

	require.NoError(t, readBytes(data, MaxTotal(size)))
	require.ErrorContains(t, readBytes(data, MaxTotal(size-1)),
		fmt.Sprintf("its arrays hold %d bytes, expected at most %d", size, size-1))
}

func TestReadNPZRefusesSharedBytes(t *testing.T) {
	data := pack(t, smallEntries(t), zip.Store)
	// The directory at the end of the file holds the offset of each entry in the four bytes before its name.
	place := func(name string) []byte {
		at := bytes.LastIndex(data, []byte(name))
		return data[at-4 : at]
	}
	copy(place("center.npy"), place("outer.npy"))
	require.EqualError(t, readBytes(data), `"bad.npz": array "center": shares bytes of the file with array "outer"`)
}

func TestReadNPZRefusesManyEntries(t *testing.T) {
	entries := smallEntries(t)
	for i := range maxEntries - len(entries) {
		entries = append(entries, rawEntry{name: fmt.Sprintf("other-%d.npy", i)})
	}
	require.NoError(t, readBytes(pack(t, entries, zip.Store)))
	entries = append(entries, rawEntry{name: "one-more.npy"})
	require.ErrorContains(t, readBytes(pack(t, entries, zip.Store)), "holds 1001 arrays, expected at most 1000")
}

func TestReadNPZLimitsTheShape(t *testing.T) {
	largest, _ := bomb(t, Shape{Envs: 1, NMax: 65536})
	larger, _ := bomb(t, Shape{Envs: 1, NMax: 65537})
	require.NoError(t, readBytes(largest))
	require.ErrorContains(t, readBytes(larger),
		`array "outer": export: N_max is 65537: must be 1 to 65536`)
	most, _ := track.FieldNamed("output.max_points")
	require.Contains(t, most.Allowed(), "<= 65536")
	most, _ = track.FieldNamed("num_envs")
	require.Contains(t, most.Allowed(), fmt.Sprint("<= ", maxEnvs))
}

// TestReadNPZOfManyCircuits reads metadata that grow with the number of tracks, like those of imported circuits.
func TestReadNPZOfManyCircuits(t *testing.T) {
	b := newBatch(8000, 1)
	m := Metadata{Import: &Import{Circuits: make([]ImportedCircuit, b.Envs)}}
	for e := range m.Import.Circuits {
		m.Import.Circuits[e].File = strings.Repeat("<", 255) // each becomes six characters in JSON
	}
	path := filepath.Join(t.TempDir(), "circuits.npz")
	w, err := NewNPZWriter(path, ShapeOf(b), m)
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), b))
	require.NoError(t, w.Commit(t.Context()))
	_, read, err := ReadNPZ(path)
	require.NoError(t, err)
	require.Equal(t, m.Import.Circuits, read.Import.Circuits)
	one := smallEntries(t)
	header, words := encodeText(append([]byte(`{"format": 1}`), make([]byte, maxMetadataChars+2*maxCircuitChars)...))
	one[len(one)-1].data = append(header.Encode(), words...)
	require.ErrorContains(t, readBytes(pack(t, one, zip.Store)), "expected 4 bytes each and at most 1052672 characters")
}

// TestReadNPZReadsNoMoreThanDeclared reads entries that inflate to more or to less than the archive declares.
func TestReadNPZReadsNoMoreThanDeclared(t *testing.T) {
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, flate.BestCompression)
	require.NoError(t, err)
	header := npy.Header{Descr: "<f4", Shape: []int64{2, 3, 3}}.Encode()
	_, err = w.Write(append(header, make([]byte, 64<<20)...))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for said, want := range map[uint64]string{
		uint64(len(header)) + 72: "zip: not a valid zip file",
		64 << 20:                 "holds 67108736 bytes of data, expected 72 for shape [2 3 3]",
	} {
		entries := smallEntries(t)
		entries[0].data = deflated.Bytes()
		entries[0].lies = &zip.FileHeader{Name: "outer.npy", Method: zip.Deflate,
			CompressedSize64: uint64(deflated.Len()), UncompressedSize64: said}
		data := pack(t, entries, zip.Store)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.ErrorContains(t, readBytes(data), want)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "bytes allocated")
	}
}

func TestCompressedPaddingIsStoredWhereReadersRefuseIt(t *testing.T) {
	b := newBatch(20, 65536)
	for e := range b.Envs {
		setTrack(b, e, 8, 0.1, circle(1))
	}
	path := writeNPZ(t, b, []int{b.Envs}, Compressed())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(80<<20), "stored")
	_, _, err = ReadNPZ(path)
	require.NoError(t, err)
}

func TestReadNPZOfWhatIsNoFile(t *testing.T) {
	folder := t.TempDir()
	_, _, err := ReadNPZ(filepath.Join(folder, "none.npz"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "none.npz")
	_, _, err = ReadNPZ(folder)
	require.ErrorContains(t, err, "is not a regular file")
	for _, text := range []string{"", "PK", strings.Repeat("env,point\n", 100)} {
		path := filepath.Join(folder, "text.npz")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, _, err = ReadNPZ(path)
		require.ErrorIs(t, err, zip.ErrFormat)
		require.ErrorContains(t, err, "text.npz\": not a complete .npz file")
	}
}

func TestReadNPZStopsWhenCancelled(t *testing.T) {
	r, err := OpenNPZ(writeNPZ(t, sampleBatch(), []int{7}))
	require.NoError(t, err)
	defer r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = r.Read(ctx, 7)
	require.ErrorIs(t, err, context.Canceled)
	_, err = r.Read(context.Background(), 7)
	require.ErrorIs(t, err, context.Canceled, "the error stays")

	r, err = OpenNPZ(r.path)
	require.NoError(t, err)
	defer r.Close()
	_, err = r.Read(context.Background(), 0)
	require.ErrorContains(t, err, "0 tracks to read: must be at least 1")
}

func FuzzReadNPZ(f *testing.F) {
	f.Add(pack(f, smallEntries(f), zip.Store))
	f.Add(pack(f, smallEntries(f)[:3], zip.Deflate))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := readBytes(data, MaxBytes(1<<20))
		var format *FormatError
		require.True(t, err == nil || errors.As(err, &format), "%v", err)
	})
}

// FuzzNPZArray puts an array of arbitrary bytes into an otherwise correct archive with correct checksums.
func FuzzNPZArray(f *testing.F) {
	entries := smallEntries(f)
	for i, entry := range entries {
		f.Add(uint8(i), entry.data, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte, deflate bool) {
		method := zip.Store
		if deflate {
			method = zip.Deflate
		}
		attacked := slices.Clone(entries)
		attacked[int(which)%len(attacked)].data = data
		err := readBytes(pack(t, attacked, method), MaxBytes(1<<20))
		var format *FormatError
		require.True(t, err == nil || errors.As(err, &format), "%v", err)
	})
}

func FuzzMetadata(f *testing.F) {
	text, err := json.Marshal(sampleMetadata())
	require.NoError(f, err)
	f.Add(string(text))
	f.Add(`{"format": 1, "config": {"bezier": {"edginess": 1e400}, "output": {"max_points": 12.0}, "relax": {"enabled": false}, "later": {}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var first, second Metadata
		if json.Unmarshal([]byte(text), &first) != nil {
			return
		}
		again, err := json.Marshal(first)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(again, &second))
		third, err := json.Marshal(second)
		require.NoError(t, err)
		require.Equal(t, string(again), string(third))
	})
}
