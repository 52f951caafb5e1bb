//go:build cgo && (linux || darwin)

package vulkan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// openBenchmark opens a device without the validation layer, as users do.
func openBenchmark(b *testing.B, change ...func(*settings)) (*device, backend.View) {
	d := openTest(b, backend.Options{}, append(change, func(s *settings) { s.validation = false })...)
	return d, alloc(b, d, make([]int32, 2*defaultBlock)...)
}

// BenchmarkSubmission measures a launch followed by a wait: the overhead of one submission.
func BenchmarkSubmission(b *testing.B) {
	d, x := openBenchmark(b)
	b.ReportAllocs()
	for b.Loop() {
		affine(b, d.DefaultStream(), x, 1, 1)
		require.NoError(b, d.DefaultStream().Sync())
	}
}

// BenchmarkLaunch measures several launches followed by one wait, without and with a limit of the work of submissions.
// The second limit is never reached, the third divides each launch into two.
func BenchmarkLaunch(b *testing.B) {
	const launches = 1000
	for _, work := range []float64{0, defaultWork, unstatedWork * defaultBlock} {
		b.Run(fmt.Sprintf("work %g", work), func(b *testing.B) {
			d, x := openBenchmark(b, func(s *settings) { s.work = work })
			launch := backend.Launch{N: 2 * defaultBlock, Buffers: []backend.View{x}, Scalars: []uint32{1, 1}}
			b.ReportAllocs()
			for b.Loop() {
				for range launches {
					if err := d.DefaultStream().Launch(affineDef, launch); err != nil {
						b.Fatal(err)
					}
				}
				require.NoError(b, d.DefaultStream().Sync())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*launches), "ns/launch")
		})
	}
}

// BenchmarkReplay measures the same launches in a graph.
func BenchmarkReplay(b *testing.B) {
	const launches = 1000
	d, x := openBenchmark(b)
	g := recordGraph(b, d.DefaultStream(), func() {
		for range launches {
			affine(b, d.DefaultStream(), x, 1, 1)
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, d.DefaultStream().Replay(g))
		require.NoError(b, d.DefaultStream().Sync())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*launches), "ns/launch")
}

// BenchmarkWindow measures a window of launches in a graph that is executed or skipped.
func BenchmarkWindow(b *testing.B) {
	const launches, words = 100, 4096
	for _, flag := range []int32{0, 1} {
		b.Run(fmt.Sprintf("flag %d", flag), func(b *testing.B) {
			d, _ := openBenchmark(b)
			x, f := alloc(b, d, make([]int32, words)...), alloc(b, d, flag)
			g := recordGraph(b, d.DefaultStream(), func() {
				when(b, d.DefaultStream(), f, func(inner backend.Stream) {
					for range launches {
						affine(b, inner, x, 1, 1)
					}
				})
			})
			for b.Loop() {
				require.NoError(b, d.DefaultStream().Replay(g))
				require.NoError(b, d.DefaultStream().Sync())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*launches), "ns/launch")
		})
	}
}

// BenchmarkCorrected measures a generation, most of which is the kernel relax, with the device's own divisions and
// roots, with corrected ones, and with corrected ones whose seeds are useless, so that they are computed bit by bit.
func BenchmarkCorrected(b *testing.B) {
	for _, c := range []struct {
		name      string
		corrected bool
		seedError int32
	}{{"native", false, 0}, {"corrected", true, 0}, {"useless seeds", true, 1 << 28}} {
		b.Run(c.name, func(b *testing.B) {
			d, _ := openBenchmark(b, func(s *settings) { s.corrected, s.seedError = c.corrected, c.seedError })
			g, err := track.NewGenerator(d, tracktest.Config(track.Bezier, 64))
			require.NoError(b, err)
			for b.Loop() {
				_, err := g.Generate(b.Context())
				require.NoError(b, err)
				require.NoError(b, d.DefaultStream().Sync())
			}
			require.NoError(b, g.Close())
		})
	}
}
