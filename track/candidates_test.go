package track

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
	"github.com/trackgen-go/trackgen/seeds"
)

// scarce returns a configuration in which about half the tracks are valid, so that candidates matter.
func scarce(generator string) Config {
	return configOf(generator, 24, func(c *Config) { c.Candidates, c.Road.HalfWidth, c.Relax.Sweeps = 3, 0.15, 12 })
}

// samePoints requires that two envs have the same bits in all real points and in all numbers.
func samePoints(t *testing.T, want *Batch, i int, got *Batch, e int) {
	t.Helper()
	require.Equal(t, want.Count[i], got.Count[e])
	require.Equal(t, want.Reason[i], got.Reason[e])
	for _, pair := range [][2][]kernel.Vec3{{want.Points(want.Center, i), got.Points(got.Center, e)},
		{want.Points(want.Outer, i), got.Points(got.Outer, e)}, {want.Points(want.Normal, i), got.Points(got.Normal, e)}} {
		for k := range pair[0] {
			require.Equal(t, vec3Bits(pair[0][k]), vec3Bits(pair[1][k]), "env %d, point %d", e, k)
		}
	}
}

func vec3Bits(v kernel.Vec3) [3]uint32 {
	return [3]uint32{math.Float32bits(v.X), math.Float32bits(v.Y), math.Float32bits(v.Z)}
}

// crossingsOf counts the crossings of a closed loop by testing each pair of segments.
func crossingsOf(loop []kernel.Vec2) int {
	found, n := 0, len(loop)
	for i := range n {
		for j := i + 2; j < n; j++ {
			if (i > 0 || j < n-1) && centerline.SegmentsCross(loop[i], loop[i+1], loop[j], loop[(j+1)%n]) {
				found++
			}
		}
	}
	return found
}

// candidatesOf generates each candidate of all envs separately. It returns their batches and, for each env, the number
// of the candidate to keep: it is the specification of candidateStage.
func candidatesOf(t *testing.T, device backend.Device, config Config, effective []int32) (batches []*Batch,
	kept []int32) {
	t.Helper()
	single := config
	single.Candidates = 1
	type rank struct {
		invalid   bool
		crossings int
	}
	best := make([]rank, len(effective))
	kept = make([]int32, len(effective))
	for k := range int32(config.Candidates) {
		values := make([]int32, len(effective))
		for e := range values {
			values[e] = seeds.CandidateSeed(effective[e], k)
		}
		g, err := NewGenerator(device, single, WithSeeds(values))
		require.NoError(t, err)
		batch, err := g.Track().Batch(context.Background())
		require.NoError(t, err)
		loops, err := outputOf[kernel.Vec2](g, LoopOutput).Read(t.Context())
		require.NoError(t, err)
		require.NoError(t, g.Close())
		batches = append(batches, batch)
		points := len(loops) / len(effective)
		for e := range effective {
			r := rank{batch.Valid[e] == 0, crossingsOf(loops[e*points : (e+1)*points])}
			better := r.invalid != best[e].invalid && !r.invalid || r.invalid == best[e].invalid &&
				r.crossings < best[e].crossings
			if k == 0 || better {
				best[e], kept[e] = r, k
			}
		}
	}
	return batches, kept
}

// swapDef exchanges neighbouring points in up to three places of a loop, depending on the seed. Each exchange makes the
// loop cross itself there; the relaxation smooths the crossing away.
var swapDef = kernel.Def{
	Name: "test.swap",
	Params: []kernel.Param{
		{Name: "active", Type: kernel.Int32, Buffer: true, Access: kernel.Read},
		{Name: "seed", Type: kernel.Int32, Buffer: true, Access: kernel.Read},
		{Name: "loop", Type: kernel.TypeVec2, Buffer: true, Access: kernel.ReadWrite},
		{Name: "points", Type: kernel.Int32},
	},
	Go: func(first, end int32, args *kernel.Args) {
		active, seed, loop := kernel.Slice[int32](args, 0), kernel.Slice[int32](args, 1), kernel.Slice[kernel.Vec2](args, 2)
		for i := first; i < min(end, active[0]); i++ {
			env := active[i+1]
			for k := range int32(kernel.Hash(uint32(seed[env])+99) % 4) {
				at := env*int32(args.Scalars[0]) + 20 + 60*k
				loop[at], loop[at+1] = loop[at+1], loop[at]
			}
		}
	},
}

