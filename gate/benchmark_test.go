package gate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/gate"
)

// BenchmarkGenerate measures generations of 4096 courses on the CPU.
func BenchmarkGenerate(b *testing.B) {
	for _, name := range []string{gate.Bezier, gate.Hull, gate.Polar, gate.Voronoi, gate.Checkpoint} {
		b.Run(name, func(b *testing.B) {
			g, err := gate.NewGenerator(openCPU(b), configOf(name, 4096))
			require.NoError(b, err)
			defer func() { require.NoError(b, g.Close()) }()
			for b.Loop() {
				if _, err := g.Generate(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAlong measures gates along 4096 tracks on the CPU, without the tracks.
func BenchmarkAlong(b *testing.B) {
	device := openCPU(b)
	a, err := gate.NewAlong(device, hillyTracks(b, device, 4096).Track(), alongConfig(0.4))
	require.NoError(b, err)
	defer func() { require.NoError(b, a.Close()) }()
	for b.Loop() {
		if _, err := a.Generate(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
