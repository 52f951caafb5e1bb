package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/kernel"
)

var gatesMember = regexp.MustCompile(`"course"\s*:\s*"gates"|"courses"\s*:\s*\[`)

// isGatesJSON reports whether a file is JSON with gate courses.
func isGatesJSON(head []byte) bool {
	head = bytes.TrimSpace(head)
	return bytes.HasPrefix(head, []byte("{")) && !bytes.Contains(head, []byte(`"FeatureCollection"`)) &&
		gatesMember.Match(head)
}

// gatesJSONReader reads an object as NewCoursesJSON writes it, course by course.
type gatesJSONReader struct {
	decoder  *json.Decoder
	builder  *GateBuilder
	metadata GateMetadata
	maxGates int  // 0 if the file does not say it
	there    bool // the file has courses
	count    int  // member count of the current course
}

// readGatesJSON reads gate courses. Further members of the file and of courses are ignored.
func readGatesJSON(file io.ReaderAt, size, limit int64) (*gate.Batch, GateMetadata, error) {
	r := &gatesJSONReader{decoder: json.NewDecoder(withoutMark(file, size)), builder: NewGateBuilder()}
	if err := r.readFile(); err != nil {
		return nil, GateMetadata{}, err
	}
	batch, err := r.builder.Batch(r.maxGates, limit)
	return batch, r.metadata, err
}

// readFile reads the members of the object.
func (r *gatesJSONReader) readFile() error {
	if err := r.delimiter('{'); err != nil {
		return err
	}
	for r.decoder.More() {
		key, err := r.decoder.Token()
		if err != nil {
			return notJSON(err)
		}
		switch key {
		case "made_by":
			if err := r.decoder.Decode(&r.metadata); err != nil {
				return fmt.Errorf("member made_by is not the JSON that describes a batch: %w", err)
			}
		case "max_gates":
			if err := r.decoder.Decode(&r.maxGates); err != nil || r.maxGates < 1 || r.maxGates > maxNMax {
				return fmt.Errorf("member max_gates must be a whole number from 1 to %d", maxNMax)
			}
		case "courses":
			if err := r.readCourses(); err != nil {
				return err
			}
		default:
			var ignored json.RawMessage
			if err := r.decoder.Decode(&ignored); err != nil {
				return notJSON(err)
			}
		}
	}
	if err := r.delimiter('}'); err != nil {
		return err
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("not valid JSON: there is more after the object")
	}
	if !r.there {
		return errors.New("there is no member courses, expected a list of gate courses")
	}
	return nil
}

// notJSON returns the error for an error of the decoder.
func notJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not valid JSON: it ends too early")
	}
	return fmt.Errorf("not valid JSON: %w", err)
}

// delimiter reads a bracket.
func (r *gatesJSONReader) delimiter(want json.Delim) error {
	token, err := r.decoder.Token()
	switch {
	case err != nil:
		return notJSON(err)
	case token != want:
		return fmt.Errorf("found %v, expected %v", token, want)
	}
	return nil
}

// readCourses reads the list of courses.
func (r *gatesJSONReader) readCourses() error {
	if r.there {
		return errors.New("member courses is there twice")
	}
	r.there = true
	if err := r.delimiter('['); err != nil {
		return fmt.Errorf("member courses: %w", err)
	}
	for e := 0; r.decoder.More(); e++ {
		if err := r.readCourse(); err != nil {
			return fmt.Errorf("course %d: %w", e, err)
		}
	}
	return r.delimiter(']')
}

