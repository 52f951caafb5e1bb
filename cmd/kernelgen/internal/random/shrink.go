package random

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// Shrink looks for a smaller program for which fails still holds, until there is none or expired says that it is time
// to stop. fails is given programs that kernelgen accepts, and says for each whether it fails.
func Shrink(vocabulary *source.Program, p Program, fails func([]Program) []bool, expired func() bool) Program {
	const together = 32
	for found := true; found && !expired(); {
		found = false
		for list := range chunks(smaller(vocabulary, p), together) {
			for i, failed := range fails(list) {
				if failed && (!found || len(list[i].Source) < len(p.Source)) {
					p, found = list[i], true
				}
			}
			if found || expired() {
				break
			}
		}
	}
	return p.renamed(fmt.Sprint(p.Seed))
}

// chunks yields the programs of a sequence in lists of n.
func chunks(sequence iter.Seq[Program], n int) iter.Seq[[]Program] {
	return func(yield func([]Program) bool) {
		var list []Program
		for p := range sequence {
			if list = append(list, p); len(list) == n {
				if !yield(list) {
					return
				}
				list = nil
			}
		}
		if len(list) > 0 {
			yield(list)
		}
	}
}

// declared matches the names of a program's own declarations, which end in its seed.
var declared = regexp.MustCompile(`\b(k|helper[a-z]|pair[a-z]|limit[a-z]|known|bits|flag|quotient|remainder)[0-9]+(x[0-9]+)?\b`)

// renamed returns a program whose declarations end in another suffix. Its arguments stay.
func (p Program) renamed(suffix string) Program {
	p.Source = declared.ReplaceAllString(p.Source, "${1}"+suffix)
	p.Kernel = "k" + suffix
	return p
}

// edit replaces a part of a text.
type edit struct {
	begin, end int
	text       string
}

// smaller yields the accepted programs that one edit makes of a program, those with the largest edits first.
func smaller(vocabulary *source.Program, p Program) iter.Seq[Program] {
	return func(yield func(Program) bool) {
		program, err := vocabulary.WithTexts(map[string][]byte{packageDir + "/program.go": []byte(p.Source)})
		if err != nil {
			return
		}
		edits := editsOf(program, p.Source, p.Kernel)
		slices.SortStableFunc(edits, func(a, b edit) int {
			return cmp.Compare(len(a.text)-(a.end-a.begin), len(b.text)-(b.end-b.begin))
		})
		seen := map[string]bool{p.Source: true}
		for _, e := range edits {
			text := tidy(p.Source[:e.begin] + e.text + p.Source[e.end:])
			if len(text) >= len(p.Source) || seen[text] {
				continue
			}
			seen[text] = true
			if _, _, err := checked(vocabulary, map[string][]byte{packageDir + "/program.go": []byte(text)}); err != nil {
				continue
			}
			candidate := p
			candidate.Source = text
			if !yield(candidate.renamed(fmt.Sprintf("%dx%d", p.Seed, len(seen)))) {
				return
			}
		}
	}
}

// blank matches the line breaks around lines without text.
var blank = regexp.MustCompile(`\n[ \t]*(\n[ \t]*)+`)

// tidy returns a formatted program without the lines that edits leave empty.
func tidy(text string) string {
	text = blank.ReplaceAllString(text, "\n")
	if formatted, err := format.Source([]byte(text)); err == nil {
		return string(formatted)
	}
	return text
}

// keepsDefined matches the functions without which a program would have no defined result.
var keepsDefined = regexp.MustCompile(`^(known|bits|quotient|remainder)[0-9]`)

// unneeded matches the declarations of types and constants.
var unneeded = regexp.MustCompile(`(?m)^(type \w+ struct \{\n([ \t].*\n)*\}|const limit.*)\n`)

// editsOf returns edits that make a program smaller, valid or not.
func editsOf(program *source.Program, text, kernelName string) []edit {
	var edits []edit
	for _, at := range unneeded.FindAllStringIndex(text, -1) {
		edits = append(edits, edit{at[0], at[1], ""})
	}
	for f := range program.Functions() {
		position := program.Fset.Position(f.Declaration.Pos())
		if !strings.HasPrefix(position.Filename, packageDir) || keepsDefined.MatchString(f.Object.Name()) {
			continue
		}
		offset := func(node ast.Node) (int, int) {
			return program.Fset.Position(node.Pos()).Offset, program.Fset.Position(node.End()).Offset
		}
		add := func(node ast.Node, text string) {
			begin, end := offset(node)
			edits = append(edits, edit{begin, end, text})
		}
		inside := func(node ast.Node) string {
			begin, end := offset(node)
			return text[begin:end]
		}
		if f.Object.Name() != kernelName {
			add(f.Declaration, "")
		}
		ast.Inspect(f.Declaration.Body, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.BlockStmt:
			case *ast.CaseClause:
				add(n, "")
			case *ast.ReturnStmt:
			case ast.Stmt:
				add(n, "")
				ast.Inspect(n, func(inner ast.Node) bool {
					if block, ok := inner.(*ast.BlockStmt); ok && node != inner {
						add(n, inside(block))
						return false
					}
					return true
				})
			case ast.Expr:
				expressionEdits(f.Info, n, add, inside)
			}
			return true
		})
	}
	slices.SortFunc(edits, func(a, b edit) int { // functions come in no fixed order
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.text, b.text))
	})
	return edits
}

// expressionEdits replaces an expression by a constant, or by a part of it that has its type.
func expressionEdits(info *types.Info, e ast.Expr, add func(ast.Node, string), inside func(ast.Node) string) {
	t := info.TypeOf(e)
	if t == nil || info.Types[e].IsType() {
		return
	}
	basic, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
	case basic.Info()&types.IsBoolean != 0:
		add(e, "true")
		add(e, "false")
	case basic.Info()&types.IsNumeric != 0:
		for _, text := range []string{"0", "1"} {
			add(e, text)
			if basic.Info()&types.IsUntyped == 0 {
				add(e, basic.Name()+"("+text+")")
			}
		}
	}
	ast.Inspect(e, func(inner ast.Node) bool {
		part, ok := inner.(ast.Expr)
		if ok && inner != ast.Node(e) && info.TypeOf(part) != nil && types.Identical(info.TypeOf(part), t) &&
			!info.Types[part].IsType() {
			add(e, inside(part))
		}
		return true
	})
}
