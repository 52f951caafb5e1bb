package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/trackgen-go/trackgen/track"
)

const (
	maxFileBytes = 64 << 10 // ten times the longest file that says something
	maxProblems  = 10       // problems reported of one file
	maxNesting   = 8        // brackets inside brackets: two have a meaning, {scale_range: [1, 2]}
)

// ReadFile reads the settings of a YAML file, in its order. The error joins one error for each thing that is wrong, each
// starting with file:line.
func ReadFile(path string) ([]Setting, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	return Read(path, file)
}

// Read reads settings as ReadFile does. name stands for the file in error messages.
func Read(name string, r io.Reader) ([]Setting, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case len(data) > maxFileBytes:
		return nil, fmt.Errorf("%s: longer than %d KiB: a configuration file is a few lines of text", name, maxFileBytes>>10)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) // the parser counts a comment that ends so as two lines
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, fmt.Errorf("%s: not UTF-8 text", name)
	}
	tokens := lexer.Tokenize(string(data))
	if err := checkNesting(name, tokens); err != nil {
		return nil, err
	}
	// Duplicate keys are found below, where the message can name both lines.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(name, err)
	}
	reader := fileReader{name: name, lines: make(map[string]int)}
	reader.readFile(file)
	return reader.list, errors.Join(reader.wrong...)
}

// checkNesting refuses brackets inside brackets inside brackets, which no field takes and on which the parser spends time
// that grows with the square of their number.
func checkNesting(name string, tokens token.Tokens) error {
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		}
		if depth > maxNesting {
			return fmt.Errorf("%s:%d: brackets nested more than %d deep", name, line(t), maxNesting)
		}
	}
	return nil
}

// syntaxError puts the position of a parser's error in front of its message.
func syntaxError(name string, err error) error {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil && syntax.Token.Position != nil {
		return fmt.Errorf("%s:%d: not valid YAML: %s", name, syntax.Token.Position.Line, syntax.Message)
	}
	return fmt.Errorf("%s: not valid YAML: %w", name, err)
}

// fileReader walks the syntax tree of one file. The tree is read directly, and not decoded into Go values, because each
// value needs its line and its text as written; and so nothing is ever expanded: aliases are refused where they stand.
type fileReader struct {
	name  string
	lines map[string]int // line where each field was first set
	list  []Setting
	wrong []error
}

// problem records what is wrong at a token and reports whether reading may go on.
func (r *fileReader) problem(at *token.Token, format string, args ...any) {
	switch {
	case len(r.wrong) < maxProblems:
		r.wrong = append(r.wrong, fmt.Errorf("%s:%d: %w", r.name, line(at), fmt.Errorf(format, args...)))
	case len(r.wrong) == maxProblems:
		r.wrong = append(r.wrong, fmt.Errorf("%s: and more", r.name))
	}
}

func line(at *token.Token) int {
	if at == nil || at.Position == nil {
		return 1
	}
	return at.Position.Line
}

func (r *fileReader) readFile(file *ast.File) {
	if len(file.Docs) > 1 {
		second := file.Docs[1]
		at := second.Start
		if at == nil && second.Body != nil {
			at = second.Body.GetToken()
		}
		r.problem(at, "a second document starts here: a configuration file holds one")
		return
	}
	for _, document := range file.Docs {
		switch body := document.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
		case *ast.MappingNode:
			for _, entry := range body.Values {
				r.readEntry(entry)
			}
		case *ast.MappingValueNode:
			r.readEntry(body)
		default:
			r.problem(body.GetToken(), "must be lines of the form field: value")
		}
	}
}

func (r *fileReader) readEntry(entry *ast.MappingValueNode) {
	key, ok := entry.Key.(*ast.StringNode)
	if !ok {
		r.problem(entry.Key.GetToken(), "unknown field %s (trackgen config lists all fields)", quote(entry.Key.GetToken().Value))
		return
	}
	if key.Value == mixField {
		if first, again := r.lines[mixField]; again {
			r.problem(key.GetToken(), "mix is set again: it was set in line %d", first)
			return
		}
		r.lines[mixField] = line(key.GetToken())
		r.readMix(entry)
		return
	}
	field, err := lookUp(key.Value)
	if err != nil {
		r.problem(key.GetToken(), "%w", err)
		return
	}
	if first, again := r.lines[field.Name]; again {
		r.problem(key.GetToken(), "%s is set again: it was set in line %d", field.Name, first)
		return
	}
	r.lines[field.Name] = line(key.GetToken())
	value, err := nodeValue(field, entry.Value)
	if err != nil {
		at := entry.Value.GetToken()
		if line(at) < line(key.GetToken()) { // the token that stands for a missing value has no place of its own
			at = key.GetToken()
		}
		r.problem(at, "%w", err)
		return
	}
	origin := fmt.Sprintf("%s:%d", r.name, line(key.GetToken()))
	r.list = append(r.list, Setting{Field: field, Value: value, Origin: origin})
}

// nodeValue reads the value of a field from its node.
func nodeValue(field track.Field, node ast.Node) (any, error) {
	if sequence, ok := node.(*ast.SequenceNode); ok {
		if field.Type() == reflect.TypeFor[[]int]() && len(sequence.Values) > 0 {
			var items []string
			for _, value := range sequence.Values {
				item, err := scalarText(field, value)
				if err != nil {
					return nil, err
				}
				items = append(items, item)
			}
			return parseList(field, items)
		}
		if field.Type() != reflect.TypeFor[track.Range]() {
			return nil, fmt.Errorf("%s is a list: must be %s", field.Name, field.Allowed())
		}
		if len(sequence.Values) != 2 {
			return nil, fmt.Errorf("%s is a list of %d: must be %s", field.Name, len(sequence.Values), field.Allowed())
		}
		low, err := scalarText(field, sequence.Values[0])
		if err != nil {
			return nil, err
		}
		high, err := scalarText(field, sequence.Values[1])
		if err != nil {
			return nil, err
		}
		return parseRange(field, low, high)
	}
	text, err := scalarText(field, node)
	if err != nil {
		return nil, err
	}
	return parseValue(field, text)
}

// scalarText returns the text of a scalar as it was written.
func scalarText(field track.Field, node ast.Node) (string, error) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, nil
	case *ast.NullNode:
		return "", fmt.Errorf("%s has no value: must be %s; leave the line out for the default", field.Name, field.Allowed())
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return "", fmt.Errorf("%s is an anchor, alias or tag: must be %s, written out", field.Name, field.Allowed())
	case *ast.MappingNode, *ast.MappingValueNode:
		return "", fmt.Errorf("%s is a mapping: must be %s", field.Name, field.Allowed())
	case *ast.SequenceNode:
		return "", fmt.Errorf("%s is a list: must be %s", field.Name, field.Allowed())
	default:
		return "", fmt.Errorf("%s is a block of text: must be %s", field.Name, field.Allowed())
	}
}
