package exec_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateRules = flag.Bool("update-rules", false, "write docs/exec-rules.md anew")

// rulesFile is the table of the execution layer's rules and the tests that cite them.
const rulesFile = "../docs/exec-rules.md"

// ruleTrees are the directories whose tests may cite the rules.
var ruleTrees = []string{"exec", "interop", "seeds", "pipeline", "track", "backend", "course", "race"}

// rules lists the numbers of all rules in the order of the table. R118 and R144 to R154 do not exist.
func rules() []string {
	var all []string
	for n := 1; n <= 169; n++ {
		switch {
		case n == 118:
			for letter := 'a'; letter <= 'l'; letter++ {
				all = append(all, fmt.Sprintf("R118%c", letter))
			}
		case n < 144 || n > 154:
			all = append(all, fmt.Sprintf("R%d", n))
		}
		if n == 64 {
			all = append(all, "R64a", "R64b")
		}
	}
	for n := 1; n <= 22; n++ {
		all = append(all, fmt.Sprintf("D%d", n))
	}
	for n := 1; n <= 24; n++ {
		all = append(all, fmt.Sprintf("C%d", n))
	}
	return all
}

// withoutTest lists the rules that need no test, each with the reason.
var withoutTest = map[string]string{
	"R8":   "as D13",
	"R124": "there are no command objects: a kernel definition is launched through a context, and the launch is checked",
	"R158": "D5 and D15 define what a legacy producer is",
	"R159": "the facades are those of the packages of producers, above this layer",
	"C13":  "a range is a slice of an array: there is neither a count nor an offset",
	"C16":  "as R124",
}

var (
	citation = regexp.MustCompile(`\b([RDC])(\d+)([a-l]?)\b`)
	span     = regexp.MustCompile(`\b([RDC])(\d+)-([RDC])(\d+)\b`)
)

// cited returns the rules that a text cites; R38-R40 cites three.
func cited(text string) []string {
	var list []string
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		low, _ := strconv.Atoi(m[2])
		high, _ := strconv.Atoi(m[4])
		for n := low; m[1] == m[3] && n <= high; n++ {
			list = append(list, fmt.Sprintf("%s%d", m[1], n))
		}
	}
	return append(list, citation.FindAllString(text, -1)...)
}

// citations returns for each rule the tests that cite it in comments or in strings.
func citations(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, tree := range ruleTrees {
		root := filepath.Join("..", tree)
		if _, err := os.Stat(root); err != nil {
			continue
		}
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.HasPrefix(entry.Name(), "zz_") ||
				entry.Name() == "rules_test.go" {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, source, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			lines := bytes.Split(source, []byte("\n"))
			for _, declaration := range file.Decls {
				function, ok := declaration.(*ast.FuncDecl)
				if !ok || function.Recv != nil || !isTest(function.Name.Name) {
					continue
				}
				first := files.Position(function.Pos()).Line
				if function.Doc != nil {
					first = files.Position(function.Doc.Pos()).Line
				}
				text := string(bytes.Join(lines[first-1:files.Position(function.End()).Line], []byte("\n")))
				directory, _ := filepath.Rel("..", filepath.Dir(path))
				name := filepath.ToSlash(directory) + "." + function.Name.Name
				for _, rule := range cited(text) {
					if !slices.Contains(found[rule], name) {
						found[rule] = append(found[rule], name)
					}
				}
			}
			return nil
		}))
	}
	for _, tests := range found {
		slices.Sort(tests)
	}
	return found
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example") ||
		strings.HasPrefix(name, "Benchmark")
}

// table returns the text of the file.
func table(found map[string][]string) string {
	var b strings.Builder
	b.WriteString(`# Rules of the execution layer and their tests

R, D and C are the rules, decisions and corrections of [spec/execution.md](spec/execution.md). Tests cite them by
number. ` + "`go test ./exec -run TestRules -update-rules`" + ` writes this table; the same test fails if a rule has
neither a test nor a reason, or if a test named here no longer cites the rule. Some numbers are not used (R118 without
a letter, R144 to R154).

| rule | tests |
|---|---|
`)
	for _, rule := range rules() {
		if reason := withoutTest[rule]; len(found[rule]) == 0 {
			fmt.Fprintf(&b, "| %s | none: %s |\n", linked(rule), reason)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s |\n", linked(rule), strings.Join(found[rule], ", "))
	}
	return b.String()
}

// linked returns a link to the text of a rule.
func linked(rule string) string {
	return fmt.Sprintf("[%s](spec/execution.md#%s)", rule, strings.ToLower(rule))
}

func TestRules(t *testing.T) {
	found := citations(t)
	for _, rule := range rules() {
		assert.True(t, len(found[rule]) > 0 || withoutTest[rule] != "", "%s has neither a test nor a reason", rule)
	}
	if *updateRules && !t.Failed() {
		require.NoError(t, os.WriteFile(rulesFile, []byte(table(found)), 0o644))
	}
	text, err := os.ReadFile(rulesFile)
	require.NoError(t, err)
	rows := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if cells := strings.Split(line, " | "); len(cells) == 2 {
			rows[strings.TrimPrefix(cells[0], "| ")] = strings.TrimSuffix(cells[1], " |")
		}
	}
	for _, rule := range rules() {
		row, ok := rows[linked(rule)]
		require.True(t, ok, "%s has no row in %s", rule, rulesFile)
		if reason := withoutTest[rule]; reason != "" && row == "none: "+reason {
			continue
		}
		for _, name := range strings.Split(row, ", ") {
			assert.Contains(t, found[rule], name, "%s no longer cites %s: run the test with -update-rules", name, rule)
		}
	}
}

func TestCitations(t *testing.T) {
	assert.Equal(t, []string{"R38", "R39", "R40", "R38", "R40", "D17"}, cited("R38-R40, D17"))
	assert.Equal(t, []string{"R6", "R64", "R118f", "R64a"}, cited("R6(4), R64 M8, R118f; R64a"))
	assert.Empty(t, cited("FR12 R C3PO x"))
	assert.Len(t, rules(), 169-11-1+12+2+22+24)
}
