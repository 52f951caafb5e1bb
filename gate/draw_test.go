package gate_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
)

// An env keeps its first valid candidate, and the first of all if none is valid. Candidate k is the course of the
// candidate's seed.
func TestCandidates(t *testing.T) {
	const envs, candidates = 40, 4
	device := openCPU(t)
	c := configOf(gate.Bezier, envs, func(c *gate.Config) { c.Gate.Width = 0.25 })
	var drawn []*gate.Batch
	for k := range int32(candidates) {
		values := make([]int32, envs)
		for e := range values {
			values[e] = seeds.CandidateSeed(int32(e), k)
		}
		drawn = append(drawn, generate(t, device, c, gate.WithSeeds(values)))
	}
	c.Candidates = candidates
	b := generate(t, device, c)
	kinds := map[int32]int{}
	for e := range envs {
		kept := int32(0)
		for k := range drawn {
			if drawn[k].Valid[e] == 1 {
				kept = int32(k)
				break
			}
		}
		require.Equal(t, kept, b.Candidate[e], "env %d", e)
		assert.Equal(t, bitsOf(drawn[kept], "seed", "candidate")[e], bitsOf(b, "seed", "candidate")[e], "env %d", e)
		kinds[kept]++
	}
	assert.Greater(t, b.NumValid(), drawn[0].NumValid())
	assert.Greater(t, len(kinds), 2, "candidates that are kept")
}

// In a mixed batch, an env with component k has the course of a batch of the k-th configuration.
func TestMixture(t *testing.T) {
	device := openCPU(t)
	c := configurations()["mixture"]
	c.NumEnvs, c.Candidates = 60, 1
	b := generate(t, device, c)
	seen := map[int32]int{}
	for k, single := range c.Components() {
		want := bitsOf(generate(t, device, single), "component")
		for e, bits := range bitsOf(b, "component") {
			if b.Component[e] == int32(k) {
				assert.Equal(t, want[e], bits, "env %d of component %d", e, k)
				seen[int32(k)]++
			}
		}
	}
	assert.Equal(t, 60, seen[0]+seen[1]+seen[2])
	assert.Greater(t, seen[1], seen[0])

	given := []int32{2, 1, 0, -1}
	c.NumEnvs = len(given)
	chosen := generate(t, device, c, gate.WithComponents(given)).Component
	assert.Equal(t, []int32{2, 1, 0, b.Component[3]}, chosen)
	_, err := gate.NewGenerator(device, c, gate.WithComponents([]int32{0, 0, 3, 0}))
	assert.EqualError(t, err, "gate: new generator: producer \"gate.mixed\": check options: components[2] is 3: "+
		"must be 0 to 2, or -1 to draw one")
}

// The gates of repulsive stand at equal arc length along the loop of the track with the same settings, in its order,
// and the box around them is that of other courses.
func TestCurve(t *testing.T) {
	device := openCPU(t)
	c := quick(configOf(gate.Repulsive, 30, func(c *gate.Config) {
		c.Ordering, c.Gate.SeparationSweeps, c.Repulsive.MinCount, c.Repulsive.MaxCount = "raw", 0, 5, 9
	}))
	b := generate(t, device, c)
	tc := track.DefaultConfig()
	tc.Generator, tc.NumEnvs = track.Repulsive, c.NumEnvs
	tc.Repulsive.MinGrowth, tc.Repulsive.MaxGrowth = c.Repulsive.MinGrowth, c.Repulsive.MaxGrowth
	tc.Repulsive.GrowthRate, tc.Repulsive.SettleIterations = c.Repulsive.GrowthRate, c.Repulsive.SettleIterations
	tc.Repulsive.StallWindow, tc.Repulsive.ResampleEvery = c.Repulsive.StallWindow, c.Repulsive.ResampleEvery
	g, err := track.NewGenerator(device, tc)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	array, err := pipeline.ArrayOf[kernel.Vec2](g.Program(), track.LoopOutput)
	require.NoError(t, err)
	loops, err := array.Read(t.Context())
	require.NoError(t, err)
	counts := map[int32]bool{}
	for e := range b.Envs {
		points := tc.Output.LoopPoints
		loop := loops[e*points : (e+1)*points]
		arc := []float64{0}
		for k, p := range loop {
			arc = append(arc, arc[k]+float64(loop[(k+1)%points].Sub(p).Len()))
		}
		gates := b.Gates(b.Position, e)
		counts[b.Count[e]] = true
		want := make([]kernel.Vec2, len(gates))
		for i := range gates {
			target := float64(i) * arc[points] / float64(len(gates))
			k, _ := slices.BinarySearch(arc, target)
			k = max(k-1, 0)
			way := loop[(k+1)%points].Sub(loop[k])
			want[i] = loop[k].Add(way.Scale(float32((target - arc[k]) / (arc[k+1] - arc[k]))))
		}
		low, high := boxOf(want)
		factor := 1.44 / max(high.X-low.X, high.Y-low.Y)
		for i, p := range gates {
			at := want[i].Sub(low.Add(high).Scale(0.5)).Scale(factor)
			require.InDelta(t, 0, at.Sub(kernel.V2(p.X, p.Y)).Len(), 1e-5, "env %d, gate %d", e, i)
		}
	}
	assert.Len(t, counts, 5, "numbers of gates from 5 to 9")
}