// registerCrossed registers a generator of loops that cross themselves in up to three places. Its stage has the given
// class.
func registerCrossed(t *testing.T, class exec.CaptureClass) {
	t.Helper()
	register(t, "crossed", Spec{Kernels: append([]*kernel.Def{&swapDef}, centerline.Defs...),
		Stage: func(c Config) exec.Stage {
			return pipeline.StageFunc("loop", class, func(b exec.Builder) (exec.Enqueue, error) {
				a := allocate.New(b)
				polar := allocate.Try(a, func() (exec.Enqueue, error) { return polarStage(c).Build(b) })
				active := allocate.Try(a, func() (exec.Array[int32], error) { return exec.Scratch[int32](b, 1) })
				if a.Err != nil {
					return nil, a.Err
				}
				loop, err := pipeline.Input[kernel.Vec2](b, LoopOutput)
				swap := func(lc *exec.LaunchContext, iteration int) {
					if iteration > 0 {
						return // absorbing: only the first iteration has work
					}
					l := lc.Prepare(&swapDef, b.Envs())
					exec.Bind(l, a.Active.Array())
					exec.Bind(l, b.Seed())
					exec.Bind(l, loop)
					l.Int32(int32(c.Output.LoopPoints))
					l.Launch()
				}
				return func(lc *exec.LaunchContext) {
					polar(lc)
					if class == exec.Bounded {
						exec.BoundedLoop(lc, 3, swap, exec.LoopOptions{Active: active, FirstCheck: 1})
						return
					}
					swap(lc, 0)
				}, err
			})
		}})
}

// The kept candidate is valid if any is, then the one with the fewest crossings, then the first one. Its track is the
// same as the one that its seed gives alone.
func TestCandidatesKeepTheBest(t *testing.T) {
	device := openCPU(t)
	registerCrossed(t, exec.Bounded)
	for _, name := range []string{Bezier, Polar, "crossed"} {
		config := scarce(name)
		effective := make([]int32, config.NumEnvs)
		for e := range effective {
			effective[e] = seeds.EffectiveSeed(int32(500+e), 3)
		}
		batches, kept := candidatesOf(t, device, config, effective)
		batch := batchOf(t, device, config, WithSeed(500), WithEpoch(3))
		require.Equal(t, kept, batch.Candidate, name)
		used := map[int32]int{}
		for e, k := range kept {
			samePoints(t, batches[k], e, batch, e)
			used[k]++
		}
		assert.Len(t, used, 3, "%s: the test sees every candidate kept: %v", name, used)
		assert.Greater(t, batch.NumValid(), batches[0].NumValid())
	}
}

// The tracks are the same eagerly, by mask, and replayed in another owner's capture, where the device skips rounds that
// no env needs.
func TestCandidatesInEveryMode(t *testing.T) {
	ctx := context.Background()
	registerCrossed(t, exec.Bounded)
	device := openCPU(t)
	for _, name := range []string{Bezier, "crossed"} {
		config := scarce(name)
		first, second := batchOf(t, device, config, WithSeed(70)), batchOf(t, device, config, WithSeed(70), WithEpoch(1))

		g, err := NewGenerator(device, config, WithSeed(70))
		require.NoError(t, err)
		values := make([]int32, config.NumEnvs)
		mask, err := exec.FromSlice(device, values)
		require.NoError(t, err)
		check := func(advanced func(e int) bool) {
			t.Helper()
			batch, err := g.Track().Batch(ctx)
			require.NoError(t, err)
			for e := range batch.Envs {
				want := first
				if advanced(e) {
					want = second
				}
				require.Equal(t, want.Epoch[e], batch.Epoch[e], "%s, env %d", name, e)
				require.Equal(t, want.Candidate[e], batch.Candidate[e], "%s, env %d", name, e)
				samePoints(t, want, e, batch, e)
			}
		}
		check(func(int) bool { return false })
		_, err = g.Regenerate(ctx, mask)
		require.NoError(t, err)
		check(func(int) bool { return false })
		for e := range values {
			values[e] = int32(1 - e%3)
		}
		require.NoError(t, mask.Write(ctx, values))
		_, err = g.Regenerate(ctx, mask, SameEpoch())
		require.NoError(t, err)
		check(func(int) bool { return false })
		_, err = g.Regenerate(ctx, mask)
		require.NoError(t, err)
		third := func(e int) bool { return e%3 != 1 }
		check(third)

		require.NoError(t, g.SetEpoch(ctx, 0))
		stream := device.DefaultStream()
		require.NoError(t, stream.BeginCapture())
		_, err = g.Generate(ctx)
		require.NoError(t, err)
		_, err = g.Regenerate(ctx, mask)
		require.NoError(t, err)
		graph, err := stream.EndCapture()
		require.NoError(t, err)
		check(third)
		for range 2 {
			require.NoError(t, g.SetEpoch(ctx, 0))
			require.NoError(t, stream.Replay(graph))
			check(third)
		}
		require.NoError(t, graph.Close())
		require.NoError(t, mask.Close())
		require.NoError(t, g.Close())
	}
}

