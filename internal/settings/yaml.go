package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"reflect"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/trackgen-go/trackgen/config"
)

const (
	maxFileBytes = 64 << 10 // ten times the longest useful file
	maxProblems  = 10       // maximum number of problems reported for one file, or for the arguments
	maxNesting   = 8        // nested lists and mappings; mix: [{bezier: {scale_range: [1, 2]}}] has four levels
	nullTag      = "!!null"
)

// ReadFile reads the settings of a YAML file, in the order of the file. The error joins one error per problem; each
// starts with file:line.
func (l Language[C]) ReadFile(path string) ([]Setting[C], error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // the file was only read
	return l.Read(path, file)
}

// Read reads settings like ReadFile. Error messages use name as the file name.
func (l Language[C]) Read(name string, r io.Reader) ([]Setting[C], error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case isBatch(data):
		return nil, fmt.Errorf("%s: a file of tracks or gate courses: the configuration that made it is config in its "+
			"metadata", name)
	case len(data) > maxFileBytes:
		return nil, fmt.Errorf("%s: longer than %d KiB: a configuration file is a few lines of text", name, maxFileBytes>>10)
	}
	if err := checkText(name, data); err != nil {
		return nil, err
	}
	reader := fileReader[C]{language: l, name: name, lines: make(map[string]int)}
	// fileReader detects duplicate keys, because its message names both lines.
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithUniqueKeys(false),
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthFunc(reader.checkNesting))))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if err := reader.readFile(loader); err != nil {
		return nil, err
	}
	if err := reader.foreign(); err != nil {
		return nil, err
	}
	return reader.list, errors.Join(reader.wrong...)
}

// foreign returns one error for a file with several fields of another kind of course, which is a file for that kind.
func (r *fileReader[C]) foreign() error {
	const most = 2 // which are mistakes in a file of the right kind
	if len(r.elsewhere) <= most {
		return nil
	}
	first := r.elsewhere[0]
	return fmt.Errorf("%s: a file of settings of --course %s, such as %s%s", first.place, first.course, first.name,
		first.listed)
}

// isBatch reports whether a file, of which data is the beginning, holds tracks or gate courses and not settings: it is
// an .npz or Parquet file, or JSON as generate and export write it.
func isBatch(data []byte) bool {
	for _, beginning := range []string{"PK\x03\x04", "PAR1", `{"made_by"`, `{"type": "FeatureCollection"`} {
		if bytes.HasPrefix(data, []byte(beginning)) {
			return true
		}
	}
	return false
}

// checkText refuses text that is not UTF-8, which the parser would read in another encoding. It also refuses
// directives, because the parser supports only those of YAML 1.1.
func checkText(name string, data []byte) error {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return fmt.Errorf("%s: not UTF-8 text", name)
	}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if bytes.HasPrefix(line, []byte("%")) {
			return fmt.Errorf("%s:%d: a directive, which starts with %%: a configuration file has none", name, number)
		}
	}
	return nil
}

// errNesting is the error for lists and mappings that are nested more deeply than any field needs.
var errNesting = fmt.Errorf("lists and mappings are nested more than %d deep", maxNesting)

func (r *fileReader[C]) checkNesting(depth int, _ *yaml.DepthContext) error {
	if depth > maxNesting {
		r.nested = true // the parser keeps only the text of the error
		return errNesting
	}
	return nil
}

// syntaxError returns a parser's error with file:line in front of its message.
func (r *fileReader[C]) syntaxError(err error) error {
	var syntax *yaml.LoadError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("%s: not valid YAML: %w", r.name, err)
	}
	line, context := syntax.Mark.Line, syntax.ContextMsg
	if context != "" {
		context += ": "
	}
	if start := syntax.ContextMark.Line; syntax.Stage == yaml.ScannerStage && start > 0 {
		line = start // for example, the line of an unclosed quotation mark instead of the last line
	}
	place := r.name
	if line > 0 {
		place = fmt.Sprintf("%s:%d", r.name, line)
	}
	if r.nested {
		return fmt.Errorf("%s: %w", place, errNesting)
	}
	return fmt.Errorf("%s: not valid YAML: %s%s", place, context, syntax.Message)
}

// fileReader reads the settings from the nodes of one file. It does not decode nodes into Go values, because it needs
// the line and the original text of each value. It never expands aliases; it refuses them.
type fileReader[C any] struct {
	language Language[C]

	name  string
	lines map[string]int // line that first sets each field
	part  string         // prefix of names in messages: that of a component of a mixture, or empty
	group string         // prefix of names: the current group and a dot, or empty
	list  []Setting[C]
	wrong []error

	nested bool // the nesting is too deep

	elsewhere []foreignField // fields of another kind of course
}

// foreignField is a field of another kind of course, with its place in the file.
type foreignField struct {
	*elsewhereError
	place string // file:line
}

// full reports whether the maximum number of problems is exceeded; further ones would not be reported.
func (r *fileReader[C]) full() bool { return len(r.wrong) > maxProblems }

// problem adds a problem at a node. Instead of those beyond the maximum, it adds one "and more".
func (r *fileReader[C]) problem(at *yaml.Node, format string, args ...any) {
	switch {
	case len(r.wrong) < maxProblems:
		r.wrong = append(r.wrong, fmt.Errorf("%s:%d: %w", r.name, at.Line, fmt.Errorf(format, args...)))
	case len(r.wrong) == maxProblems:
		r.wrong = append(r.wrong, fmt.Errorf("%s: and more", r.name))
	}
}

