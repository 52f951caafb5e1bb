package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func tableText(t require.TestingT, list *table, columns int) string {
	var out strings.Builder
	require.NoError(t, list.write(&out, columns))
	return out.String()
}

func TestTable(t *testing.T) {
	devices := &table{head: []string{"NAME", "DESCRIPTION", "DRIVER", "WORKERS"}, keys: 1}
	devices.add("cpu", "A processor", "go1.26", "2")
	devices.add("vulkan:0", "A rasterizer with a long name (software)", "25.1", "-")
	whole := `NAME      DESCRIPTION                               DRIVER  WORKERS
cpu       A processor                               go1.26  2
vulkan:0  A rasterizer with a long name (software)  25.1    -
`
	assert.Equal(t, whole, tableText(t, devices, 0))
	assert.Equal(t, whole, tableText(t, devices, 67))
	// Texts are broken first.
	assert.Equal(t, `NAME      DESCRIPTION             DRIVER  WORKERS
cpu       A processor             go1.26  2
vulkan:0  A rasterizer with a     25.1    -
          long name (software)
`, tableText(t, devices, 49))
	// Then the table is broken into parts, all of which have the key.
	assert.Equal(t, `NAME      DESCRIPTION
cpu       A processor
vulkan:0  A rasterizer with
          a long name
          (software)

NAME      DRIVER  WORKERS
cpu       go1.26  2
vulkan:0  25.1    -
`, tableText(t, devices, 28))
}

// No line of a table is wider than the terminal if a key, one column and a blank fit, and all cells are there.
func TestAnyTable(t *testing.T) {
	cell := rapid.SampledFrom([]string{"", "1", "12.5 %", "bezier", "some words in a long cell of a table", "日本",
		strings.Repeat("y", 40)})
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 9).Draw(t, "columns of the table")
		list := &table{keys: 1, head: []string{"KEY"}}
		for range size {
			list.head = append(list.head, rapid.StringMatching(`[A-Z]{1,12}`).Draw(t, "head"))
		}
		rows := rapid.IntRange(0, 4).Draw(t, "rows")
		for range rows {
			row := []string{rapid.StringMatching(`k[a-z]{0,6}`).Draw(t, "key")}
			for range size {
				row = append(row, cell.Draw(t, "cell"))
			}
			list.add(row...)
		}
		columns := rapid.IntRange(42, 100).Draw(t, "columns")
		text := tableText(t, list, columns)
		letters := map[rune]int{}
		for line := range strings.Lines(text) {
			assert.LessOrEqual(t, textWidth(strings.TrimSuffix(line, "\n")), columns, "%s", text)
			for _, r := range line {
				letters[r]++
			}
		}
		for _, r := range []rune{'y', '日', 'b'} {
			want := 0
			for _, row := range list.rows {
				want += strings.Count(strings.Join(row[1:], ""), string(r))
			}
			assert.GreaterOrEqual(t, letters[r], want, "%s", text)
		}
	})
}
