package circuit

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trackgen-go/trackgen/internal/npy"
)

// isTracksNPZ reports whether a file is a ZIP archive of NumPy arrays, by the name of its first entry.
func isTracksNPZ(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) && bytes.Contains(head[:min(len(head), 1<<10)], []byte(".npy"))
}

// array is a NumPy array in memory.
type array struct {
	npy.Header
	words []byte
}

// maxExpansion is the maximum ratio of the size of the arrays to the size of the archive, as in package export.
const maxExpansion = 32

// readTracksNPZ reads the tracks of an .npz file.
func readTracksNPZ(name string, data []byte, _ Options) ([]*File, error) {
	wrong := func(array string, format string, args ...any) *Error {
		return &Error{File: name, Name: "the array " + array, Value: fmt.Sprintf(format, args...),
			Want: "as in an .npz file of trackgen"}
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, &Error{File: name, Name: "the archive", Value: "wrong: " + err.Error(), Want: "a complete .npz file"}
	}
	arrays := map[string]*array{}
	room := int64(64<<20) + maxExpansion*int64(len(data))
	for _, f := range archive.File {
		is := strings.TrimSuffix(f.Name, ".npy")
		if !slices.Contains([]string{"center", "count", "valid", widthRight, widthLeft, nameColumn}, is) {
			continue
		}
		if room -= int64(min(f.UncompressedSize64, 1<<50)); room < 0 || arrays[is] != nil {
			return nil, wrong(is, "there twice, or too large for a file of %d bytes", len(data))
		}
		if arrays[is], err = readArray(f); err != nil {
			return nil, wrong(is, "wrong: %v", err)
		}
	}
	center, count := arrays["center"], arrays["count"]
	if center == nil || count == nil {
		return nil, wrong("center or count", "missing")
	}
	if len(center.Shape) != 3 || center.Descr != "<f4" || center.Shape[2] < 2 || center.Shape[2] > 3 {
		return nil, wrong("center", "of type %s and shape %v", quoted(center.Descr), center.Shape)
	}
	envs, stored := center.Shape[0], center.Shape[1]
	for _, want := range []struct {
		name, descr string
		shape       []int64
	}{
		{"count", "<i4", []int64{envs}}, {"valid", "<i4", []int64{envs}}, {widthRight, "<f4", []int64{envs, stored}},
		{widthLeft, "<f4", []int64{envs, stored}}, {nameColumn, "", []int64{envs}},
	} {
		a := arrays[want.name]
		if a != nil && (want.descr != "" && a.Descr != want.descr || !slices.Equal(a.Shape, want.shape)) {
			return nil, wrong(want.name, "of type %s and shape %v", quoted(a.Descr), a.Shape)
		}
	}
	all := &tracksOf{file: name}
	for e := range int(envs) {
		n := int64(count.integer(e))
		if n < 0 || n > stored {
			return nil, wrong("count", "%d for env %d, beyond 0 to %d", n, e, stored)
		}
		line := TrackLine{Env: strconv.Itoa(e), Name: arrays[nameColumn].text(e), Valid: true}
		if valid := arrays["valid"]; valid != nil {
			line.Valid = valid.integer(e) != 0
		}
		for i := range int(n) {
			at := (e*int(stored) + i) * int(center.Shape[2])
			line.X, line.Y = append(line.X, center.number(at)), append(line.Y, center.number(at+1))
			if center.Shape[2] == 3 {
				line.Z = append(line.Z, center.number(at+2))
			}
		}
		line.Right = arrays[widthRight].row(e, int(stored), int(n))
		line.Left = arrays[widthLeft].row(e, int(stored), int(n))
		if err := all.add(line); err != nil {
			return nil, err
		}
	}
	return all.circuits()
}

// readArray reads an array whose elements consist of 32-bit words.
func readArray(f *zip.File) (*array, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	header, size, err := npy.ReadHeader(r)
	if err != nil {
		return nil, err
	}
	words := int64(1)
	if text, isText := strings.CutPrefix(header.Descr, "<U"); isText {
		if words, err = strconv.ParseInt(text, 10, 32); err != nil || words < 0 {
			return nil, fmt.Errorf("its type is %s", quoted(header.Descr))
		}
	} else if header.Descr != "<f4" && header.Descr != "<i4" {
		return nil, fmt.Errorf("its type is %s", quoted(header.Descr))
	}
	const word = 4
	rest := int64(min(f.UncompressedSize64, 1<<50)) - size
	want := words * word
	for _, n := range header.Shape {
		if n > 0 && want > rest/n {
			return nil, fmt.Errorf("%d bytes of data do not hold its shape %v", rest, header.Shape)
		}
		want *= n
	}
	if header.Fortran && len(header.Shape) > 1 || want != rest {
		return nil, fmt.Errorf("%d bytes of data do not hold its shape %v in C order", rest, header.Shape)
	}
	a := &array{Header: header}
	if a.words, err = io.ReadAll(io.LimitReader(r, want)); err != nil {
		return nil, err
	}
	if int64(len(a.words)) != want {
		return nil, io.ErrUnexpectedEOF
	}
	return a, nil
}

func (a *array) integer(i int) int32 { return int32(binary.LittleEndian.Uint32(a.words[4*i:])) }

func (a *array) number(i int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(a.words[4*i:])))
}

// row returns the first n of the stored elements of row e, or nil if there is no array.
func (a *array) row(e, stored, n int) []float64 {
	if a == nil {
		return nil
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = a.number(e*stored + i)
	}
	return values
}

// text returns string e without trailing zeros, or "" if there is no array of strings.
func (a *array) text(e int) string {
	if a == nil || a.Shape[0] == 0 || !strings.HasPrefix(a.Descr, "<U") {
		return ""
	}
	var text []byte
	n := len(a.words) / int(a.Shape[0])
	for i := e * n; i < (e+1)*n; i += 4 {
		text = utf8.AppendRune(text, rune(binary.LittleEndian.Uint32(a.words[i:])))
	}
	return strings.TrimRight(string(text), "\x00")
}
