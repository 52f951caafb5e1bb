package checkpoints_test

import (
	"context"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/internal/resample/resampletest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// sourceOf uploads lines as centrelines.
func sourceOf(t testing.TB, device backend.Device, lines [][]kernel.Vec3) checkpoints.Source {
	t.Helper()
	tracks := resampletest.TracksOf(lines)
	return checkpoints.Source{
		Outer:  coursetest.Upload(t, device, tracks.Outer),
		Center: coursetest.Upload(t, device, tracks.Center),
		Inner:  coursetest.Upload(t, device, tracks.Inner),
		Count:  coursetest.Upload(t, device, tracks.Count),
		Valid:  coursetest.Upload(t, device, tracks.Valid),
	}
}

// newSampler makes a sampler until the test ends.
func newSampler(t testing.TB, device backend.Device, source checkpoints.Source, c checkpoints.Config,
	with ...checkpoints.Option) *checkpoints.Sampler {
	t.Helper()
	s, err := checkpoints.NewSampler(device, source, c, with...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// sampled is everything that a sampler writes.
type sampled struct {
	*checkpoints.HostSet
	truncated []int32
	step      []float32
}

func read(t testing.TB, s *checkpoints.Sampler) sampled {
	t.Helper()
	ctx := context.Background()
	set, err := s.Set().Read(ctx)
	require.NoError(t, err)
	truncated, err := s.Truncated().Read(ctx)
	require.NoError(t, err)
	step, err := s.Step().Read(ctx)
	require.NoError(t, err)
	return sampled{HostSet: set, truncated: truncated, step: step}
}

// bitsOf returns a hash of all bits of each env.
func bitsOf(s sampled) []uint64 {
	list := make([]uint64, s.Envs)
	for e := range list {
		words := []uint32{uint32(s.Count[e]), uint32(s.truncated[e]), math.Float32bits(s.step[e])}
		for k := e * s.MaxCheckpoints; k < (e+1)*s.MaxCheckpoints; k++ {
			for _, p := range []kernel.Vec3{s.Position[k], s.Left[k], s.Right[k], s.Forward[k]} {
				words = append(words, math.Float32bits(p.X), math.Float32bits(p.Y), math.Float32bits(p.Z))
			}
			words = append(words, math.Float32bits(s.UpHalf[k]))
		}
		h := fnv.New64a()
		for _, w := range words {
			h.Write([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
		}
		list[e] = h.Sum64()
	}
	return list
}
