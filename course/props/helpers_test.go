package props_test

import (
	"context"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/internal/resample/resampletest"
	"github.com/trackgen-go/trackgen/course/props"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// sourceOf uploads lines as centrelines.
func sourceOf(t testing.TB, device backend.Device, lines [][]kernel.Vec3) props.Source {
	t.Helper()
	tracks := resampletest.TracksOf(lines)
	return props.Source{
		Outer:  coursetest.Upload(t, device, tracks.Outer),
		Center: coursetest.Upload(t, device, tracks.Center),
		Inner:  coursetest.Upload(t, device, tracks.Inner),
		Count:  coursetest.Upload(t, device, tracks.Count),
		Valid:  coursetest.Upload(t, device, tracks.Valid),
	}
}

// newSampler makes a sampler until the test ends.
func newSampler(t testing.TB, device backend.Device, source props.Source, c props.Config,
	with ...props.Option) *props.Sampler {
	t.Helper()
	s, err := props.NewSampler(device, source, c, with...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func read(t testing.TB, s *props.Sampler) *props.HostProps {
	t.Helper()
	h, err := s.Props().Read(context.Background())
	require.NoError(t, err)
	return h
}

// bitsOf returns a hash of all bits of each env.
func bitsOf(p *props.HostProps) []uint64 {
	list := make([]uint64, p.Envs)
	for e := range list {
		words := []uint32{uint32(p.Count[e]), uint32(p.Truncated[e]), math.Float32bits(p.Step[e])}
		for k := e * p.MaxProps; k < (e+1)*p.MaxProps; k++ {
			at, along := p.Position[k], p.Tangent[k]
			for _, v := range []float32{at.X, at.Y, at.Z, along.X, along.Y, p.Yaw[k], p.Length[k]} {
				words = append(words, math.Float32bits(v))
			}
		}
		h := fnv.New64a()
		for _, w := range words {
			h.Write([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
		}
		list[e] = h.Sum64()
	}
	return list
}
