package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
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
			return fmt.Errorf("not valid JSON: %w", err)
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
				return fmt.Errorf("not valid JSON: %w", err)
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

// delimiter reads a bracket.
func (r *gatesJSONReader) delimiter(want json.Delim) error {
	token, err := r.decoder.Token()
	switch {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return fmt.Errorf("not valid JSON: %w", err)
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
		var members map[string]json.RawMessage
		if err := r.decoder.Decode(&members); err != nil {
			return fmt.Errorf("course %d: not valid JSON of an object: %w", e, err)
		}
		if err := r.readCourse(members); err != nil {
			return fmt.Errorf("course %d: %w", e, err)
		}
	}
	return r.delimiter(']')
}

// readCourse adds a course.
func (r *gatesJSONReader) readCourse(members map[string]json.RawMessage) error {
	b, gates := r.builder, -1
	b.Course()
	for i, c := range b.Columns() {
		text, there := members[jsonKey(c)]
		switch {
		case !there && c.Absent != column.Never:
		case !there:
			return fmt.Errorf("there is no member %s: %s, expected in every course", jsonKey(c), c.Doc)
		case c.Per == column.Env:
			if err := r.readValue(i, c, text); err != nil {
				return err
			}
		default:
			n, err := r.readGates(i, c, text)
			if err != nil {
				return err
			}
			if gates < 0 {
				gates = n
			}
			if n != gates {
				return fmt.Errorf("member %s has %d gates, but those before it have %d", c.Name, n, gates)
			}
		}
	}
	var count int
	if err := json.Unmarshal(members["count"], &count); err != nil || count != gates {
		return fmt.Errorf("member count is %s, but the course has %d gates", npy.Clip(string(members["count"])), gates)
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
	r.builder.Put(i, uint32(int32(v)))
	return nil
}

// readGates reads a column of gates and returns their number.
func (r *gatesJSONReader) readGates(i int, c column.Column, text json.RawMessage) (int, error) {
	if c.Components() == 1 {
		var list []wordOfJSON
		if err := json.Unmarshal(text, &list); err != nil {
			return 0, fmt.Errorf("member %s: %w, expected a list of numbers", c.Name, err)
		}
		for _, word := range list {
			r.builder.Put(i, uint32(word))
		}
		return len(list), nil
	}
	var list [][]wordOfJSON
	if err := json.Unmarshal(text, &list); err != nil {
		return 0, fmt.Errorf("member %s: %w, expected a list of lists of %d numbers", c.Name, err, c.Components())
	}
	for k, element := range list {
		if len(element) != c.Components() {
			return 0, fmt.Errorf("member %s: gate %d has %d numbers, expected %d", c.Name, k, len(element), c.Components())
		}
		for _, word := range element {
			r.builder.Put(i, uint32(word))
		}
	}
	return len(list), nil
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
