package emit

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
	"slices"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// mark says where a generated file comes from, from an offset in its body on.
type mark struct {
	offset int
	pos    token.Pos
}

// formatted formats a generated Go file of a header and a body, and breaks its long lines. What the formatter refuses
// is reported at the place that the last mark before it names.
func formatted(program *source.Program, name string, header, body *bytes.Buffer, marks []mark) ([]byte, error) {
	start := header.Len()
	text := slices.Concat(header.Bytes(), body.Bytes())
	result, err := format.Source(text)
	if err == nil {
		return shortened(result)
	}
	refusal := func(line int, message string) source.Diagnostic {
		var pos token.Pos
		for _, m := range marks {
			if pos.IsValid() && bytes.Count(text[:start+m.offset], []byte("\n")) >= line {
				break
			}
			pos = m.pos
		}
		return source.Diagnostic{
			Position: program.Fset.Position(pos), Rule: "tool", Cause: err,
			Message: fmt.Sprintf("gofmt: %s (line %d of %s)", message, line, name),
		}
	}
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return nil, source.Diagnostics{refusal(1, err.Error())}
	}
	var refused source.Diagnostics
	for _, e := range list {
		refused = append(refused, refusal(e.Pos.Line, e.Msg))
	}
	return nil, refused
}
