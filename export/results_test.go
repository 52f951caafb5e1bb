package export

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

var updateResults = flag.Bool("update-results", false, "write the tables of docs/results.md anew")

const (
	resultsDocument = "../docs/results.md"
	resultsBegin    = "<!-- columns -->\n"
	resultsEnd      = "<!-- end of columns -->\n"
)

// resultsTables returns the tables of the page.
func resultsTables() string {
	var b strings.Builder
	b.WriteString("\n| column | type, shape | unit | stage | if absent | meaning |\n|---|---|---|---|---|---|\n")
	for _, c := range track.Schema.Columns() {
		number := "float32"
		if c.Type == kernel.Int32 {
			number = "int32"
		}
		unit := string(c.Unit)
		if c.Unit == column.None {
			unit = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s %s | %s | `%s` | %s | %s |\n", c.Name, number, c.Shape(), unit, c.Stage, c.Absent, c.Doc)
	}
	b.WriteString("\n| format | leaves out | because |\n|---|---|---|\n")
	for _, format := range slices.Sorted(maps.Keys(leftOut)) {
		for _, o := range leftOut[format] {
			what := "`" + strings.Join(o.columns, "`, `") + "`"
			if o.per != "" {
				what = fmt.Sprintf("every column of one value per %s", o.per)
			}
			if len(o.but) > 0 {
				what += ", but `" + strings.Join(o.but, "`, `") + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", format, what, o.why)
		}
	}
	return b.String() + "\n"
}

// The page lists exactly the existing columns.
func TestResultsPage(t *testing.T) {
	text, err := os.ReadFile(resultsDocument)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), resultsBegin)
	require.True(t, found, "%s has no %s", resultsDocument, resultsBegin)
	is, after, found := strings.Cut(rest, resultsEnd)
	require.True(t, found, "%s has no %s", resultsDocument, resultsEnd)
	if *updateResults {
		require.NoError(t, os.WriteFile(resultsDocument, []byte(before+resultsBegin+resultsTables()+resultsEnd+after), 0o644))
		return
	}
	require.Equal(t, resultsTables(), is, "write the tables anew with -update-results")
}
