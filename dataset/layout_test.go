package dataset_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/dataset"
	"github.com/trackgen-go/trackgen/export/parquet"
)

// A data set has the layout of its plan, says so, and is not continued in another one. A layout that names the defaults
// is the default one.
func TestLayoutOfAPlan(t *testing.T) {
	device := open(t)
	sizes := map[string]int{}
	for name, layout := range map[string]parquet.Layout{
		"default": {},
		"stated":  {Compression: parquet.Snappy, Precision: parquet.Single},
		"half":    {Precision: parquet.Half},
		"center":  {Columns: []string{"center"}, Compression: parquet.Zstandard},
	} {
		store, r := newMemory(), run(device, nil)
		r.Store, r.Plan.Layout = store, layout
		_, err := dataset.Make(t.Context(), r)
		require.NoError(t, err)
		for object, text := range store.copy() {
			if strings.HasSuffix(object, ".parquet") {
				sizes[name] += len(text)
			}
		}
		plan, _, err := dataset.ReadPlan(t.Context(), store)
		require.NoError(t, err)
		require.Equal(t, layout.Resolved(), plan.Layout, name)
		verification, err := dataset.Verify(t.Context(), r, []int{0})
		require.NoError(t, err)
		require.Empty(t, verification.Findings)

		r.Plan.Layout.Compression = parquet.Uncompressed
		_, err = dataset.Make(t.Context(), r)
		require.ErrorIs(t, err, dataset.ErrNoDataset, name)
		require.ErrorContains(t, err, `here "compression": "none"`)
	}
	require.Equal(t, sizes["default"], sizes["stated"])
	require.Less(t, sizes["half"], sizes["default"])
	require.Less(t, sizes["center"], sizes["half"])
}

func TestWrongLayouts(t *testing.T) {
	r := run(open(t), newMemory())
	r.Plan.Layout.Columns = []string{"middle"}
	_, err := dataset.Make(t.Context(), r)
	var wrong *parquet.LayoutError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "columns", wrong.Field)

	r.Plan.Layout, r.Plan.Format = parquet.Layout{Precision: parquet.Half}, dataset.NPZ
	_, err = dataset.Make(t.Context(), r)
	require.ErrorIs(t, err, dataset.ErrPlan)
	require.ErrorContains(t, err, `format is "npz": must be "parquet" with a compression, a precision or columns`)
}
