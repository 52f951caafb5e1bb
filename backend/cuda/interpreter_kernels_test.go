//go:build cgo && linux

package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/bench/producers"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// manyEnvs is the number of envs of the recorded launches: more than a block of threads.
const manyEnvs = 257

// Thread kernels run with numbers of items around the sizes of a warp and of a block. The items of a group kernel are
// blocks, so that a few of them do; here the lengths of rows matter, which the configurations vary.
var (
	threadCounts = []int32{0, 1, 31, 32, 33, 127, 128, 129, 255, 256, 257}
	groupCounts  = []int32{0, 1, 3}
)

// everyKernel makes launches of all kernels of producers.
func everyKernel(t testing.TB, d backend.Device) {
	run := func(c track.Config, modes ...parity.Mode) {
		t.Helper()
		_, err := parity.Compare(t.Context(), []backend.Device{d}, c, 11, modes, nil)
		require.NoError(t, err)
	}
	for _, generator := range track.Generators() {
		run(tracktest.Small(tracktest.Config(generator, manyEnvs, func(c *track.Config) {
			c.Output.MaxPoints, c.Relax.Sweeps = 160, 12
		})), parity.Eager)
		for _, points := range []int{31, 32, 33, 127, 128, 129} {
			run(tracktest.Small(tracktest.Config(generator, 3, func(c *track.Config) {
				c.Output.LoopPoints, c.Output.MaxPoints, c.Output.Spacing, c.Relax.Sweeps = points, points, 0.3, 12
			})), parity.Eager)
		}
	}
	run(tracktest.Config(track.Polar, manyEnvs, func(c *track.Config) {
		c.Candidates, c.Road.HalfWidth, c.Relax.Sweeps, c.Output.MaxPoints = 3, 0.15, 12, 160
		c.Variation.RandomDirection, c.Variation.RandomMirror = true, true
		c.Mix = []track.Component{c.NewComponent(1, track.Bezier), c.NewComponent(1, track.Polar)}
		c.Generator = track.Mixed
	}), parity.Eager, parity.Masked)
	run(tracktest.Config(track.Bezier, 3, func(c *track.Config) {
		c.Output.MaxPoints, c.Relax.Sweeps = relaxation.MaxPoints+1, 12
	}), parity.Eager)
	run(tracktest.Small(tracktest.Config(track.Repulsive, 3, func(c *track.Config) {
		c.Repulsive.Alpha = 2.5
	})), parity.Eager)
	run(tracktest.Small(tracktest.Config(track.Hull, manyEnvs, func(c *track.Config) {
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max, c.Elevation.MaxStep = "random_walk", -0.5, 0.5, 0.3
	})), parity.Eager)
	everyGateKernel(t, d)
	everyHeightKernel(t, d)
	require.NoError(t, producers.RunProgress(t.Context(), d, 3))
	require.NoError(t, producers.RunObstacles(t.Context(), d, 3))
	require.NoError(t, producers.RunBorders(t.Context(), d, 3))
	everySeedingKernel(t, d)
	require.NoError(t, producers.RunLines(t.Context(), d, 3))
	require.NoError(t, producers.RunRacelines(t.Context(), d, 3))
	require.NoError(t, producers.RunCourse(t.Context(), d, 3))
	require.NoError(t, producers.RunObservations(t.Context(), d, 3))
	require.NoError(t, producers.RunVehicles(t.Context(), d, 3))
	require.NoError(t, producers.RunPursuit(t.Context(), d, 3))
	require.NoError(t, producers.RunFlight(t.Context(), d, 3))
	require.NoError(t, producers.RunRace(t.Context(), d, 3))
	require.NoError(t, producers.RunRewards(t.Context(), d, 3))
	imports, err := track.Import(t.Context(), d, track.ImportOptions{MaxPoints: 300, Relax: true}, ring())
	require.NoError(t, err)
	require.NoError(t, imports.Close())
}

// everyGateKernel makes courses of gates by each generator, with candidates and profiles of heights, and gates along
// tracks.
func everyGateKernel(t testing.TB, d backend.Device) {
	for _, generator := range gate.Generators() {
		c := gate.DefaultConfig()
		c.Generator, c.NumEnvs, c.Gate.Width = generator, manyEnvs, 0.25
		c.Candidates, c.Gate.SizeRange = 3, gate.Range{Min: 0.5, Max: 1.7}
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "noise", -0.4, 0.4
		g, err := gate.NewGenerator(d, c)
		require.NoError(t, err)
		require.NoError(t, g.Close())
	}
	along := gate.DefaultConfig()
	along.Generator, along.NumEnvs, along.Along.Spacing = gate.AlongTracks, 3, 0.4
	_, err := parity.CompareGates(t.Context(), []backend.Device{d}, along, 5, []parity.Mode{parity.Eager}, nil)
	require.NoError(t, err)
}

// everyHeightKernel bakes height fields of hilly tracks.
func everyHeightKernel(t testing.TB, d backend.Device) {
	for _, mode := range []string{heightfield.Nearest, heightfield.Smooth} {
		c := heightfield.DefaultConfig()
		c.Resolution, c.Blend.Mode = 20, mode
		_, err := parity.CompareHeights(t.Context(), []backend.Device{d}, c, 2, 5, []parity.Mode{parity.Masked}, nil)
		require.NoError(t, err)
	}
}

