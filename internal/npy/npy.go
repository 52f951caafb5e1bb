// Package npy reads and writes the headers of NumPy arrays.
package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The .npy format (NumPy enhancement proposal 1) is a magic string, a version, the length of the header, the header,
// and the elements. The header is a Python dictionary with the element type, the storage order and the shape. TrackGen
// has its own reader because the files are untrusted: codeberg.org/sbinet/npyio v0.14 slices headers without
// checking bounds, allocates as much as a header declares, and cannot write an array in pieces.

// Header is the header of an array.
type Header struct {
	Descr   string  // element type: "<f4"
	Fortran bool    // the first axis varies fastest
	Shape   []int64 // no negative numbers; empty for a single value
}

// Magic is the start of every array.
const Magic = "\x93NUMPY"

const (
	alignment = 64      // of the elements, relative to the start of the header
	maxHeader = 1 << 16 // bytes; headers of plain arrays are 128 bytes long
	maxAxes   = 32      // as in NumPy 1
)

// Encode returns the header in version 1.0, which every reader supports.
func (h Header) Encode() []byte {
	var axes strings.Builder
	for _, n := range h.Shape {
		fmt.Fprintf(&axes, "%d, ", n)
	}
	shape := strings.TrimSuffix(axes.String(), " ")
	if len(h.Shape) != 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	order := "False"
	if h.Fortran {
		order = "True"
	}
	dictionary := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", h.Descr, order, shape)

	const prefix = len(Magic) + 2 + 2
	padded := (prefix + len(dictionary) + 1 + alignment - 1) / alignment * alignment
	out := append(make([]byte, 0, padded), Magic...)
	out = append(out, 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(padded-prefix))
	out = append(out, dictionary...)
	out = append(out, bytes.Repeat([]byte(" "), padded-1-len(out))...)
	return append(out, '\n')
}

// ReadHeader reads a header and returns its size in bytes.
func ReadHeader(r io.Reader) (Header, int64, error) {
	var fixed [len(Magic) + 2 + 4]byte
	prefix := fixed[:len(Magic)+2]
	if err := ReadFull(r, prefix); err != nil {
		return Header{}, 0, fmt.Errorf("reading the array header: %w", err)
	}
	if string(prefix[:len(Magic)]) != Magic {
		return Header{}, 0, fmt.Errorf("does not start as a NumPy array: %q, expected %q", prefix[:len(Magic)],
			Magic)
	}
	lengthBytes := 4
	switch major := prefix[len(Magic)]; major {
	case 1:
		lengthBytes = 2
	case 2, 3:
	default:
		return Header{}, 0, fmt.Errorf("NumPy array format version %d, expected 1, 2 or 3", major)
	}
	lengthField := fixed[len(prefix) : len(prefix)+lengthBytes]
	if err := ReadFull(r, lengthField); err != nil {
		return Header{}, 0, fmt.Errorf("reading the array header: %w", err)
	}
	var length uint32
	for i, b := range lengthField {
		length |= uint32(b) << (8 * i)
	}
	if length > maxHeader {
		return Header{}, 0, fmt.Errorf("array header of %d bytes, expected at most %d", length, maxHeader)
	}
	text := make([]byte, length)
	if err := ReadFull(r, text); err != nil {
		return Header{}, 0, fmt.Errorf("reading the array header: %w", err)
	}
	header, err := parseDictionary(string(text))
	if err != nil {
		return Header{}, 0, fmt.Errorf("array header: %w", err)
	}
	return header, int64(len(prefix)+lengthBytes) + int64(length), nil
}

// ReadFull is io.ReadFull, but returns io.ErrUnexpectedEOF for every premature end.
func ReadFull(r io.Reader, p []byte) error {
	_, err := io.ReadFull(r, p)
	if errors.Is(err, io.EOF) && len(p) > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseDictionary parses {'descr': 'text', 'fortran_order': bool, 'shape': (integers)}. Each of the three keys must
// occur exactly once; their order does not matter.
func parseDictionary(text string) (Header, error) {
	var header Header
	s := scanner{rest: text}
	seen := map[string]bool{}
	if err := s.expect("{"); err != nil {
		return Header{}, err
	}
	for !s.accept("}") {
		key, err := s.quoted()
		if err != nil {
			return Header{}, err
		}
		if seen[key] {
			return Header{}, fmt.Errorf("key %q twice", key)
		}
		seen[key] = true
		if err := s.expect(":"); err != nil {
			return Header{}, err
		}
		switch key {
		case "descr":
			header.Descr, err = s.quoted()
		case "fortran_order":
			header.Fortran, err = s.boolean()
		case "shape":
			header.Shape, err = s.integers()
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return Header{}, err
		}
		if !s.accept(",") {
			if err := s.expect("}"); err != nil {
				return Header{}, err
			}
			break
		}
	}
	if s.skipSpace(); s.rest != "" {
		return Header{}, fmt.Errorf("%q after the dictionary", Clip(s.rest))
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return Header{}, fmt.Errorf("key %q is missing", key)
		}
	}
	return header, nil
}

// scanner reads tokens of Python literals from the front of a string.
type scanner struct{ rest string }

func (s *scanner) skipSpace() { s.rest = strings.TrimLeft(s.rest, " \t\r\n") }

func (s *scanner) accept(token string) bool {
	s.skipSpace()
	rest, found := strings.CutPrefix(s.rest, token)
	s.rest = rest
	return found
}

func (s *scanner) expect(token string) error {
	if !s.accept(token) {
		return fmt.Errorf("found %q, expected %q", Clip(s.rest), token)
	}
	return nil
}

// quoted reads a string literal without escapes.
func (s *scanner) quoted() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if s.accept(quote) {
			text, rest, found := strings.Cut(s.rest, quote)
			if !found || strings.ContainsAny(text, "\\\n") {
				return "", fmt.Errorf("string %q does not end, or holds an escape", Clip(s.rest))
			}
			s.rest = rest
			return text, nil
		}
	}
	return "", fmt.Errorf("found %q, expected a string (arrays of records are not read)", Clip(s.rest))
}

func (s *scanner) boolean() (bool, error) {
	if s.accept("True") {
		return true, nil
	}
	if s.accept("False") {
		return false, nil
	}
	return false, fmt.Errorf("found %q, expected True or False", Clip(s.rest))
}

// integers reads a tuple of whole numbers.
func (s *scanner) integers() ([]int64, error) {
	if err := s.expect("("); err != nil {
		return nil, err
	}
	var numbers []int64
	for !s.accept(")") {
		s.skipSpace()
		digits := len(s.rest) - len(strings.TrimLeft(s.rest, "0123456789"))
		n, err := strconv.ParseInt(s.rest[:digits], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("found %q, expected a whole number of the shape", Clip(s.rest))
		}
		if numbers = append(numbers, n); len(numbers) > maxAxes {
			return nil, fmt.Errorf("more than %d axes", maxAxes)
		}
		s.rest = s.rest[digits:]
		if !s.accept(",") {
			if err := s.expect(")"); err != nil {
				return nil, err
			}
			break
		}
	}
	return numbers, nil
}

// Clip shortens text for an error message.
func Clip(text string) string {
	const most = 32
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
