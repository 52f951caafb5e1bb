package world_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore/world"
)

// The part of a redraw that is not in the browser: a new configuration, 24 tracks, and their frames.
func BenchmarkGenerate24(b *testing.B) {
	for _, generator := range trackgen.Generators() {
		b.Run(generator, func(b *testing.B) {
			w := newWorld(b)
			text, err := json.Marshal(world.Request{Course: world.CourseTracks, Envs: 24,
				Settings: map[string]string{"generator": generator}})
			require.NoError(b, err)
			bytes := 0
			for b.Loop() {
				bytes = 0
				err := w.Call(b.Context(), "generate", text, nil, func(f world.Frame) error {
					all, err := f.Append(nil)
					bytes += len(all)
					return err
				})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(bytes), "bytes/answer")
		})
	}
}
