package emit

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"unicode/utf8"
)

// The longest line of a generated file, and how many columns a tab takes there.
const (
	maxColumns = 120
	tabColumns = 4
)

// shortened breaks the lines of formatted Go source that have more than maxColumns columns. It breaks lists of
// parameters, arguments, elements and values at their commas, and expressions at their operators, the outermost first.
// A line without such a place, as a comment is, stays long.
func shortened(text []byte) ([]byte, error) {
	for {
		edits, err := lineBreaks(text)
		if err != nil || len(edits) == 0 {
			return text, err
		}
		var broken []byte
		from := 0
		for _, e := range edits {
			broken = append(append(broken, text[from:e.offset]...), e.text...)
			from = e.offset
		}
		if text, err = format.Source(append(broken, text[from:]...)); err != nil {
			return nil, fmt.Errorf("breaking long lines: %w", err)
		}
	}
}

// edit inserts text at an offset.
type edit struct {
	offset int
	text   string
}

// gap is a place where a line may be broken.
type gap struct {
	edits []edit
	depth int // of the nesting, the less the better
}

// lineBreaks returns the edits that break each long line once, in the order of their offsets.
func lineBreaks(text []byte) ([]edit, error) {
	f := &gapFinder{fset: token.NewFileSet(), long: map[int]int{}, gaps: map[int][]gap{}}
	start := 0
	for i, line := range bytes.Split(text, []byte("\n")) {
		if end := overflow(line); end >= 0 {
			f.long[i+1] = start + end
		}
		start += len(line) + 1
	}
	if len(f.long) == 0 {
		return nil, nil
	}
	file, err := parser.ParseFile(f.fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("breaking long lines: %w", err)
	}
	for _, declaration := range file.Decls {
		f.find(declaration, 0)
	}
	var edits []edit
	for line, gaps := range f.gaps {
		edits = append(edits, best(gaps, f.long[line]).edits...)
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.offset, b.offset) })
	return edits, nil
}

// overflow returns the offset in a line of what is beyond maxColumns, -1 where nothing is.
func overflow(line []byte) int {
	column := 0
	for i := 0; i < len(line); {
		if line[i] == '\t' {
			column += tabColumns
		} else {
			column++
		}
		if column > maxColumns {
			return i
		}
		_, size := utf8.DecodeRune(line[i:])
		i += size
	}
	return -1
}

// best returns the gap that has the least depth among those that leave a short line before them; of several, it returns
// the last. If none leaves a short line, the first gap shortens the line most.
func best(gaps []gap, end int) gap {
	return slices.MinFunc(gaps, func(a, b gap) int {
		first, second := a.edits[0].offset, b.edits[0].offset
		switch {
		case (first <= end+1) != (second <= end+1), first > end+1: // a gap begins with a blank
			return cmp.Compare(first, second)
		case a.depth != b.depth:
			return cmp.Compare(a.depth, b.depth)
		default:
			return cmp.Compare(second, first)
		}
	})
}

// gapFinder collects the gaps of long lines.
type gapFinder struct {
	fset *token.FileSet
	long map[int]int   // lines, with the offset of what is too much
	gaps map[int][]gap // by line
}

// add records that a line can be broken before each of some nodes, if something stands before the node on the line.
func (f *gapFinder) add(depth int, previous token.Pos, nodes ...ast.Node) {
	for _, node := range nodes {
		place := f.fset.Position(node.Pos())
		if _, long := f.long[place.Line]; long && f.fset.Position(previous).Line == place.Line {
			f.gaps[place.Line] = append(f.gaps[place.Line], gap{[]edit{{place.Offset, "\n"}}, depth})
		}
		previous = node.End()
	}
}

// find collects the gaps inside a node.
func (f *gapFinder) find(node ast.Node, depth int) {
	ast.Inspect(node, func(child ast.Node) bool {
		if child == nil || child == node {
			return true
		}
		f.find(child, depth+deeper(node, child))
		return false
	})
	switch n := node.(type) {
	case *ast.FuncDecl:
		f.signature(n)
	case *ast.FieldList:
		f.list(depth, nodesOf(n.List))
	case *ast.BlockStmt:
		// A function on one line.
		f.add(depth, n.Lbrace, nodesOf(n.List)...)
	case *ast.CallExpr:
		f.arguments(n, depth)
	case *ast.CompositeLit:
		f.list(depth+nesting, nodesOf(n.Elts))
	case *ast.AssignStmt:
		f.list(depth, nodesOf(n.Rhs))
	case *ast.ReturnStmt:
		f.list(depth, nodesOf(n.Results))
	case *ast.CaseClause:
		f.list(depth, nodesOf(n.List))
	case *ast.BinaryExpr:
		f.add(depth+nesting, n.OpPos, n.Y)
	}
}

// nesting is how much one level adds to a depth. lastResort is the depth of what is broken only where nothing else can
// be.
const (
	nesting    = 2
	lastResort = 1000
)

// deeper returns by how much a child of a node is nested deeper than the node.
func deeper(node, child ast.Node) int {
	switch n := node.(type) {
	case *ast.BinaryExpr:
		// a + b + c is (a + b) + c, and both of its gaps are alike.
		if inner, ok := child.(*ast.BinaryExpr); ok && inner.Op.Precedence() == n.Op.Precedence() {
			return 0
		}
		return nesting
	case *ast.CallExpr:
		if child == n.Fun {
			return lastResort
		}
		return nesting
	case *ast.CompositeLit, *ast.ParenExpr, *ast.IndexExpr:
		return nesting
	case *ast.AssignStmt:
		if expression, ok := child.(ast.Expr); ok && slices.Contains(n.Lhs, expression) {
			return 10 * lastResort
		}
	}
	return 0
}

func nodesOf[T ast.Node](list []T) []ast.Node {
	nodes := make([]ast.Node, len(list))
	for i, node := range list {
		nodes[i] = node
	}
	return nodes
}

// list adds the gaps between nodes.
func (f *gapFinder) list(depth int, nodes []ast.Node) {
	if len(nodes) > 1 {
		f.add(depth, nodes[0].End(), nodes[1:]...)
	}
}

// arguments adds the gaps of the arguments of a call. A gap behind the parenthesis is worse than those between
// arguments; with one argument, it is worse than those inside the argument. There is no gap before a function literal,
// because its body is broken.
func (f *gapFinder) arguments(call *ast.CallExpr, depth int) {
	for i, argument := range call.Args {
		if _, ok := argument.(*ast.FuncLit); ok {
			continue
		}
		switch {
		case i > 0:
			f.add(depth+nesting, call.Args[i-1].End(), argument)
		case len(call.Args) > 1:
			f.add(depth+nesting+1, call.Lparen, argument)
		default:
			f.add(depth+lastResort, call.Lparen, argument)
		}
	}
}

// signature adds the gap that gives the parameters of a function lines of their own, so that they stand apart from its
// body.
func (f *gapFinder) signature(function *ast.FuncDecl) {
	list := function.Type.Params
	opening, closing := f.fset.Position(list.Opening), f.fset.Position(list.Closing)
	end, long := f.long[opening.Line]
	if !long || opening.Line != closing.Line || len(list.List) == 0 ||
		f.fset.Position(function.Body.Lbrace).Offset < end {
		return
	}
	f.gaps[opening.Line] = []gap{{edits: []edit{{opening.Offset + 1, "\n"}, {closing.Offset, ",\n"}}}}
}
