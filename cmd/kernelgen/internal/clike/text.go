package clike

import (
	"go/token"
	"slices"
	"strings"
)

// Text is generated code with the place in the Go source that each of its lines comes from.
type Text struct {
	Code    string
	origins []token.Pos // by line, NoPos for lines that no source has, such as those of a prelude
}

// TextFrom returns code of which every line comes from one place.
func TextFrom(pos token.Pos, code string) Text {
	return Text{Code: code, origins: slices.Repeat([]token.Pos{pos}, strings.Count(code, "\n"))}
}

// Origin returns where a line, the first of which is 1, comes from; NoPos where that is not known.
func (t Text) Origin(line int) token.Pos {
	if line < 1 || line > len(t.origins) {
		return token.NoPos
	}
	return t.origins[line-1]
}

// Page is a text that is put together of others.
type Page struct {
	strings.Builder
	origins []token.Pos
}

// Add appends a text. What is written to the page otherwise has no origin.
func (p *Page) Add(text Text) {
	lines := strings.Count(p.String(), "\n")
	p.origins = append(p.origins, make([]token.Pos, lines-len(p.origins))...)
	p.origins = append(p.origins, text.origins...)
	p.WriteString(text.Code)
}

// Text returns what the page holds.
func (p *Page) Text() Text { return Text{Code: p.String(), origins: p.origins} }
