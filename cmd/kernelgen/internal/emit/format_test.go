package emit

import (
	"bytes"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// TestFormatterMessages checks that what the formatter refuses is reported where it came from.
func TestFormatterMessages(t *testing.T) {
	program := &source.Program{Fset: token.NewFileSet()}
	file := program.Fset.AddFile("kernels.go", -1, 100)
	for line := range 9 {
		file.AddLine(10 * line)
	}
	header := bytes.NewBufferString("package x\n\n")
	body := bytes.NewBufferString("func f() {\n\tx = 1\n\ty = = 2\n}\n\nfunc g() {\n\tz = 3\n}\n")
	var marks []mark
	for line, text := range []string{"func f", "x =", "y =", "}\n\n", "func g", "z ="} {
		marks = append(marks, mark{bytes.Index(body.Bytes(), []byte(text)), file.Pos(10 * line)})
	}
	_, err := formatted(program, "x_generated.go", header, body, marks)
	require.Regexp(t, `^kernels.go:3:1: tool: gofmt: expected operand, found '=' \(line 5 of x_g`, err.Error())
	_, err = formatted(program, "x_generated.go", header, bytes.NewBufferString(body.String()[:18]), marks[:2])
	require.Regexp(t, `^kernels.go:2:1: tool: gofmt: .*EOF`, err.Error())
	text, err := formatted(program, "x_generated.go", header, bytes.NewBufferString("var  x int\n"), marks)
	require.NoError(t, err)
	require.Equal(t, "package x\n\nvar x int\n", string(text))
}