// ring is a measured circuit with varying widths that crosses itself once.
func ring() track.Circuit {
	c := track.Circuit{Name: "eight"}
	for i := range 300 {
		angle := 2 * math.Pi * float64(i) / 300
		c.X, c.Y = append(c.X, 250*math.Sin(angle)), append(c.Y, 120*math.Sin(2*angle))
		c.Right, c.Left = append(c.Right, 5+math.Cos(angle)), append(c.Left, 4)
	}
	return c
}

// everySeedingKernel draws random numbers of all kinds, for all envs and for listed ones.
func everySeedingKernel(t testing.TB, d backend.Device) {
	const per = 6
	state, err := seeds.New(d, manyEnvs, seeds.Options{Base: -20})
	require.NoError(t, err)
	defer func() { require.NoError(t, state.Close()) }()
	streams, err := seeds.NewPerEnv(d, manyEnvs, seeds.Options{Base: 3})
	require.NoError(t, err)
	defer func() { require.NoError(t, streams.Close()) }()
	lc, err := exec.For(t.Context(), d)
	require.NoError(t, err)
	mask, ids := allocated[int32](t, d, manyEnvs), allocated[int32](t, d, manyEnvs)
	values := make([]int32, manyEnvs)
	for e := range values {
		values[e] = int32(e % 3)
	}
	require.NoError(t, mask.Write(t.Context(), values))
	for e := range values {
		values[e] = int32(e*e%(manyEnvs+3)) - 1
	}
	require.NoError(t, ids.Write(t.Context(), values))
	flag, out := allocated[int32](t, d, 1), allocated[int32](t, d, manyEnvs)
	integers, floats := allocated[int32](t, d, manyEnvs*per), allocated[float32](t, d, manyEnvs*per)
	quaternions := allocated[kernel.Quat](t, d, manyEnvs*per)

	state.Advance(lc)
	state.AdvanceMasked(lc, mask)
	state.Effective(lc, out)
	state.SetIDs(lc, ids, mask)
	state.ResetEpochMasked(lc, mask)
	state.EffectiveMasked(lc, out, mask)
	seeds.AnySet(lc, mask, flag)
	for _, samples := range []seeds.Samples{{Rows: 2, Columns: 3, IDs: ids}, {Rows: per}} {
		streams.SetSeedsIDs(lc, ids, mask)
		streams.Uniform(lc, floats, -1.3, 2.1, samples)
		streams.Normal(lc, floats, 0.3, 1.7, samples)
		streams.SignFloat(lc, floats, samples)
		streams.Integer(lc, integers, 0, 100, samples)
		streams.SignInt(lc, integers, samples)
		streams.Poisson(lc, integers, 15, samples)
		streams.Poisson(lc, integers, 2, samples)
		streams.Quaternion(lc, quaternions, samples)
	}
	require.NoError(t, lc.Err())
}

func allocated[T kernel.Element](t testing.TB, d backend.Device, n int) exec.Array[T] {
	a, err := exec.NewArray[T](d, n)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// The PTX of every kernel of the producers gives the same words as the Go kernel, for numbers of items around the sizes
// of warps and blocks, and the interpreter finds no mistake in it.
func TestInterpretedKernels(t *testing.T) {
	defs := producers.Defs()
	launches := recordLaunches(t, defs, func(d backend.Device) { everyKernel(t, d) })
	startInterpreter(t, versions[len(versions)-1])
	d := openTest(t)
	for _, def := range defs {
		t.Run(def.Name, func(t *testing.T) {
			require.NotEmpty(t, launches[def], "no launch of the kernel was recorded")
			for _, l := range launches[def] {
				counts := threadCounts
				if def.Group {
					counts = groupCounts
				}
				for _, n := range counts {
					if n <= l.n {
						compareLaunch(t, d, l, n, 0)
					}
				}
				compareLaunch(t, d, l, min(l.n, counts[len(counts)-1]), 1) // one block strides over all items
			}
		})
	}
}

// compareLaunch compares all words of a launch with those of the Go kernel.
func compareLaunch(t *testing.T, d *device, l *launch, n, maxBlocks int32) {
	got, err := l.onDevice(d, l.def, n, maxBlocks)
	require.NoError(t, err, "%d items, blocks %d", n, maxBlocks)
	require.Empty(t, difference(l.onCPU(n), got), "%d items, blocks %d", n, maxBlocks)
}

// difference describes the first word that differs. It is empty if there is none.
func difference(want, got [][]byte) string {
	for i := range want {
		for at := 0; at < len(want[i]); at += 4 {
			w, g := binary.LittleEndian.Uint32(want[i][at:]), binary.LittleEndian.Uint32(got[i][at:])
			if w != g {
				return fmt.Sprintf("buffer %d, word %d: %#08x, not %#08x", i, at/4, g, w)
			}
		}
	}
	return ""
}
