// Package filter chooses tracks by their labels, with conditions such as
//
//	lap_time < 8 and (hairpins >= 2 or not (width_margin > 0.1))
//
// that compare the columns of difficulty.Schema with numbers and with each other:
//
//	f, err := filter.Parse("lap_time < 8 and hairpins >= 2")
//	...
//	for e := range batch.Envs {
//		if f.Match(batch, e) { ... }
//	}
//
// A condition has the operators < <= > >= == != + - * /, and or not (also && || !), and parentheses.
package filter

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/suggest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/difficulty"
)

// maxText is the largest number of bytes of a condition.
const maxText = 4096

// Filter is a condition that tracks match or not.
type Filter struct {
	program *vm.Program
}

// operators are those of a condition.
var operators = []string{"<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "and", "or", "not", "&&", "||", "!"}

// Names lists the labels that a condition may name, in the order of difficulty.Schema.
func Names() []string {
	var names []string
	for _, c := range difficulty.Schema.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// Parse returns the filter of a condition. It returns a *backend.ArgumentError that names what is wrong in the text and
// what is allowed.
func Parse(text string) (*Filter, error) {
	if len(text) > maxText {
		return nil, refuse(fmt.Sprintf("%d bytes long", len(text)), fmt.Sprintf("at most %d bytes", maxText))
	}
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, refuse(text, "a condition such as lap_time < 8 and hairpins >= 2: "+place(err))
	}
	var c checker
	ast.Walk(&tree.Node, &c)
	if c.err != nil {
		return nil, c.err
	}
	known := map[string]any{}
	for _, name := range Names() {
		known[name] = float64(0)
	}
	program, err := expr.Compile(text, expr.Env(known), expr.AsBool(), expr.DisableAllBuiltins(), expr.Patch(numbers{}))
	if err != nil {
		return nil, refuse(text, "a condition, which is true or false: "+place(err))
	}
	return &Filter{program: program}, nil
}

// place returns what an error of the parser says on one line, without the text and the marker below it.
func place(err error) string {
	var wrong *file.Error
	if errors.As(err, &wrong) {
		return fmt.Sprintf("%s at character %d", wrong.Message, wrong.Column+1)
	}
	message, _, _ := strings.Cut(err.Error(), "\n")
	return message
}

// numbers makes whole numbers of a condition float64, as labels are: sums and products of integers would wrap.
type numbers struct{}

// Visit implements ast.Visitor.
func (numbers) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.IntegerNode); ok {
		ast.Patch(node, &ast.FloatNode{Value: float64(n.Value)})
	}
}

func refuse(value any, allowed string) error {
	return &backend.ArgumentError{Op: "filter: parse", Argument: "condition", Value: value, Allowed: allowed}
}

// checker refuses what is no part of a condition: calls, texts, lists and names that are no labels.
type checker struct{ err error }

// Visit implements ast.Visitor.
func (c *checker) Visit(node *ast.Node) {
	if c.err != nil {
		return
	}
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if names := Names(); !slices.Contains(names, n.Value) {
			c.err = refuse(n.Value, "one of the labels "+strings.Join(names, ", ")+suggest.Phrase(n.Value, names))
		}
	case *ast.UnaryNode:
		c.operator(n.Operator)
	case *ast.BinaryNode:
		c.operator(n.Operator)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
	default:
		c.err = refuse((*node).String(), "labels, numbers, parentheses and the operators "+strings.Join(operators, " "))
	}
}

func (c *checker) operator(name string) {
	if !slices.Contains(operators, name) {
		c.err = refuse(name, "one of the operators "+strings.Join(operators, " "))
	}
}

// Match reports whether env e of a batch matches. A track without a racing line matches no condition.
func (f *Filter) Match(b *difficulty.Batch, e int) bool {
	values := Values(b, e)
	if math.IsNaN(values["lap_time"].(float64)) {
		return false
	}
	matches, err := expr.Run(f.program, values)
	return err == nil && matches == true
}

// Values returns the labels of env e by their names, as float64 each.
func Values(b *difficulty.Batch, e int) map[string]any {
	values := map[string]any{}
	for _, c := range difficulty.Schema.Host(&b.HostColumns) {
		if c.Type == kernel.Float32 {
			values[c.Name] = float64(c.Numbers()[e])
		} else {
			values[c.Name] = float64(c.Integer(e))
		}
	}
	return values
}
