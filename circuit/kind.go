package circuit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// headSize is the number of bytes at the start of a file that decide its kind.
const headSize = 64 << 10

// kind is a kind of file. The content decides, because files with the same extension differ in content.
type kind struct {
	name string // as in "ring.json is a GeoJSON file"
	// matches reports whether a file is of this kind. head is the start of the file: up to headSize bytes, without a
	// byte order mark.
	matches func(head []byte) bool
	// read returns the circuits of a file from its bytes, without a byte order mark. It sets the line, the widths, and
	// the name if the file has one. ReadAll sets the rest, and checks every circuit.
	read func(name string, data []byte, options Options) ([]*File, error)
	// isCSV reports that a file is read as the CSV file of a centreline if Options.Columns is set.
	isCSV bool
}

// kinds lists the kinds in the order of detection. A file of no kind is read as the CSV file of a centreline.
func kinds() []kind {
	return slices.Concat([]kind{
		{name: "JSON of TrackGen", matches: isTracksJSON, read: readTracksJSON},
		{name: "points CSV of TrackGen", matches: isPointsCSV, read: readPointsCSV, isCSV: true},
		{name: "NumPy archive of TrackGen", matches: isTracksNPZ, read: readTracksNPZ},
		{name: "DeepRacer .npy", matches: isNPY, read: readDeepRacer},
		{name: "GeoJSON", matches: isGeoJSON, read: readGeoJSON},
		{name: "KML", matches: isKML, read: readKML},
		{name: "GPX", matches: isGPX, read: readGPX},
		{name: "YAML of cones", matches: isConesYAML, read: readConesYAML},
		{name: "CSV of cones", matches: isConesCSV, read: readConesCSV, isCSV: true},
		{name: "CSV of borders", matches: isBorders, read: readBorders, isCSV: true},
	}, registeredKinds(), refusedKinds())
}

// ReadFiles reads all circuits of a file. A circuit without a name gets the name of the file without folders and
// extension. If there are several, a number from 1 follows.
func ReadFiles(path string, options Options) ([]*File, error) {
	if path == "" {
		return nil, &Error{Name: "the name of the file", Value: "empty", Want: "that of a file of circuits"}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a circuit: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading a circuit: %w", err)
	}
	if info.IsDir() {
		return nil, &Error{File: path, Name: "it", Value: "a folder", Want: "a file"}
	}
	if info.Mode().IsRegular() && info.Size() > maxFile {
		return nil, &Error{File: path, Name: "size", Value: fmt.Sprintf("%d bytes", info.Size()),
			Want: fmt.Sprintf("at most %d", maxFile)}
	}
	return ReadAll(path, file, options)
}

// ReadAll reads all circuits of a file from r; name is the file's name in messages. It reads at most 256 MiB, and
// returns at least one circuit or an error. An error in the content is an *Error (ErrFormat); other errors are those
// of r.
func ReadAll(name string, r io.Reader, options Options) ([]*File, error) {
	if err := options.Check(); err != nil {
		return nil, err
	}
	hash := sha256.New()
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	files, err := readKind(name, io.TeeReader(limited, hash), options)
	var format *Error
	switch {
	case limited.N <= 0:
		return nil, tooLarge(name)
	case errors.As(err, &format):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("circuit: read %s: %w", name, err)
	case len(files) == 0:
		return nil, &Error{File: name, Name: "the number of circuits", Value: "0", Want: "at least 1"}
	}
	base := cleanName(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	for i, c := range files {
		hash.Sum(c.SHA256[:0])
		if c.Name = cleanName(c.Name); c.Name == "" {
			c.Name = base
			if len(files) > 1 {
				c.Name += " " + strconv.Itoa(i+1)
			}
		}
		err := c.finish(name, options)
		if err == nil {
			err = options.direct(name, c)
		}
		if err != nil && len(files) > 1 {
			return nil, inCircuit(err, i, c.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// inCircuit adds the number and name of the circuit to an error, for files with several circuits.
func inCircuit(err error, i int, name string) error {
	var format *Error
	if !errors.As(err, &format) {
		return err
	}
	named := *format
	named.Name = fmt.Sprintf("circuit %d, %q: %s", i+1, name, format.Name)
	return &named
}

// readKind detects the kind of a file and reads its circuits.
func readKind(name string, r io.Reader, options Options) ([]*File, error) {
	buffered := bufio.NewReaderSize(r, headSize)
	head, err := buffered.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, byteOrderMark) {
		head = head[len(byteOrderMark):]
		_, _ = buffered.Discard(len(byteOrderMark)) // these bytes are in the buffer
	}
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) { // UTF-16
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
		return readKind(name, transform.NewReader(buffered, decoder), options)
	}
	for _, kind := range kinds() {
		if kind.isCSV && options.Columns != nil || !kind.matches(head) {
			continue
		}
		data, err := io.ReadAll(buffered)
		if err != nil {
			return nil, err
		}
		if len(data) > maxFile {
			return nil, tooLarge(name)
		}
		files, err := kind.read(name, data, options)
		if err == nil && options.Columns != nil {
			return nil, &Error{File: name, Name: "the file", Value: kind.name, Want: "a CSV file, whose columns are given"}
		}
		for _, c := range files {
			c.Kind = kind.name
		}
		return files, err
	}
	c, err := readCSV(name, buffered, options)
	if err != nil {
		return nil, err
	}
	return []*File{c}, nil
}

func tooLarge(name string) *Error {
	return &Error{File: name, Name: "size", Value: fmt.Sprintf("more than %d bytes", maxFile), Want: "at most that"}
}

var byteOrderMark = []byte("\uFEFF")
