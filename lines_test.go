package trackgen_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxColumns is the maximum length of a line of hand-written Go, in characters; a tab counts as one.
const maxColumns = 120

// Lines that contain a part of a raw string are exempt, because a break would change the text. Another test checks the
// lines of generated files.
func TestLinesOfGoCode(t *testing.T) {
	for _, path := range files(t, ".go") {
		if strings.Contains(path, "/testdata/") || strings.HasSuffix(path, "_generated.go") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		raw := false
		for i, line := range strings.Split(string(text), "\n") {
			quotes := strings.Count(line, "`")
			if columns := utf8.RuneCountInString(line); !raw && quotes == 0 {
				assert.LessOrEqual(t, columns, maxColumns, "%s:%d", path, i+1)
			}
			raw = raw != (quotes%2 == 1)
		}
	}
}

// maxPageColumns is the maximum length of a line of a page in docs, in characters.
const maxPageColumns = 160

// Tables, code and headings are exempt, because they cannot be wrapped.
func TestLinesOfPages(t *testing.T) {
	for _, path := range files(t, ".md") {
		if !strings.HasPrefix(path, "docs/") || strings.HasPrefix(path, "docs/spec/") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		inCode := false
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				inCode = !inCode
			}
			if !inCode && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#") {
				assert.LessOrEqual(t, utf8.RuneCountInString(line), maxPageColumns, "%s:%d", path, i+1)
			}
		}
	}
}
