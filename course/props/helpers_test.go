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
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

func openCPU(t testing.TB, options ...backend.Option) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// upload copies values to a device until the test ends.
func upload[T kernel.Element](t testing.TB, device backend.Device, values []T) exec.Array[T] {
	t.Helper()
	a, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// sourceOf uploads lines as centrelines. The inner border is a bit lower and the outer one a bit larger.
func sourceOf(t testing.TB, device backend.Device, lines [][]kernel.Vec3) props.Source {
	t.Helper()
	longest := 1
	for _, line := range lines {
		longest = max(longest, len(line))
	}
	var outer, center, inner []kernel.Vec3
	var count, valid []int32
	for _, line := range lines {
		for i := range longest {
			p := resampletest.Nowhere()
			if i < len(line) {
				p = line[i]
			}
			outer, center, inner = append(outer, outerOf(p)), append(center, p), append(inner, innerOf(p))
		}
		count, valid = append(count, int32(len(line))), append(valid, 1)
	}
	return props.Source{Outer: upload(t, device, outer), Center: upload(t, device, center),
		Inner: upload(t, device, inner), Count: upload(t, device, count), Valid: upload(t, device, valid)}
}

func outerOf(p kernel.Vec3) kernel.Vec3 { return p.Scale(1.25) }

func innerOf(p kernel.Vec3) kernel.Vec3 { return p.Add(kernel.V3(0, 0, -0.5)) }

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
