package circuit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// CSV files of cones, such as those of FSDS and EUFS, have one cone per line. A line of names is optional:
//
//	tag,x,y,direction,x_variance,y_variance,xy_covariance
//	blue,27.00,0.00,0,0,0,0
//
// YAML files of cones, such as those of FSSIM, have a list of points for each colour: cones_left: [[27, 0], ...].

// coneColumns holds the columns of a CSV file of cones; direction is -1 if there is none.
type coneColumns struct {
	tag, x, y, direction int
	unitX, unitY         float64 // metres per unit of x and of y, from the units at the end of their names
}

// coneTagNames lists the names of the column of colours.
var coneTagNames = []string{"tag", "color", "colour", "type", "class", "cone", "conetype", "conecolor", "conecolour"}

// namesCones returns the columns of a line of names, or false if they are not the names of a list of cones.
func namesCones(names []string) (coneColumns, bool) {
	c := coneColumns{-1, -1, -1, -1, 1, 1}
	set := func(at *int, i int) {
		if *at < 0 {
			*at = i
		}
	}
	for i, name := range names {
		all := wordsOf(name)
		first := ""
		if len(all) > 0 {
			first = all[0]
		}
		switch joined := strings.Join(all, ""); {
		case slices.Contains(coneTagNames, joined):
			set(&c.tag, i)
		case first == "x" && len(all) <= 2 && joined != "xvariance":
			set(&c.x, i)
		case first == "y" && len(all) <= 2 && joined != "yvariance":
			set(&c.y, i)
		case joined == "direction" || joined == "yaw" || joined == "heading":
			set(&c.direction, i)
		}
	}
	if c.x >= 0 && c.y >= 0 {
		c.unitX, c.unitY = unitOf(names[c.x]), unitOf(names[c.y])
	}
	centerline := newNames(0, ',', names).hasWidths()
	return c, c.tag >= 0 && c.x >= 0 && c.y >= 0 && !centerline
}

// isConesCSV reports whether a file is a CSV file of cones: its first line has the names of the columns or a cone.
func isConesCSV(head []byte) bool {
	_, _, found := coneHeader(head)
	return found
}

// coneHeader finds the columns of a CSV file of cones, and returns the lines that hold cones.
func coneHeader(data []byte) (coneColumns, csvLines, bool) {
	lines := csvLines{rest: data}
	for before := lines; lines.next(); before = lines {
		fields := lines.fields()
		if fields == nil {
			continue
		}
		if columns, found := namesCones(fields); found {
			return columns, lines, true
		}
		columns, found := unnamedCones(fields)
		return columns, before, found
	}
	return coneColumns{}, csvLines{}, false
}

// unnamedCones returns the columns of a file without names from its first cone: tag,x,y,direction,... or x,y,tag. It
// returns false if the line has no cone.
func unnamedCones(fields []string) (coneColumns, bool) {
	switch n := len(fields); {
	case n < 3:
	case sideOf(fields[0]) != coneUnknown && countNumbers(fields[1:3]) == 2:
		columns := coneColumns{0, 1, 2, -1, 1, 1}
		if n > 3 {
			columns.direction = 3
		}
		return columns, true
	case n == 3 && sideOf(fields[2]) != coneUnknown && countNumbers(fields[:2]) == 2:
		return coneColumns{2, 0, 1, -1, 1, 1}, true
	}
	return coneColumns{}, false
}

// readConesCSV reads a CSV file of cones.
func readConesCSV(name string, data []byte, options Options) ([]*File, error) {
	columns, lines, _ := coneHeader(data)
	var c cones
	for lines.next() {
		fields := lines.fields()
		if fields == nil {
			continue
		}
		if most := max(columns.tag, columns.x, columns.y); most >= len(fields) {
			return nil, &Error{File: name, Line: lines.number, Name: "the number of columns",
				Value: strconv.Itoa(len(fields)), Want: fmt.Sprintf("at least %d", most+1)}
		}
		var values [2]float64
		for axis, i := range []int{columns.x, columns.y} {
			v, err := coordinate(fields[i])
			if err != "" {
				return nil, &Error{File: name, Line: lines.number, Column: i + 1, Name: [2]string{"x", "y"}[axis] + " of a cone",
					Value: quoted(fields[i]), Want: err}
			}
			values[axis] = v
		}
		at := vector{values[0] * columns.unitX, values[1] * columns.unitY}
		tag := fields[columns.tag]
		if sideOf(tag) == coneStart {
			c.start = &conePose{at: at}
			if i := columns.direction; i >= 0 && i < len(fields) {
				if v, err := strconv.ParseFloat(fields[i], 64); err == nil && math.Abs(v) <= 360 {
					c.start.heading = v
				}
			}
			continue
		}
		if !c.add(tag, at) {
			return nil, tooManyCones(name, lines.number)
		}
	}
	return c.circuits(name, options)
}

// coordinate parses a coordinate in metres. If it is invalid, want is what is allowed.
func coordinate(text string) (v float64, want string) {
	v, err := parseNumber(text)
	if err != nil {
		return 0, "a number such as 12.5"
	}
	if !(math.Abs(v) <= MaxCoordinate) {
		return 0, fmt.Sprintf("a number of metres from -%s to %[1]s", number(MaxCoordinate))
	}
	return v, ""
}

