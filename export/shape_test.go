package export_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
)

// Shape.Bytes returns the size of the columns of a batch of generated tracks.
func TestShapeBytes(t *testing.T) {
	b := generated(t, track.Polar)
	total := int64(0)
	for _, c := range track.Schema.Host(&b.HostColumns) {
		total += int64(c.Len()) * c.Type.Size()
	}
	require.Equal(t, total, export.ShapeOf(b).Bytes())
}