// readFile reads the document of a file, which must be the only one. It returns syntax errors; other problems are added
// to r.wrong.
func (r *fileReader[C]) readFile(loader *yaml.Loader) error {
	var document, second yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return r.syntaxError(err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		r.problem(&second, "a second document starts here: a configuration file holds one")
		return nil
	case !errors.Is(err, io.EOF):
		return r.syntaxError(err)
	}
	for _, body := range document.Content {
		switch {
		case body.Kind == yaml.MappingNode:
			for key, value := range pairs(body) {
				r.readEntry(key, value)
			}
		case body.Tag != nullTag:
			r.problem(body, "must be lines of the form field: value")
		}
	}
	return nil
}

// pairs iterates over the keys and values of a mapping.
func pairs(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if !yield(mapping.Content[i], mapping.Content[i+1]) {
				return
			}
		}
	}
}

// readEntry reads a field, a group of fields, or the components of a mixture.
func (r *fileReader[C]) readEntry(key, value *yaml.Node) {
	if r.full() {
		return
	}
	if key.Kind != yaml.ScalarNode || isReference(key) {
		r.problem(key, "a list, mapping, anchor, alias or tag: must be the name of a field (%s lists all)",
			r.language.command)
		return
	}
	name := r.group + key.Value
	switch {
	case name == mixField:
		if r.first(key, name) {
			r.readMix(key, value)
		}
		return
	case r.language.isGroup(name):
		r.readGroup(key, value)
		return
	}
	field, err := r.language.lookUp(r.part, name)
	if other := (*elsewhereError)(nil); errors.As(err, &other) {
		r.elsewhere = append(r.elsewhere, foreignField{other, fmt.Sprintf("%s:%d", r.name, key.Line)})
	}
	if err != nil {
		r.problem(key, "%w", err)
		return
	}
	if !r.first(key, name) {
		return
	}
	named := field
	named.Name = r.part + field.Name
	parsed, err := nodeValue(named, value)
	if err != nil {
		r.problem(value, "%w", err)
		return
	}
	origin := fmt.Sprintf("%s:%d", r.name, key.Line)
	r.list = append(r.list, Setting[C]{Field: field, Value: parsed, Origin: origin})
}

// first reports whether name is set for the first time. If not, it adds a problem.
func (r *fileReader[C]) first(key *yaml.Node, name string) bool {
	if line, again := r.lines[name]; again {
		r.problem(key, "%s%s is set again: it was set in line %d", r.part, name, line)
		return false
	}
	r.lines[name] = key.Line
	return true
}

// readGroup reads the fields of a group. A group without a value has no fields.
func (r *fileReader[C]) readGroup(key, value *yaml.Node) {
	switch {
	case value.Kind == yaml.ScalarNode && value.Tag == nullTag && !isReference(value):
		return
	case value.Kind != yaml.MappingNode || isReference(value):
		r.problem(key, "%s%s is a group of fields: must be lines of the form field: value, further in", r.part, key.Value)
		return
	}
	r.group = key.Value + "."
	defer func() { r.group = "" }()
	for inner, value := range pairs(value) {
		r.readEntry(inner, value)
	}
}

// isReference reports whether a node is an alias or has an anchor or a tag.
func isReference(node *yaml.Node) bool {
	return node.Kind == yaml.AliasNode || node.Anchor != "" || node.Style&yaml.TaggedStyle != 0 || node.Tag == "!"
}

// nodeValue parses the value of a field from its node.
func nodeValue[C any](field config.Field[C], node *yaml.Node) (any, error) {
	if node.Kind != yaml.SequenceNode || isReference(node) {
		text, err := scalarText(field, node)
		if err != nil {
			return nil, err
		}
		return parseValue(field, text)
	}
	isRange := field.Type() == reflect.TypeFor[config.Range]()
	switch {
	case !isRange && field.Type().Kind() != reflect.Slice:
		return nil, fmt.Errorf("%s is a list: must be %s", field.Name, field.Allowed())
	case isRange && len(node.Content) != 2:
		return nil, fmt.Errorf("%s is a list of %d: must be %s", field.Name, len(node.Content), field.Allowed())
	}
	var items []string
	for _, value := range node.Content {
		item, err := scalarText(field, value)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	if isRange {
		return parseRange(field, items[0], items[1])
	}
	return parseList(field, items)
}

// scalarText returns the text of a scalar, and an error for any other node or a missing value.
func scalarText[C any](field config.Field[C], node *yaml.Node) (string, error) {
	switch {
	case isReference(node):
		return "", fmt.Errorf("%s is an anchor, alias or tag: must be %s, written out", field.Name, field.Allowed())
	case node.Kind == yaml.MappingNode:
		return "", fmt.Errorf("%s is a mapping: must be %s", field.Name, field.Allowed())
	case node.Kind == yaml.SequenceNode:
		return "", fmt.Errorf("%s is a list: must be %s", field.Name, field.Allowed())
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return "", fmt.Errorf("%s is a block of text: must be %s", field.Name, field.Allowed())
	case node.Tag == nullTag:
		return "", fmt.Errorf("%s has no value: must be %s; leave the line out for the default", field.Name, field.Allowed())
	}
	return node.Value, nil
}
