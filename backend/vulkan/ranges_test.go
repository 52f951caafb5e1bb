//go:build cgo && (linux || darwin)

package vulkan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Parts do not overlap, a refusal means that no gap is large enough, and after everything is returned there is one free
// range.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 64 * granule
		r := newRanges(size)
		type piece struct{ offset, bytes int64 }
		var taken []piece
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(taken) > 0 && rapid.Bool().Draw(t, "give") {
				i := rapid.IntRange(0, len(taken)-1).Draw(t, "which")
				r.give(taken[i].offset, taken[i].bytes)
				taken = append(taken[:i], taken[i+1:]...)
				continue
			}
			bytes := int64(rapid.IntRange(1, 20).Draw(t, "granules")) * granule
			offset, ok := r.take(bytes)
			if !ok {
				for _, f := range r.free {
					require.Less(t, f.bytes, bytes)
				}
				continue
			}
			require.True(t, offset >= 0 && offset+bytes <= size && offset%granule == 0)
			for _, p := range taken {
				require.True(t, offset+bytes <= p.offset || p.offset+p.bytes <= offset, "parts overlap")
			}
			taken = append(taken, piece{offset, bytes})
		}
		free := int64(size)
		for _, p := range taken {
			free -= p.bytes
		}
		for i, f := range r.free {
			free -= f.bytes
			if i > 0 {
				require.Greater(t, f.offset, r.free[i-1].offset+r.free[i-1].bytes, "free ranges are in order and merged")
			}
		}
		require.Zero(t, free)
		for _, p := range taken {
			r.give(p.offset, p.bytes)
		}
		require.True(t, r.unused())
	})
}
