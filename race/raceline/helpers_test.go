package raceline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
)

// tracksOf returns the part of a batch that racing lines are found in.
func tracksOf(b *track.Batch) tracks {
	return tracks{center: b.Center, normal: b.Normal, right: b.WidthRight, left: b.WidthLeft, count: b.Count}
}

func (t tracks) upload(tb testing.TB, device backend.Device) raceline.Source {
	tb.Helper()
	return raceline.Source{
		Center: coursetest.Upload(tb, device, t.center), Normal: coursetest.Upload(tb, device, t.normal),
		WidthRight: coursetest.Upload(tb, device, t.right), WidthLeft: coursetest.Upload(tb, device, t.left),
		Count: coursetest.Upload(tb, device, t.count),
	}
}

// find returns the racing lines of tracks.
func find(tb testing.TB, device backend.Device, t tracks, c raceline.Config) *raceline.Batch {
	tb.Helper()
	optimiser, err := raceline.New(device, t.upload(tb, device), c)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, optimiser.Close()) }()
	batch, err := optimiser.Line().Read(tb.Context())
	require.NoError(tb, err)
	return batch
}

// generated returns tracks of a generator.
func generated(tb testing.TB, device backend.Device, c track.Config) *track.Batch {
	tb.Helper()
	g, err := track.NewGenerator(device, c)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, g.Close()) }()
	batch, err := g.Track().Batch(tb.Context())
	require.NoError(tb, err)
	return batch
}
