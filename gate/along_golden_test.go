package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Gates along tracks stand where the reference system places checkpoints along the same tracks.
func TestAlongGolden(t *testing.T) {
	reference := golden.Open(t, "utilities_flat.npz")
	vectors := func(name string) (list []kernel.Vec3) {
		all := golden.Array[float32](t, reference, name)
		for i := 0; i < len(all); i += 3 {
			list = append(list, kernel.V3(all[i], all[i+1], all[i+2]))
		}
		return list
	}
	batch := &track.Batch{HostColumns: track.HostColumns{
		Outer: vectors("track/outer"), Center: vectors("track/center"), Inner: vectors("track/inner"),
		Tangent: vectors("track/tangent"), Normal: vectors("track/normal"),
		Arclen:  golden.Array[float32](t, reference, "track/arclen"),
		Length:  golden.Array[float32](t, reference, "track/length"),
		Winding: golden.Array[float32](t, reference, "track/winding"),
		Valid:   golden.Array[int32](t, reference, "track/valid"),
		Count:   golden.Array[int32](t, reference, "track/count"),
	}}
	batch.Envs, batch.NMax = len(batch.Length), len(batch.Arclen)/len(batch.Length)
	device := openCPU(t)
	tracks, err := track.Upload(t.Context(), device, batch)
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	for name, spacing := range map[string]float64{"checkpoints/s06": 0.6, "checkpoints/s1": 1} {
		want, count := vectors(name+"/position"), golden.Array[int32](t, reference, name+"/count")
		b := along(t, device, tracks, alongConfig(spacing))
		require.Equal(t, count, b.Count, name)
		room := len(want) / batch.Envs
		for e := range batch.Envs {
			for k, p := range b.Gates(b.Position, e) {
				assert.InDelta(t, 0, p.Sub(want[e*room+k]).Len(), 1e-5, "%s: env %d, gate %d", name, e, k)
			}
		}
	}
}
