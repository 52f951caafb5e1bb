package localise_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// compareQueries compares a localiser with the reference for rounds of queries, with resets in between.
func compareQueries(t *testing.T, l lines, agents, window, rounds int, r *rand.Rand) {
	t.Helper()
	device := coursetest.OpenCPU(t)
	localiser, want := newLocaliser(t, device, l, agents, window), newReference(l, agents, window)
	position := make([]kernel.Vec3, len(l.count)*agents)
	array := coursetest.Upload(t, device, position)
	mask := make([]int32, len(l.count))
	masks := coursetest.Upload(t, device, mask)
	require.NoError(t, localiser.Bind(array))
	for range rounds {
		for i := range position {
			if r.IntN(3) > 0 { // some stay where they were
				position[i] = placed(r, l, i/agents)
			}
		}
		if r.IntN(4) == 0 {
			for e := range mask {
				mask[e] = int32(r.IntN(2)) * 7
			}
			require.NoError(t, masks.Write(t.Context(), mask))
			require.NoError(t, localiser.Reset(t.Context(), masks))
			want.reset(mask)
		}
		require.NoError(t, array.Write(t.Context(), position))
		require.NoError(t, localiser.Locate(t.Context()))
		requireSame(t, want.locate(position), framesOf(t, localiser))
	}
}

// The search through the index has the bits of a visit to every segment, with and without a warm window, on lines and
// for positions that are as hard as can be.
func TestLocateHasTheBitsOfTheRules(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, stride := range []int{3, 4, 9, 84, 133} {
		for _, window := range []int{0, 1, 2, 8, 1 << 20} {
			for _, odd := range []bool{false, true} {
				t.Run(fmt.Sprint(stride, " points, window ", window, " odd ", odd), func(t *testing.T) {
					compareQueries(t, adverse(r, 6, stride, odd), 5, window, 8, r)
				})
			}
		}
	}
}

// Ties go to the first segment in the order of the search: of the whole line from its begin, of a window from its
// begin.
func TestTies(t *testing.T) {
	// A square; the middle is as near to each side, a corner is on two.
	square := lines{center: []kernel.Vec3{{X: 0}, {X: 2}, {X: 2, Y: 2}, {Y: 2}}, count: []int32{4}}.measured()
	device := coursetest.OpenCPU(t)
	middle := coursetest.Upload(t, device, []kernel.Vec3{{X: 1, Y: 1}})
	last := coursetest.Upload(t, device, []kernel.Vec3{{X: 0, Y: 1}})
	segment := func(window int, positions ...int) []int32 {
		l := newLocaliser(t, device, square, 1, window)
		for _, p := range positions {
			at := middle
			if p == 3 {
				at = last
			}
			require.NoError(t, l.LocateAt(t.Context(), at))
		}
		return framesOf(t, l).segment
	}
	require.Equal(t, []int32{0}, segment(0, 0))
	require.Equal(t, []int32{3}, segment(0, 3))
	require.Equal(t, []int32{0}, segment(0, 3, 0), "what the agent remembers changes nothing")
	require.Equal(t, []int32{0}, segment(1, 0), "cold")
	require.Equal(t, []int32{2}, segment(1, 3, 0), "the window begins at segment 3-1")
	require.Equal(t, []int32{1}, segment(2, 3, 0), "the window begins at segment 3-2")
}

// Agents that are nowhere, or on no line, have no frame and remember nothing; then the next search is a cold one.
func TestPausedAgents(t *testing.T) {
	device := coursetest.OpenCPU(t)
	line := lines{center: winding(84, 3), count: []int32{84}}.measured()
	l := newLocaliser(t, device, line, 2, 2)
	require.Equal(t, []int32{-1, -1}, framesOf(t, l).segment, "before the first call")
	require.True(t, kernel.IsNaN(framesOf(t, l).s[1]), "before the first call")
	position := coursetest.Upload(t, device, []kernel.Vec3{line.center[50], line.center[10]})
	require.NoError(t, l.Bind(position))
	require.NoError(t, l.Locate(t.Context()))
	require.Equal(t, []int32{49, 9}, framesOf(t, l).memory)
	require.NoError(t, position.Write(t.Context(), []kernel.Vec3{{X: kernel.NaN()}, line.center[13]}))
	require.NoError(t, l.Locate(t.Context()))
	got := framesOf(t, l)
	require.Equal(t, []int32{-1, 11}, got.memory, "paused; and the end of the window around 9")
	require.True(t, kernel.IsNaN(got.s[0]) && kernel.IsNaN(got.n[0]) && kernel.IsNaN(got.up[0]))
	require.NoError(t, position.Write(t.Context(), []kernel.Vec3{line.center[20], line.center[13]}))
	require.NoError(t, l.Locate(t.Context()))
	require.Equal(t, int32(19), framesOf(t, l).memory[0])
}

// Until a refresh, a localiser works on the lines of its index, whatever becomes of the source. An index of one line
// with the number of points of another has no end.
func TestLinesThatChange(t *testing.T) {
	device := coursetest.OpenCPU(t)
	line := lines{center: append(winding(20, 5), winding(40, 5)...)[:40], count: []int32{20}}.measured()
	source := line.upload(t, device)
	l, err := localise.New(device, source, localise.Config{})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	at := []kernel.Vec3{{X: 0.5, Y: -0.7}}
	position := coursetest.Upload(t, device, at)
	want := newReference(line, 1, 0).locate(at)
	require.NoError(t, source.Count.Write(t.Context(), []int32{40}))
	require.NoError(t, l.LocateAt(t.Context(), position))
	requireSame(t, want, framesOf(t, l))
	line.count[0] = 40
	require.NoError(t, l.Refresh(t.Context()))
	require.NoError(t, l.LocateAt(t.Context(), position))
	requireSame(t, newReference(line, 1, 0).locate(at), framesOf(t, l))
}
