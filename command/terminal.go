package command

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// columnsVariable is the environment variable with the width of the terminal. It has precedence over the width that the
// terminal reports.
const columnsVariable = "COLUMNS"

// minColumns is the least width to which text is folded, in columns of a terminal.
const minColumns = 20

func isTerminal(stream io.Writer) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// columnsOf returns the width to which text for w is folded: that of $COLUMNS, or of the terminal. It is 0, which means
// no limit, if w is not a terminal and $COLUMNS is not set.
func columnsOf(w io.Writer) int {
	if columns, err := strconv.Atoi(os.Getenv(columnsVariable)); err == nil && columns > 0 {
		return max(columns, minColumns)
	}
	if file, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return max(columns, minColumns)
		}
	}
	return 0
}

// screen returns the writer for progress bars: standard error unless the run is quiet.
func (a *app) screen(quiet bool) io.Writer {
	if quiet {
		return io.Discard
	}
	return a.stderr
}

// print writes a report to standard output, folded to the width of the terminal.
func (a *app) print(write func(io.Writer) error) error {
	return writeFolded(a.stdout, columnsOf(a.stdout.w), write)
}

// tell writes a report to standard error, folded to the width of the terminal. It ignores errors: the run succeeds even
// if its messages cannot be written.
func (a *app) tell(write func(io.Writer) error) {
	_ = writeFolded(a.stderr, columnsOf(a.stderr), write)
}

func writeFolded(w io.Writer, columns int, write func(io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	_, err := io.WriteString(w, fold(text.String(), columns))
	return err
}

// textWidth returns the width of a text on a terminal. Some characters, such as those of Chinese, are two columns wide.
func textWidth(text string) int { return uniseg.StringWidth(text) }

// fold breaks the lines of a text that are wider than columns, unless that is 0. The rest of a line is indented by its
// hang. A word that is wider than a line, such as the name of a file, stays whole, so that it can be copied.
func fold(text string, columns int) string {
	if columns == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		hang := hangOf(line, columns)
		lines[i] = strings.Join(foldLine(line, columns, hang, false), "\n"+strings.Repeat(" ", hang))
	}
	return strings.Join(lines, "\n")
}

// hangOf returns the column at which the rest of a line continues: that of its second field, if two blanks or more
// separate it from the first, else that of the first. In "  valid      3 of 3" it is that of "3 of 3". It leaves at
// least minColumns for the text.
func hangOf(line string, columns int) int {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if _, rest, found := strings.Cut(text, "  "); found {
		hang := textWidth(line) - textWidth(strings.TrimLeft(rest, " "))
		if columns-hang >= minColumns {
			return hang
		}
		indent += 4
	}
	return max(0, min(indent, columns-minColumns))
}

// foldLine splits a line between words into parts that are at most columns wide, the later ones at most columns-hang.
// It does not split the first hang columns. It splits a word that is wider than a part only if split is set.
func foldLine(line string, columns, hang int, split bool) (parts []string) {
	room, from := columns, hang
	for textWidth(line) > room {
		cut := foldAt(line, from, room, split)
		if cut == len(line) {
			break
		}
		parts = append(parts, strings.TrimRight(line[:cut], " "))
		line = strings.TrimLeft(line[cut:], " ")
		room, from = max(columns-hang, 1), 0
	}
	return append(parts, line)
}

// foldAt returns the length in bytes of the first part of a line that is wider than room. The part ends at the last
// blank that fits, or else behind the last comma, but not before column from. If neither exists, the part is as long as
// fits if split is set, and otherwise ends at the next blank or comma.
func foldAt(line string, from, room int, split bool) int {
	fits, blank, comma, width := 0, 0, 0, 0
	inText := false
	for rest := line; rest != ""; {
		cluster, after, wide, _ := uniseg.FirstGraphemeClusterInString(rest, -1)
		at := len(line) - len(rest)
		rest = after
		inText = inText || cluster != " "
		if cluster == " " && inText && width >= from {
			blank = at
		}
		width += wide
		if width > room && at > 0 {
			switch {
			case blank > 0:
				return blank
			case comma > 0:
				return comma
			case split:
				return fits
			}
		}
		fits = at + len(cluster)
		if cluster == "," && width > from {
			comma = fits
		}
	}
	return len(line)
}