// boxOf returns the corners of the box around points.
func boxOf(points []kernel.Vec2) (low, high kernel.Vec2) {
	low, high = points[0], points[0]
	for _, p := range points {
		low, high = kernel.V2(min(low.X, p.X), min(low.Y, p.Y)), kernel.V2(max(high.X, p.X), max(high.Y, p.Y))
	}
	return low, high
}

// A generation has four launches, and six at most with everything on.
func TestLaunches(t *testing.T) {
	for name, want := range map[string]int64{"bezier": 4, "voronoi": 4, "noise": 4, "sizes": 5, "mixture": 0} {
		demand, err := gate.DryRun(configurations()[name])
		require.NoError(t, err)
		if want > 0 {
			assert.Equal(t, want, demand.Launches(), name)
			assert.Equal(t, int(want), demand.Nodes, name)
		}
		assert.Positive(t, demand.BytesPerEnv)
	}
}

// starDef draws the points of a star with as many rays as the seed says.
var starDef = kernel.Def{
	Name: "test.star",
	Params: []kernel.Param{
		{Name: "active", Type: kernel.Int32, Buffer: true, Access: kernel.Read},
		{Name: "seed", Type: kernel.Int32, Buffer: true, Access: kernel.Read},
		{Name: "count", Type: kernel.Int32, Buffer: true, Access: kernel.Write},
		{Name: "point", Type: kernel.TypeVec2, Buffer: true, Access: kernel.Write},
		{Name: "room", Type: kernel.Int32},
	},
	Go: func(first, end int32, args *kernel.Args) {
		active, seed := kernel.Slice[int32](args, 0), kernel.Slice[int32](args, 1)
		count, point, room := kernel.Slice[int32](args, 2), kernel.Slice[kernel.Vec2](args, 3), int32(args.Scalars[0])
		for i := first; i < min(end, active[0]); i++ {
			env := active[i+1]
			n := 6 + int32(kernel.Hash(uint32(seed[env]))%5)
			count[env] = n
			if seed[env] == hostileSeed {
				count[env] = room + 100
			}
			for k := range min(n, room) {
				sin, cos := kernel.Sincos(6.2831853 * float32(k) / float32(n))
				point[env*room+k] = kernel.V2(cos, sin).Scale(1 + float32(k%2))
			}
		}
	},
}

// hostileSeed makes starDef lie about its number of points.
const hostileSeed = 4321

func starStage(_ track.Config, room int) exec.Stage {
	return pipeline.StageFunc("star", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		active, err := pipeline.Active(b)
		if err != nil {
			return nil, err
		}
		count, err := pipeline.Output[int32](b, track.ControlCountOutput, 1)
		if err != nil {
			return nil, err
		}
		point, err := pipeline.Output[kernel.Vec2](b, track.ControlPointsOutput, room)
		if err != nil {
			return nil, err
		}
		envs, seed := b.Envs(), b.Seed()
		return func(lc *exec.LaunchContext) {
			l := lc.Prepare(&starDef, envs)
			exec.Bind(l, active.Array())
			exec.Bind(l, seed)
			exec.Bind(l, count)
			exec.Bind(l, point)
			l.Int32(int32(room))
			l.Launch()
		}, nil
	})
}

