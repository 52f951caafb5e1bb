package command

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	for _, test := range []struct {
		text    string
		columns int
		want    string
	}{
		{"  valid      3 of 3\n", 0, "  valid      3 of 3\n"},
		{"  valid      3 of 3\n", 60, "  valid      3 of 3\n"},
		{"  not valid  curvature 3, separation 12, width 1\n", 35,
			"  not valid  curvature 3,\n             separation 12, width 1\n"},
		// Too little room below the text.
		{"      --separation number  pushes apart\n", 30, "      --separation number\n          pushes apart\n"},
		{"one two three four five six seven", 20, "one two three four\nfive six seven"},
		{"  one two three four five six", 20, "  one two three four\nfive six"},
		{"  wrote      a/folder/tracks.npz of 12", 33, "  wrote      a/folder/tracks.npz\n             of 12"},
		// The name of a file stays whole.
		{"  wrote      12345678901234567890abc and more", 33, "  wrote      12345678901234567890abc\n             and more"},
		{"12345678901234567890abc", 20, "12345678901234567890abc"},
		{"at most 65,535 times", 20, "at most 65,535 times"},
		{"one of at most 65,535", 20, "one of at most\n65,535"},
		{"bezier,hull,polar,voronoi", 20, "bezier,hull,polar,\nvoronoi"},
		{"\n\n", 20, "\n\n"},
	} {
		assert.Equal(t, test.want, fold(test.text, test.columns), test.text)
	}
}

// Folded text has all words in their order, and no line is too wide but for a word that does not fit.
func TestFoldAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			" ", "  ", "\n", "a", "word", "longer words", "a,b,c", "日本", strings.Repeat("x", 30), "e\u0301",
		})).Draw(t, "parts"), "")
		columns := rapid.IntRange(minColumns, 80).Draw(t, "columns")
		folded := fold(text, columns)
		for line := range strings.SplitSeq(folded, "\n") {
			if !slices.ContainsFunc(strings.Fields(line), func(word string) bool { return textWidth(word) > minColumns/2 }) {
				assert.LessOrEqual(t, textWidth(line), columns, "%q", folded)
			}
		}
		assert.Equal(t, strings.Join(strings.Fields(text), ""), strings.Join(strings.Fields(folded), ""))
	})
}

func TestColumnsOf(t *testing.T) {
	for value, want := range map[string]int{"": 0, "60": 60, "7": minColumns, "-3": 0, "wide": 0} {
		t.Setenv(columnsVariable, value)
		assert.Equal(t, want, columnsOf(new(bytes.Buffer)), value)
	}
}
