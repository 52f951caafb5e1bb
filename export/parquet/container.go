package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	library "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// magic is at the begin and at the end of a file.
const magic = "PAR1"

// container writes a file: row groups, and what follows them. It does what the library's file.Writer does, because that
// leaves no way to write pages of one's own.
type container struct {
	to     *counted
	props  *library.WriterProperties
	footer *metadata.FileMetaDataBuilder
	pages  pages
	groups int
}

// counted is a writer that knows how many bytes it has written, as the library asks for.
type counted struct {
	io.Writer
	written int64
}

// Write implements io.Writer.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.written += int64(n)
	return n, err
}

// Tell returns the number of bytes written.
func (c *counted) Tell() int64 { return c.written }

func newContainer(w io.Writer, root *schema.GroupNode, layout Layout, props *library.WriterProperties,
	values metadata.KeyValueMetadata) (*container, error) {
	c := &container{to: &counted{Writer: w}, props: props, pages: pages{layout: layout}}
	c.footer = metadata.NewFileMetadataBuilder(schema.NewSchema(root), props, values)
	if _, err := io.WriteString(c.to, magic); err != nil {
		return nil, err
	}
	return c, nil
}

// writeGroup writes the rows of a sheet as a row group.
func (c *container) writeGroup(s *sheet) error {
	if c.groups > math.MaxInt16 {
		return fmt.Errorf("the file has %d row groups: it must have at most %d", c.groups+1, math.MaxInt16+1)
	}
	group := c.footer.AppendRowGroup()
	for i := range s.columns {
		if err := c.writeColumn(group.NextColumnChunk(), s, i); err != nil {
			return fmt.Errorf("column %s: %w", s.columns[i].name, err)
		}
	}
	group.SetNumRows(s.rows)
	if err := group.Finish(0, int16(c.groups)); err != nil { // the library adds up the sizes
		return err
	}
	c.groups++
	return nil
}

func (c *container) writeColumn(chunk *metadata.ColumnChunkMetaDataBuilder, s *sheet, i int) error {
	path := chunk.Descr().Path()
	pager, err := file.NewPageWriter(c.to, c.props.CompressionFor(path), c.props.CompressionLevelFor(path), chunk,
		int16(c.groups), int16(i), c.props.Allocator(), false, nil, nil)
	if err != nil {
		return err
	}
	column := &s.columns[i]
	if !column.list {
		return column.write(file.NewColumnChunkWriter(chunk, pager, c.props))
	}
	if err := c.pages.write(pager, column); err != nil {
		return err
	}
	return pager.Close(false, false)
}

// finish writes what follows the last row group.
func (c *container) finish() error {
	footer, err := c.footer.Finish()
	if err != nil {
		return err
	}
	size, err := footer.WriteTo(c.to, nil)
	if err != nil {
		return err
	}
	_, err = c.to.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), magic...))
	return err
}
