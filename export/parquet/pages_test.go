package parquet_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/trackgen-go/trackgen/export"
	tracks "github.com/trackgen-go/trackgen/export/parquet"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/track"
)

// longBatch holds tracks whose arc lengths fill three pages: one with no points, one with a number that is not finite,
// four of 65,536 points, which fill a page exactly, and 23 of 13,000.
func longBatch() *track.Batch {
	const nMax = 1 << 16
	counts := []int{0, 4, nMax, nMax, nMax, nMax}
	for range 23 {
		counts = append(counts, 13_000)
	}
	b := track.NewBatch(len(counts), nMax)
	for e, n := range counts {
		b.Count[e], b.Valid[e] = int32(n), 1
		for i := range n {
			b.Arclen[e*nMax+i] = float32(e) + float32(i)/4096
		}
	}
	b.Arclen[nMax+2] = nan
	return b
}

// Pages begin with a row and hold at most 1 MiB of numbers; readers see the same lists.
func TestPagesOfLongLists(t *testing.T) {
	b := longBatch()
	folder := t.TempDir()
	var paths []string
	for _, c := range []tracks.Compression{tracks.Snappy, tracks.Zstandard, tracks.Uncompressed} {
		layout := tracks.Layout{Compression: c, Columns: []string{"arclen"}}
		text := encodeIn(t, layout, b)
		rows, err := parquet.Read[struct {
			Arclen []float32 `parquet:"arclen,optional,list"`
		}](bytes.NewReader(text), int64(len(text)))
		require.NoError(t, err)
		require.Len(t, rows, b.Envs)
		for e, row := range rows {
			if e == 1 {
				require.Nil(t, row.Arclen)
				continue
			}
			want := b.Arclen[e*b.NMax:][:b.Count[e]]
			require.Len(t, row.Arclen, len(want))
			for i := range want {
				if row.Arclen[i] != want[i] {
					require.Equal(t, want[i], row.Arclen[i], "env %d, point %d", e, i)
				}
			}
		}
		require.Equal(t, []int64{6, 20, 3}, rowsOfPages(t, text))
		path := filepath.Join(folder, string(c))
		require.NoError(t, os.WriteFile(path, text, 0o600))
		paths = append(paths, path)
	}
	const script = `
import sys
import pyarrow.parquet as pq
for path in sys.argv[1:]:
    lists = pq.ParquetFile(path).read()["arclen"].to_pylist()
    assert lists[0] == [] and lists[1] is None
    assert [len(l) for l in lists[2:]] == 4 * [1 << 16] + 23 * [13000]
    assert all(l == [e + i / 4096 for i in range(len(l))] for e, l in enumerate(lists[2:], 2))
`
	required.Python(t, "pyarrow.parquet", script, paths...)
}

// rowsOfPages returns the number of rows of each page of the column arclen.
func rowsOfPages(t *testing.T, text []byte) (rows []int64) {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	require.Len(t, file.RowGroups(), 1)
	leaf, ok := file.Schema().Lookup("arclen", "list", "element")
	require.True(t, ok)
	chunk := file.Metadata().RowGroups[0].Columns[leaf.ColumnIndex].MetaData
	require.NotContains(t, chunk.Encoding, format.PlainDictionary)
	pages := file.RowGroups()[0].ColumnChunks()[leaf.ColumnIndex].Pages()
	defer func() { require.NoError(t, pages.Close()) }()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, page.NumRows())
		parquet.Release(page)
	}
}

// Files that are written at once, in memory of earlier ones, have the bytes of files that are written one by one.
func TestFilesAtOnce(t *testing.T) {
	layouts := []tracks.Layout{{}, {Columns: []string{"center"}}, {Precision: tracks.Half},
		{Compression: tracks.Zstandard}}
	write := func(i int) string {
		b := sampleBatch(5 + i)
		var out bytes.Buffer
		e, err := layouts[i%len(layouts)].NewEncoder(&out, export.ShapeOf(b), metadata())
		if err == nil {
			err = e.Append(t.Context(), b)
		}
		if err == nil {
			err = e.Finish()
		}
		if err != nil {
			return err.Error()
		}
		return out.String()
	}
	const files = 16
	var want [files]string
	for i := range want {
		want[i] = write(i)
	}
	var group errgroup.Group
	for i := range 4 * files {
		group.Go(func() error {
			if write(i%files) != want[i%files] {
				return fmt.Errorf("file %d differs", i)
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
}