const (
	maxConesYAML   = 4 << 20 // bytes; maxCones cones need a tenth of it
	maxConeNesting = 12
)

// coneKey matches a line of a YAML file with the name of a list of cones.
var coneKey = regexp.MustCompile(`(?m)^[ \t]*["']?` +
	`(cones?[_-]?(left|right|blue|yellow)|(blue|yellow|left|right)([_-]?cones?)?)["']?[ \t]*:`)

// isConesYAML reports whether a file is a YAML file of cones.
func isConesYAML(head []byte) bool { return !isJSON(head) && coneKey.Match(head) }

// readConesYAML reads a YAML file of cones. It does not expand aliases; it refuses them.
func readConesYAML(name string, data []byte, options Options) ([]*File, error) {
	if len(data) > maxConesYAML {
		return nil, &Error{File: name, Name: "size", Value: fmt.Sprintf("%d bytes", len(data)),
			Want: fmt.Sprintf("at most %d in a list of cones", maxConesYAML)}
	}
	nested := false
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithUniqueKeys(false),
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthFunc(func(depth int, _ *yaml.DepthContext) error {
			if nested = nested || depth > maxConeNesting; nested {
				return errors.New("nested too deeply")
			}
			return nil
		}))))
	if err != nil {
		return nil, fmt.Errorf("circuit: %w", err)
	}
	var document yaml.Node
	if err := loader.Load(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, yamlError(name, err, nested)
	}
	r := coneReader{file: name}
	for _, body := range document.Content {
		if err := r.readMapping(body, 0); err != nil {
			return nil, err
		}
	}
	return r.cones.circuits(name, options)
}

// yamlError returns the error of a file that is not YAML.
func yamlError(name string, err error, nested bool) error {
	e := &Error{File: name, Name: "the YAML", Value: "wrong: " + err.Error(), Want: "a list of cones for either side"}
	var syntax *yaml.LoadError
	if errors.As(err, &syntax) {
		e.Line = syntax.Mark.Line
		e.Value = "wrong: " + syntax.Message
	}
	if nested {
		e.Value = fmt.Sprintf("nested more than %d deep", maxConeNesting)
	}
	return e
}

// coneReader reads cones from the nodes of a YAML file.
type coneReader struct {
	file  string
	cones cones
}

// readMapping reads the lists of cones in a mapping and in nested mappings: PacSim has them below track.
func (r *coneReader) readMapping(node *yaml.Node, depth int) error {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		side := sideOf(key.Value)
		switch {
		case value.Kind == yaml.MappingNode && depth < 2:
			if err := r.readMapping(value, depth+1); err != nil {
				return err
			}
		case strings.HasPrefix(key.Value, "starting_pose"):
			if err := r.readPose(value); err != nil {
				return err
			}
		case value.Kind == yaml.SequenceNode && side != coneUnknown && side != coneStart:
			if err := r.readList(key.Value, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// readList reads the cones of one colour.
func (r *coneReader) readList(tag string, list *yaml.Node) error {
	for _, item := range list.Content {
		values, err := r.numbers(item, tag)
		if err != nil {
			return err
		}
		if !r.cones.add(tag, vector{values[0], values[1]}) {
			return tooManyCones(r.file, item.Line)
		}
	}
	return nil
}

// readPose reads the pose of the car at the start: x, y and the heading in radians.
func (r *coneReader) readPose(node *yaml.Node) error {
	values, err := r.numbers(node, "the starting pose")
	if err != nil {
		return err
	}
	r.cones.start = &conePose{at: vector{values[0], values[1]}}
	if len(values) > 2 && math.Abs(values[2]) <= 360 {
		r.cones.start.heading = values[2]
	}
	return nil
}

// numbers reads the coordinates of a cone: [x, y], [x, y, z], {x: ..., y: ...} or {position: [x, y]}.
func (r *coneReader) numbers(item *yaml.Node, tag string) ([]float64, error) {
	wrong := func(node *yaml.Node, value, want string) error {
		return &Error{File: r.file, Line: node.Line, Name: "a point of " + tag, Value: value, Want: want}
	}
	nodes := item.Content
	if item.Kind == yaml.MappingNode {
		nodes = make([]*yaml.Node, 2)
		for i := 0; i+1 < len(item.Content); i += 2 {
			switch value := item.Content[i+1]; item.Content[i].Value {
			case "position":
				if value.Kind == yaml.SequenceNode {
					return r.numbers(value, tag)
				}
			case "x":
				nodes[0] = value
			case "y":
				nodes[1] = value
			}
		}
		if nodes[0] == nil || nodes[1] == nil {
			nodes = nil
		}
	}
	if len(nodes) < 2 || len(nodes) > 8 {
		return nil, wrong(item, fmt.Sprintf("of %d numbers", len(nodes)), "[x, y] or {x: 1, y: 2}, in metres")
	}
	var values []float64
	for _, node := range nodes {
		if node.Kind != yaml.ScalarNode {
			return nil, wrong(node, "a list, mapping or alias", "a number such as 12.5")
		}
		v, want := coordinate(node.Value)
		if want != "" {
			return nil, wrong(node, quoted(node.Value), want)
		}
		values = append(values, v)
	}
	return values, nil
}
