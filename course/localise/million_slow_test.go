//go:build slow

package localise_test

import (
	"math/rand/v2"
	"testing"
)

// A million queries have the bits of a visit to every segment, half of them with a warm window, on lines of all sizes.
func TestMillionQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	const envs, agents, rounds = 10, 20, 50
	for queries := 0; queries < 1_000_000; queries += 2 * envs * agents * rounds {
		stride := pick(r, 3, 5, 31, 84, 133, 384, 840)
		l := adverse(r, envs, stride, r.IntN(3) == 0)
		if r.IntN(2) == 0 {
			l.center = nil
			for range envs {
				l.center = append(l.center, winding(stride, r.Uint64())...)
			}
			for e := range l.count {
				l.count[e] = int32(stride)
			}
			l = l.measured()
		}
		compareQueries(t, l, agents, 0, rounds, r)
		compareQueries(t, l, agents, pick(r, 1, 2, 8, 40), rounds, r)
	}
}
