package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Gates along tracks stand where the reference system places checkpoints along the same tracks.
func TestAlongGolden(t *testing.T) {
	golden := openGolden(t, "utilities_flat.npz")
	vectors := func(name string) (list []kernel.Vec3) {
		all := values[float32](t, golden, name)
		for i := 0; i < len(all); i += 3 {
			list = append(list, kernel.V3(all[i], all[i+1], all[i+2]))
		}
		return list
	}
	batch := &track.Batch{HostColumns: track.HostColumns{
		Outer: vectors("track/outer"), Center: vectors("track/center"), Inner: vectors("track/inner"),
		Tangent: vectors("track/tangent"), Normal: vectors("track/normal"),
		Arclen: values[float32](t, golden, "track/arclen"), Length: values[float32](t, golden, "track/length"),
		Winding: values[float32](t, golden, "track/winding"), Valid: values[int32](t, golden, "track/valid"),
		Count: values[int32](t, golden, "track/count"),
	}}
	batch.Envs, batch.NMax = len(batch.Length), len(batch.Arclen)/len(batch.Length)
	device := openCPU(t)
	tracks, err := track.Upload(t.Context(), device, batch)
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	for name, spacing := range map[string]float64{"checkpoints/s06": 0.6, "checkpoints/s1": 1} {
		want, count := vectors(name+"/position"), values[int32](t, golden, name+"/count")
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