// A registered generator of tracks that offers control points makes gate courses, alone and as a part of a mixture.
func TestRegisteredGenerator(t *testing.T) {
	require.NoError(t, track.Register("star", track.Spec{
		Stage: func(track.Config) exec.Stage { return nil },
		ControlPoints: &track.ControlPoints{Stage: starStage, Kernels: []*kernel.Def{&starDef},
			Most: func(track.Config) int { return 10 }},
	}))
	require.ErrorIs(t, track.Register("half", track.Spec{Stage: func(track.Config) exec.Stage { return nil },
		ControlPoints: &track.ControlPoints{Stage: starStage}}), backend.ErrInvalid)
	assert.Contains(t, gate.Generators(), "star")
	device := openCPU(t)
	c := configOf("star", 12, func(c *gate.Config) { c.Ordering = "raw" })
	b := generate(t, device, c)
	assert.Equal(t, 12, b.NumValid(), b.Reason)
	assert.Equal(t, kernel.V3(1, 0, 0), b.Position[0])
	checkRuns(t, device, c)

	c.Mix = []gate.Component{c.NewComponent(1, "star"), c.NewComponent(1, gate.Polar)}
	c.Generator = gate.Mixed
	checkRuns(t, device, c)

	c = configOf("star", 1)
	b = generate(t, device, c, gate.WithSeed(hostileSeed))
	assert.Equal(t, gate.ReasonTooMany, b.Reason[0]&gate.ReasonTooMany)
	assert.Equal(t, []int32{32}, b.Count)
	c.Output.MaxGates = 9
	_, err := gate.NewGenerator(device, c)
	assert.EqualError(t, err, "output.max_gates is 9: must be at least 10, the largest number of gates that star makes "+
		"(of the registered generator)")
}

// The stages pass the checks of every producer.
func TestStages(t *testing.T) {
	for _, name := range []string{"walk", "sizes", "mixture"} {
		c := configurations()[name]
		c.NumEnvs = 6
		stages, err := gate.Stages(c)
		require.NoError(t, err)
		whole := pipeline.StageFunc("course", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
			n, err := pipeline.Nested(b, pipeline.NestedOptions{Apart: true})
			if err != nil {
				return nil, err
			}
			// The arrays of the whole stage are its outputs.
			for _, output := range []string{"position", "tangent", "forward", "left", "right"} {
				array, err := pipeline.Output[kernel.Vec3](b, output, c.Output.MaxGates)
				if err != nil {
					return nil, err
				}
				if err := pipeline.Provide(n, output, array); err != nil {
					return nil, err
				}
			}
			program, err := n.Build(stages...)
			if err != nil {
				return nil, err
			}
			return program.Enqueue, nil
		})
		exectest.CheckStage(t, whole, exectest.Config{Devices: []backend.Device{openCPU(t)}})
	}
	_, err := gate.Stages(gate.Config{})
	assert.ErrorIs(t, err, gate.ErrConfig)
}

// Calls on a generator that NewGenerator has not made, and on a closed one, are errors.
func TestMisusedGenerator(t *testing.T) {
	device := openCPU(t)
	g, err := gate.NewGenerator(device, configOf(gate.Polar, 2))
	require.NoError(t, err)
	long, err := exec.FromSlice(device, make([]int32, 3))
	require.NoError(t, err)
	_, err = g.Regenerate(t.Context(), long)
	assert.ErrorContains(t, err, "gate: regenerate: check mask: mask length is 3: must be 2")
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	g.EnqueueRegenerate(lc, long)
	assert.ErrorContains(t, lc.Err(), "gate: enqueue regenerate: check mask: mask length is 3: must be 2")
	require.NoError(t, long.Close())
	assert.ErrorContains(t, g.SetSeeds(t.Context(), []int32{1}), "gate: set seeds: values length is 1: must be 2")
	clone, err := g.Sequence().Clone(t.Context())
	require.NoError(t, err)
	require.NoError(t, g.Close())
	require.NoError(t, g.Close())
	_, err = g.Generate(t.Context())
	var closed *backend.ClosedError
	require.ErrorAs(t, err, &closed)
	b, err := clone.Batch(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, b.NumValid())
	require.NoError(t, clone.Close())
	for _, none := range []*gate.Generator{nil, {}} {
		_, err = none.Generate(t.Context())
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.NoError(t, none.Close())
	}
	_, err = gate.NewGenerator(device, configOf(gate.Polar, 2), nil)
	assert.EqualError(t, err, "gate: new generator: option 0 is <nil>: must be an Option of package gate")
}

func TestBatchAppend(t *testing.T) {
	device := openCPU(t)
	b := generate(t, device, configOf(gate.Polar, 3))
	all := new(gate.Batch)
	require.NoError(t, all.Append(b, 2, 0))
	require.NoError(t, all.Append(b, 1))
	bits := bitsOf(b)
	assert.Equal(t, []string{bits[2], bits[0], bits[1]}, bitsOf(all))
	assert.EqualError(t, all.Append(b, 3), "gate: append env 3: must be 0 to 2")
	assert.EqualError(t, all.Append(gate.NewBatch(1, 8), 0),
		"gate: append to a batch of 32 gates per course: the other batch stores 8")
}