// A stage that works on the host or on the current stream cannot be part of rounds that the device may skip.
func TestCandidatesRefuse(t *testing.T) {
	device := openCPU(t)
	registerCrossed(t, exec.Host)
	register(t, "old", Spec{Stage: legacyPolar, Kernels: centerline.Defs})
	for name, why := range map[string]string{"crossed": "works on the host", "old": "launches on the current stream"} {
		config := configOf(name, 2)
		assert.Equal(t, 2, batchOf(t, device, config).Envs)
		config.Candidates = 2
		_, err := NewGenerator(device, config)
		assert.ErrorIs(t, err, ErrConfig)
		assert.ErrorContains(t, err, "candidates is 2: must be 1 for the generator "+name+", which "+why)
		_, err = Stages(config)
		assert.ErrorIs(t, err, ErrConfig)
	}
	for _, wrong := range []int{-1, 65} {
		assert.ErrorIs(t, configOf(Bezier, 1, func(c *Config) { c.Candidates = wrong }).Validate(), ErrConfig)
	}
}

// A HOST stage after a generation with candidates sees the kept tracks, once per generation.
func TestCandidatesBeforeAHostStage(t *testing.T) {
	device := openCPU(t)
	config := scarce(Bezier)
	want := batchOf(t, device, config)
	g, err := NewGenerator(device, config, WithStages(longest(exec.Host)))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	array, err := pipeline.ArrayOf[float32](g.Program(), "longest")
	require.NoError(t, err)
	values, err := array.Read(t.Context())
	require.NoError(t, err)
	most := float32(0)
	for _, length := range want.Length {
		most = max(most, length)
	}
	assert.Equal(t, most, values[0])
}

// All stages together, including the rounds, pass every check of the conformance kit.
func TestCandidateStagePassesTheChecks(t *testing.T) {
	registerCrossed(t, exec.Bounded)
	for _, name := range []string{Polar, "crossed"} {
		t.Run(name, func(t *testing.T) {
			c := scarce(name).Resolved()
			stages, err := c.stages()
			require.NoError(t, err)
			require.Len(t, stages, 1)
			// The arrays of a Track are compared; the padding of other arrays is left over from an earlier generation.
			whole := pipeline.StageFunc("whole", stages[0].Class(), func(b exec.Builder) (exec.Enqueue, error) {
				a := allocate.New(b)
				center := allocate.Output[kernel.Vec3](a, "center", c.Output.MaxPoints)
				candidate := allocate.Output[int32](a, generation.CandidateOutput, 1)
				valid := allocate.Output[int32](a, validOutput, 1)
				if a.Err != nil {
					return nil, a.Err
				}
				parts, err := pipeline.Nested(b, pipeline.NestedOptions{Apart: true})
				if err != nil {
					return nil, err
				}
				err = errors.Join(pipeline.Provide(parts, "center", center),
					pipeline.Provide(parts, generation.CandidateOutput, candidate),
					pipeline.Provide(parts, validOutput, valid))
				if err != nil {
					return nil, err
				}
				program, err := parts.Build(stages...)
				if err != nil {
					return nil, err
				}
				truncated := allocate.ArrayOf[int32](a, program, truncatedOutput)
				dropped := allocate.ArrayOf[int32](a, program, droppedOutput)
				return func(lc *exec.LaunchContext) {
					exec.Fill(lc, truncated, 0) // as the first stage of a generator does
					exec.Fill(lc, dropped, 0)
					program.Enqueue(lc)
				}, a.Err
			})
			exectest.CheckStage(t, whole, exectest.Config{Devices: []backend.Device{openCPU(t)}})
		})
	}
}

// A generator whose stage has a part that works on the host or launches on the current stream is refused, with the
// reason, for candidates and as a component of a mixed batch.
func TestPartsThatAreNoCandidates(t *testing.T) { // R40, R53
	device := openCPU(t)
	for class, why := range map[exec.CaptureClass]string{exec.Static: "launches on the current stream",
		exec.Host: "works on the host"} {
		t.Run(class.String(), func(t *testing.T) {
			register(t, "parts", Spec{Kernels: centerline.Defs, Stage: func(c Config) exec.Stage {
				return pipeline.StageFunc("loop", class, func(b exec.Builder) (exec.Enqueue, error) {
					parts, err := pipeline.Nested(b, pipeline.NestedOptions{})
					if err != nil {
						return nil, err
					}
					part := legacyPolar(c)
					if class == exec.Host {
						part = pipeline.StageFunc("part", class, polarStage(c).Build)
					}
					program, err := parts.Build(part)
					if err != nil {
						return nil, err
					}
					return program.Enqueue, nil
				})
			}})
			for _, config := range []Config{
				configOf("parts", 2, func(c *Config) { c.Candidates = 2 }),
				configOf(Mixed, 2, func(c *Config) {
					c.Mix = []Component{{Weight: 1, FirstLoop: loopOf("parts")}, {Weight: 1, FirstLoop: loopOf(Polar)}}
				}),
			} {
				_, err := NewGenerator(device, config)
				require.ErrorContains(t, err, why)
			}
		})
	}
}
