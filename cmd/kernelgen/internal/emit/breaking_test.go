package emit

import (
	"go/format"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongLinesAreBroken breaks lines of each kind. N stands for a name of thirty letters.
func TestLongLinesAreBroken(t *testing.T) {
	for name, test := range map[string]struct{ long, broken string }{
		"signature": {
			"func f(a N, b N, c N, d N) (N, N) {\n\treturn a, b\n}",
			"func f(\n\ta N, b N, c N,\n\td N,\n) (N, N) {\n\treturn a, b\n}",
		},
		"body on the same line": {
			"func f(a N) N { return a.N(a.N, a.N, 1) }",
			"func f(a N) N {\n\treturn a.N(a.N, a.N, 1)\n}",
		},
		"arguments, the outermost": {
			"func f() { N(1, g(N, 2, N), g(N, 3, N)) }",
			"func f() {\n\tN(1, g(N, 2, N),\n\t\tg(N, 3, N))\n}",
		},
		"operators, the loosest": {
			"func f() bool { return N && a < N || b > N && N }",
			"func f() bool {\n\treturn N && a < N ||\n\t\tb > N && N\n}",
		},
		"a function literal": {
			"func f() error {\n\treturn N(N, func(i N) { g(i, N) })\n}",
			"func f() error {\n\treturn N(N, func(i N) {\n\t\tg(i, N)\n\t})\n}",
		},
		"elements": {
			"var x = []N{{File: \"N\", Line: 123, Column: 45, Expression: \"NN\"}}",
			"var x = []N{{File: \"N\", Line: 123, Column: 45,\n\tExpression: \"NN\"}}",
		},
		"not on the left": {
			"func f() { *a.N(1, 2), *b.N(3, 4), c = g(N, N) }",
			"func f() {\n\t*a.N(1, 2), *b.N(3, 4), c = g(\n\t\tN, N)\n}",
		},
		"the arguments of the last call of a chain": {
			"func f() { *a.Write(i, 1) = N.Read(N, 2).Add(N.Read(k, 3).Sub(1)) }",
			"func f() {\n\t*a.Write(i, 1) = N.Read(N, 2).Add(\n\t\tN.Read(k, 3).Sub(1))\n}",
		},
		"nothing can be done": {
			"// NNNNN\nvar x = NNNNN",
			"// NNNNN\nvar x = NNNNN",
		},
	} {
		t.Run(name, func(t *testing.T) {
			long := func(text string) string {
				return "package x\n\n" + strings.ReplaceAll(text, "N", strings.Repeat("Name", 8)[:30]) + "\n"
			}
			text, err := format.Source([]byte(long(test.long)))
			require.NoError(t, err)
			text, err = shortened(text)
			require.NoError(t, err)
			require.Equal(t, long(test.broken), string(text))
			formatted, err := format.Source(text)
			require.NoError(t, err)
			require.Equal(t, string(text), string(formatted))
		})
	}
}

// TestOverflow counts columns, of which a tab takes four and a rune of several bytes one.
func TestOverflow(t *testing.T) {
	require.Equal(t, -1, overflow([]byte(strings.Repeat("é", 120))))
	require.Equal(t, 240, overflow([]byte(strings.Repeat("é", 121))))
	require.Equal(t, -1, overflow([]byte("\t"+strings.Repeat("x", 116))))
	require.Equal(t, 117, overflow([]byte("\t"+strings.Repeat("x", 117))))
}
