package export

import (
	"context"
	"fmt"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Extra are columns of one number per env that a batch of tracks does not have, such as labels of its tracks. A file
// has them behind those of the batch. Package export/labels makes those of difficulty; a program may have others.
type Extra struct {
	// Columns are per env, of kernel.Float32 or kernel.Int32. Their names are not those of columns of a batch.
	Columns []column.Column
	// Values returns the columns of a chunk, in the order of Columns, with one element for each of its envs.
	Values func(ctx context.Context, chunk *track.Batch) ([]column.Host, error)
}

// ExtraArrays adds columns to an .npz file of tracks.
func ExtraArrays(extra Extra) NPZOption { return func(w *npzArchive) { w.extra = &extra } }

// ExtraColumns adds columns to a file of tracks whose encoder has room for them: that of package export/parquet. The
// others write none.
func ExtraColumns(extra Extra) EncoderOption { return func(s *sequence) { s.extra = &extra } }

// Of returns the columns of a chunk. It returns an error for columns that are not those which were announced. Without
// extra columns, with a nil Extra, there are none.
func (x *Extra) Of(ctx context.Context, chunk *track.Batch) ([]column.Host, error) {
	if x == nil {
		return nil, nil
	}
	values, err := x.Values(ctx, chunk)
	if err != nil {
		return nil, err
	}
	if len(values) != len(x.Columns) {
		return nil, fmt.Errorf("export: %d extra columns: expected %d, as announced", len(values), len(x.Columns))
	}
	for i, c := range x.Columns {
		if v := values[i]; v.Name != c.Name || v.Type != c.Type || v.Len() != chunk.Envs {
			return nil, fmt.Errorf("export: the extra column %s has %d elements of %v: expected %s, with %d of %v", v.Name,
				v.Len(), v.Type, c.Name, chunk.Envs, c.Type)
		}
	}
	return values, nil
}

// check returns an error for columns that a file cannot have.
func (x *Extra) check() error {
	if x == nil {
		return nil
	}
	taken := map[string]bool{nameColumn: true, metadataName: true, "env": true}
	for _, c := range track.Schema.Columns() {
		taken[c.Name] = true
	}
	for _, c := range x.Columns {
		switch {
		case taken[c.Name] || c.Name == "":
			return fmt.Errorf("export: an extra column is called %q: must be a name that no other column has", c.Name)
		case c.Per != column.Env || c.Type != kernel.Float32 && c.Type != kernel.Int32:
			return fmt.Errorf("export: the extra column %s has %v per %v: must be float32 or int32 per env", c.Name, c.Type,
				c.Per)
		}
		taken[c.Name] = true
	}
	if x.Values == nil {
		return fmt.Errorf("export: extra columns without values: set Values")
	}
	return nil
}
