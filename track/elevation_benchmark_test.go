//go:build unix

package track_test

import (
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// BenchmarkHills measures what each profile and banking add to a generation of 1024 bezier tracks on the CPU. Level
// tracks and others are made in turn. What is compared is the processor time, on which other programs have little
// effect.
func BenchmarkHills(b *testing.B) {
	changes := map[string]func(*track.Config){"banking": banked(0.05, 0.2, 0.5)}
	for _, profile := range hilly {
		changes[profile] = hills(profile)
	}
	for _, name := range append([]string{"banking"}, hilly...) {
		b.Run(name, func(b *testing.B) {
			device := open(b)
			var generators [2]*track.Generator
			for k, change := range []func(*track.Config){func(*track.Config) {}, changes[name]} {
				g, err := track.NewGenerator(device, tracktest.Config(track.Bezier, 1024, change))
				require.NoError(b, err)
				defer func() { require.NoError(b, g.Close()) }()
				generators[k] = g
			}
			var spent [2]int64
			for b.Loop() {
				for k, g := range generators {
					before := processorTime(b)
					if _, err := g.Generate(context.Background()); err != nil {
						b.Fatal(err)
					}
					spent[k] += processorTime(b) - before
				}
			}
			level, hilly := float64(spent[0]), float64(spent[1])
			b.ReportMetric(level/float64(b.N)/1e6, "cpu-ms-level")
			b.ReportMetric(hilly/float64(b.N)/1e6, "cpu-ms-hills")
			b.ReportMetric(100*(hilly/level-1), "%-more")
		})
	}
}

// processorTime returns the processor time of the process in nanoseconds.
func processorTime(b *testing.B) int64 {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}