// readCourse adds a course. It reads one member at a time, because a map of members would take far more memory than
// their text.
func (r *gatesJSONReader) readCourse() error {
	b := r.builder
	b.Course()
	if err := r.delimiter('{'); err != nil {
		return err
	}
	columns := b.Columns()
	given, gates := make([]bool, len(columns)), -1
	for r.decoder.More() {
		key, err := r.decoder.Token()
		if err != nil {
			return notJSON(err)
		}
		var text json.RawMessage
		if err := r.decoder.Decode(&text); err != nil {
			return fmt.Errorf("member %v: %w", key, notJSON(err))
		}
		i := slices.IndexFunc(columns, func(c column.Column) bool { return jsonKey(c) == key })
		switch {
		case i < 0:
			continue
		case given[i]:
			return fmt.Errorf("member %v is there twice", key)
		}
		given[i] = true
		if columns[i].Per == column.Env {
			if err := r.readValue(i, columns[i], text); err != nil {
				return err
			}
			continue
		}
		n, err := r.readGates(i, columns[i], text)
		switch {
		case err != nil:
			return fmt.Errorf("member %s: %w", columns[i].Name, err)
		case gates >= 0 && n != gates:
			return fmt.Errorf("member %s has %d gates, but one before it has %d", columns[i].Name, n, gates)
		}
		gates = n
	}
	if err := r.delimiter('}'); err != nil {
		return err
	}
	for i, c := range columns {
		if !given[i] && c.Absent == column.Never {
			return fmt.Errorf("there is no member %s: %s, expected in every course", jsonKey(c), c.Doc)
		}
	}
	if r.count != gates {
		return fmt.Errorf("member count is %d, but the course has %d gates", r.count, gates)
	}
	for range gates {
		b.Gate()
	}
	return nil
}

// jsonKey returns the name of a column in JSON.
func jsonKey(c column.Column) string {
	if c.Name == reasonColumn {
		return c.Name + "s"
	}
	return c.Name
}

// readValue reads a column of one value per env.
func (r *gatesJSONReader) readValue(i int, c column.Column, text json.RawMessage) error {
	switch c.Name {
	case reasonColumn:
		var names []string
		if err := json.Unmarshal(text, &names); err != nil {
			return fmt.Errorf("member %s is %s, expected a list of names", jsonKey(c), npy.Clip(string(text)))
		}
		return r.builder.PutReasons(names)
	case "valid":
		var valid *bool
		if err := json.Unmarshal(text, &valid); err != nil || valid == nil {
			return fmt.Errorf("member %s is %s, expected true or false", c.Name, npy.Clip(string(text)))
		}
		if *valid {
			r.builder.Put(i, 1)
		}
		return nil
	}
	v, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil {
		return fmt.Errorf("member %s is %s, expected a whole number of 32 bits", c.Name, npy.Clip(string(text)))
	}
	if c.Name == countColumn {
		r.count = int(v)
	}
	r.builder.Put(i, uint32(int32(v)))
	return nil
}

// readGates reads a column of gates and returns their number.
func (r *gatesJSONReader) readGates(i int, c column.Column, text json.RawMessage) (n int, err error) {
	list := json.NewDecoder(bytes.NewReader(text))
	if token, err := list.Token(); err != nil || token != json.Delim('[') {
		return 0, fmt.Errorf("found %s, expected a list", npy.Clip(string(text)))
	}
	var element []wordOfJSON
	for ; list.More(); n++ {
		if n == maxNMax {
			return 0, fmt.Errorf("has more than %d gates", maxNMax)
		}
		element = append(element[:0], 0)
		var into any = &element
		if c.Components() == 1 {
			into = &element[0]
		}
		if err := list.Decode(into); err != nil {
			return 0, fmt.Errorf("gate %d: %w", n, err)
		}
		if len(element) != c.Components() {
			return 0, fmt.Errorf("gate %d has %d numbers, expected %d", n, len(element), c.Components())
		}
		for _, word := range element {
			r.builder.Put(i, uint32(word))
		}
	}
	return n, nil
}

// wordOfJSON holds the bits of a number in JSON; null is NaN.
type wordOfJSON uint32

// UnmarshalJSON implements json.Unmarshaler.
func (w *wordOfJSON) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*w = wordOfJSON(kernel.NaNBits)
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 32)
	if err != nil {
		return fmt.Errorf("found %s, which is no number that a float32 can hold", npy.Clip(string(text)))
	}
	*w = wordOfJSON(math.Float32bits(float32(v)))
	return nil
}
