package track

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateFields = flag.Bool("update-fields", false,
	"write the fields in docs/spec/pipeline.md and docs/settings.md anew")

const (
	fieldsDocument = "../docs/spec/pipeline.md"
	fieldsBegin    = "<!-- fields -->\n"
	fieldsEnd      = "<!-- end of fields -->\n"
)

// fieldsTable returns the table of the specification, with a row for each field.
func fieldsTable() string {
	var b strings.Builder
	b.WriteString("\n| field | in TrackGen | default | allowed |\n|---|---|---|---|\n")
	for _, f := range fields.Documented() {
		reference := "`" + f.Reference + "`"
		if f.Reference == "" {
			reference = "does not have it"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, reference, f.DefaultText(), f.Allowed())
	}
	return b.String() + "\n"
}

// The specification matches the fields, defaults and ranges of the table of fields.
func TestFieldsOfTheSpecification(t *testing.T) { // docs/spec/pipeline.md, section 2.1
	text, err := os.ReadFile(fieldsDocument)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), fieldsBegin)
	require.True(t, found, "%s has no %s", fieldsDocument, fieldsBegin)
	is, after, found := strings.Cut(rest, fieldsEnd)
	require.True(t, found, "%s has no %s", fieldsDocument, fieldsEnd)
	if *updateFields {
		require.NoError(t, os.WriteFile(fieldsDocument, []byte(before+fieldsBegin+fieldsTable()+fieldsEnd+after), 0o644))
		return
	}
	require.Equal(t, fieldsTable(), is, "write the table anew with -update-fields")
}
