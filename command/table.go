package command

import (
	"io"
	"slices"
	"strings"
)

// table is a table of text with aligned columns.
type table struct {
	head []string
	rows [][]string // as long as head
	keys int        // the first columns, which say what a row is about; a table in several parts repeats them
	gap  int        // blanks between columns; 0: 2
}

// add adds a row.
func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// breakable is the width up to which a cell is never broken. It has room for a number with its unit.
const breakable = 16

// write writes the table. If it is wider than columns, texts in cells are broken into several lines; if that does not
// suffice, the table is written in several parts, one below the other, each with the keys and some other columns. If
// columns is 0, the width has no limit.
func (t *table) write(w io.Writer, columns int) error {
	var out strings.Builder
	for i, part := range t.parts(columns) {
		if i > 0 {
			out.WriteByte('\n')
		}
		t.writePart(&out, part, t.fit(part, columns))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// parts returns the columns of each part of the table.
func (t *table) parts(columns int) [][]int {
	var all []int
	for c := range t.head {
		all = append(all, c)
	}
	if columns == 0 || t.narrowest(all) <= columns {
		return [][]int{all}
	}
	keys := all[:t.keys]
	var parts [][]int
	part := slices.Clone(keys)
	for _, c := range all[t.keys:] {
		if len(part) > len(keys) && t.narrowest(append(slices.Clone(part), c)) > columns {
			parts, part = append(parts, part), slices.Clone(keys)
		}
		part = append(part, c)
	}
	return append(parts, part)
}

// narrowest returns the least width of a table of these columns.
func (t *table) narrowest(part []int) int {
	width := -t.gapWidth()
	for _, c := range part {
		_, least := t.widths(c)
		width += least + t.gapWidth()
	}
	return width
}

func (t *table) gapWidth() int {
	if t.gap == 0 {
		return 2
	}
	return t.gap
}

// widths returns the width of a column, and the width to which breaking its cells can reduce it.
func (t *table) widths(c int) (natural, least int) {
	cell := func(text string) {
		width := textWidth(text)
		natural = max(natural, width)
		if width > breakable {
			width = breakable
			for word := range strings.FieldsSeq(text) {
				width = max(width, min(textWidth(word), 2*breakable))
			}
		}
		least = max(least, width)
	}
	cell(t.head[c])
	for _, row := range t.rows {
		cell(row[c])
	}
	return natural, least
}

// fit returns the widths of the columns of a part. It takes what is missing from the widest columns.
func (t *table) fit(part []int, columns int) []int {
	widths, least := make([]int, len(part)), make([]int, len(part))
	total := -t.gapWidth()
	for i, c := range part {
		widths[i], least[i] = t.widths(c)
		total += widths[i] + t.gapWidth()
	}
	for ; columns > 0 && total > columns; total-- {
		widest := -1
		for i := range widths {
			if widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break // a single column is wider than the terminal
		}
		widths[widest]--
	}
	return widths
}

// writePart writes some columns of the table with the given widths.
func (t *table) writePart(out *strings.Builder, part, widths []int) {
	for _, row := range append([][]string{t.head}, t.rows...) {
		cells := make([][]string, len(part))
		lines := 1
		for i, c := range part {
			cells[i] = foldLine(row[c], widths[i], 0, true)
			lines = max(lines, len(cells[i]))
		}
		for l := range lines {
			line, at := "", 0
			for i, cell := range cells {
				if l < len(cell) {
					line += strings.Repeat(" ", max(0, at-textWidth(line))) + cell[l]
				}
				at += widths[i] + t.gapWidth()
			}
			out.WriteString(line + "\n")
		}
	}
}
