package exectest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
)

// iterations is the bound of the test loops; the seeds 0 to 3 need fewer.
const iterations = 140

// static is a correct STATIC stage.
func static() exec.Stage {
	return with(exec.Static, func(b exec.Builder, a allocated) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			mix(lc, b.Seed(), 0, a.out)
			exec.Copy(lc, a.other, a.out)
			exec.Fill(lc, a.flag, 1)
		}
	})
}

// bounded is a correct BOUNDED stage whose flag and iteration counter are not outputs.
func bounded() exec.Stage {
	var results []backend.View
	s := with(exec.Bounded, func(b exec.Builder, a allocated) exec.Enqueue {
		results = []backend.View{a.out.View(), a.other.View()}
		emitted := 0 // host state that is not read after the loop (C10)
		iteration := func(lc *exec.LaunchContext, _ int) {
			emitted++
			shrink(lc, 1, a.out, a.other, a.flag)
			add(lc, 1, a.word) // counts iterations, whose number depends on the lowering
		}
		return func(lc *exec.LaunchContext) {
			mix(lc, b.Seed(), 0, a.out)
			exec.Fill(lc, a.other, 0)
			exec.Fill(lc, a.word, 0)
			exec.Fill(lc, a.flag, 1)
			exec.BoundedLoop(lc, iterations, iteration, exec.LoopOptions{Active: a.flag, FirstCheck: 2, CheckEvery: 3})
		}
	})
	s.outputs = func() []backend.View { return results }
	return withOutputs{s}
}

// host is a correct HOST stage.
func host() exec.Stage {
	return with(exec.Host, func(b exec.Builder, a allocated) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			mix(lc, b.Seed(), 0, a.out)
			h, err := lc.Host()
			if err != nil {
				lc.Fail(err)
				return
			}
			values, err := exec.Readback(h, a.out, a.via)
			if err != nil {
				lc.Fail(err)
				return
			}
			for i := range values {
				values[i] *= 2
			}
			lc.Fail(exec.Upload(h, a.other, values, a.via))
			_, err = h.ReadInt32(a.other, 0)
			lc.Fail(err)
			lc.Fail(h.Sync())
		}
	})
}

func TestGoodStages(t *testing.T) { // R138-R142, R157
	devices := []backend.Device{openCPU(t), gpu{openCPU(t)}}
	for name, s := range map[string]exec.Stage{"static": static(), "bounded": bounded(), "host": host()} {
		t.Run(name, func(t *testing.T) {
			exectest.CheckStage(t, s, exectest.Config{Devices: devices})
			exectest.CheckStage(t, s, exectest.Config{Devices: devices[:1], Seeds: []int32{5, -1, 0}})
		})
	}
}

// broken lists for each check the stages that it must catch.
func broken(t testing.TB) map[string]map[string]exec.Stage {
	loop := func(body func(b exec.Builder, a allocated) exec.Enqueue) exec.Stage { return with(exec.Bounded, body) }
	plain := func(body func(b exec.Builder, a allocated) exec.Enqueue) exec.Stage { return with(exec.Static, body) }
	return map[string]map[string]exec.Stage{
		"static.no_active": {
			"a loop that may end early": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					exec.BoundedLoop(lc, 3, func(*exec.LaunchContext, int) {}, exec.LoopOptions{Active: a.flag})
				}
			}),
			"launches that depend on host state": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				generations := 0
				return func(lc *exec.LaunchContext) {
					for range generations {
						mix(lc, b.Seed(), 0, a.out)
					}
					generations++
				}
			}),
		},
		"stage.no_sync": {
			"waits for its stream": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					mix(lc, b.Seed(), 0, a.out)
					lc.Fail(lc.Stream().Sync())
				}
			}),
			"reads back in a loop body": loop(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					exec.BoundedLoop(lc, 1, func(lc *exec.LaunchContext, _ int) {
						_, err := a.out.Read(t.Context())
						lc.Fail(err)
					}, exec.LoopOptions{})
				}
			}),
		},
		"host.sanctioned": {
			"reads back without its HostOps": with(exec.Host, func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					_, err := a.out.Read(t.Context())
					lc.Fail(err)
				}
			}),
		},
		"stage.lc_only": {
			"asks for the current stream": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					own, err := exec.OnCurrentStream(b.Device())
					lc.Fail(err)
					mix(own, b.Seed(), 0, a.out)
				}
			}),
			"keeps a context": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				var kept *exec.LaunchContext
				return func(lc *exec.LaunchContext) {
					if kept == nil {
						kept = lc
					}
					mix(kept, b.Seed(), 0, a.out)
				}
			}),
			"makes a context of its own": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					own, err := exec.For(context.Background(), b.Device(), exec.OnStream(lc.Stream()))
					lc.Fail(err)
					mix(own, b.Seed(), 0, a.out)
				}
			}),
			"goes past the context": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					lc.Fail(lc.Stream().Fill(a.out.View(), 1))
				}
			}),
		},
		"stage.no_alloc": {
			"allocates device memory": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					scratch, err := exec.NewArray[int32](b.Device(), 1)
					lc.Fail(err)
					lc.Fail(scratch.Close())
				}
			}),
			"allocates on the Go heap": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					garbage = make([]int, 10)
					mix(lc, b.Seed(), 0, a.out)
				}
			}),
		},
		"seed.epoch0": {
			"adds to what was there": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) { add(lc, 1, a.out) }
			}),
			"remembers the first seeds": loop(func(b exec.Builder, a allocated) exec.Enqueue {
				first := true
				return func(lc *exec.LaunchContext) {
					if first {
						mix(lc, b.Seed(), 0, a.out)
					}
					first = false
				}
			}),
		},
		"seed.masked_noop": {
			"an env that depends on its neighbour": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					head, err := b.Seed().Slice(0, b.Envs()-1)
					lc.Fail(err)
					tail, err := a.out.Slice(1, b.Envs())
					lc.Fail(err)
					mix(lc, head, 0, tail)
				}
			}),
		},
		"bounded.absorbing": {
			"iterations that go on": loop(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					mix(lc, b.Seed(), 0, a.out)
					exec.Fill(lc, a.other, 0)
					exec.Fill(lc, a.flag, 1)
					exec.BoundedLoop(lc, iterations, func(lc *exec.LaunchContext, _ int) {
						shrink(lc, 0, a.out, a.other, a.flag)
					}, exec.LoopOptions{Active: a.flag})
				}
			}),
			"a flag that is not set in every generation": loop(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					mix(lc, b.Seed(), 0, a.out)
					exec.Fill(lc, a.other, 0)
					exec.BoundedLoop(lc, iterations, func(lc *exec.LaunchContext, _ int) {
						shrink(lc, 1, a.out, a.other, a.flag)
					}, exec.LoopOptions{Active: a.flag})
				}
			}),
			"a flag that is set again": loop(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					exec.Fill(lc, a.out, 0)
					exec.Fill(lc, a.flag, 0)
					exec.BoundedLoop(lc, 3, func(lc *exec.LaunchContext, _ int) {
						exec.Fill(lc, a.flag, 1)
					}, exec.LoopOptions{Active: a.flag})
					exec.Fill(lc, a.flag, 0)
				}
			}),
		},
		"bounded.lowering": {
			"copies from the host in a window": loop(func(b exec.Builder, a allocated) exec.Enqueue {
				host, err := exec.NewHostArray[int32](b.Device(), 1)
				require.NoError(t, err)
				b.Keep(host)
				buffer, err := b.Device().AllocHost(4)
				require.NoError(t, err)
				b.Keep(buffer)
				return func(lc *exec.LaunchContext) {
					exec.Fill(lc, a.flag, 1)
					exec.BoundedLoop(lc, 3, func(lc *exec.LaunchContext, _ int) {
						lc.Fail(lc.Stream().Upload(a.word.View(), buffer, 0))
					}, exec.LoopOptions{Active: a.flag})
				}
			}),
		},
		"record.twice": {
			"emits more each time": loop(func(b exec.Builder, a allocated) exec.Enqueue {
				generations := 0
				return func(lc *exec.LaunchContext) {
					for range generations {
						mix(lc, b.Seed(), 0, a.out)
					}
					generations++
				}
			}),
			"works while it is recorded": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					own, err := exec.OnCurrentStream(b.Device())
					lc.Fail(err)
					exec.Fill(own, a.word, 3)
				}
			}),
		},
		"replay.equals_eager": {
			"a host counter among the arguments": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				capturing := int32(0)
				return func(lc *exec.LaunchContext) {
					if lc.Capturing() { // R4: the enqueue must not decide from it
						capturing++
					}
					mix(lc, b.Seed(), capturing, a.out)
				}
			}),
		},
		"unconditional.equals_conditional": {
			"a body that works although the flag is zero": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					exec.Fill(lc, a.out, 0)
					exec.Fill(lc, a.flag, 0)
					exec.SkipUnless(lc, a.flag, func(lc *exec.LaunchContext) { mix(lc, b.Seed(), 0, a.out) })
				}
			}),
		},
		"backend.parity": {
			"depends on the device": plain(func(b exec.Builder, a allocated) exec.Enqueue {
				return func(lc *exec.LaunchContext) {
					value := int32(0)
					if lc.Device().Caps().OwnGraphs {
						value = 1
					}
					mix(lc, b.Seed(), value, a.out)
				}
			}),
		},
	}
}

// garbage prevents the compiler from optimising an allocation away.
var garbage []int

func TestBrokenStages(t *testing.T) { // R23, R38-R40, R107, R138-R143
	devices := []backend.Device{openCPU(t), gpu{openCPU(t)}}
	all := broken(t)
	for _, name := range exectest.Names() {
		require.NotEmpty(t, all[name], "no broken stage tests %s", name)
		for what, s := range all[name] {
			t.Run(name+"/"+what, func(t *testing.T) {
				findings, err := exectest.Check(t.Context(), s, exectest.Config{Devices: devices})
				require.NoError(t, err)
				caught := slices.ContainsFunc(findings, func(f exectest.Finding) bool { return f.Check == name })
				assert.True(t, caught, "%v", findings)
				for _, f := range findings {
					assert.NotEmpty(t, f.Text)
					assert.Contains(t, f.String(), f.Check+" on cpu (device ")
				}
				skip := map[string]string{}
				for _, f := range findings {
					skip[f.Check] = "known"
				}
				findings, err = exectest.Check(t.Context(), s, exectest.Config{Devices: devices, Skip: skip})
				require.NoError(t, err)
				assert.Empty(t, findings)
			})
		}
	}
	assert.Len(t, all, len(exectest.Names()))
}

// For a stage without Outputs, everything that it allocated is compared.
func TestNoOutputsMeansAll(t *testing.T) {
	s := with(exec.Static, func(b exec.Builder, a allocated) exec.Enqueue {
		return func(lc *exec.LaunchContext) { add(lc, 1, a.out) }
	})
	s.outputs = func() []backend.View { return nil }
	findings, err := exectest.Check(t.Context(), withOutputs{s}, exectest.Config{Devices: []backend.Device{openCPU(t)}})
	require.NoError(t, err)
	assert.NotEmpty(t, findings)
}

func TestStagesThatDoNotBuild(t *testing.T) {
	device := openCPU(t)
	failure := errors.New("no")
	for _, s := range []exec.Stage{
		stage{build: func(exec.Builder) (exec.Enqueue, error) { return nil, failure }},
		stage{build: func(exec.Builder) (exec.Enqueue, error) { return nil, nil }},
	} {
		findings, err := exectest.Check(t.Context(), s, exectest.Config{Devices: []backend.Device{device}})
		require.NoError(t, err)
		require.NotEmpty(t, findings)
		assert.Contains(t, findings[0].Text, "build:")
	}
}

func TestCheckRefuses(t *testing.T) {
	device := openCPU(t)
	for part, config := range map[string]exectest.Config{
		"Devices is empty": {},
		"Devices[1]":       {Devices: []backend.Device{device, nil}},
		"Envs is -1":       {Devices: []backend.Device{device}, Envs: -1},
		"Seeds has 2":      {Devices: []backend.Device{device}, Envs: 3, Seeds: []int32{1, 2}},
		`"no.check"`:       {Devices: []backend.Device{device}, Skip: map[string]string{"no.check": "why"}},
	} {
		_, err := exectest.Check(t.Context(), static(), config)
		require.ErrorContains(t, err, part)
	}
	_, err := exectest.Check(t.Context(), nil, exectest.Config{Devices: []backend.Device{device}})
	require.ErrorContains(t, err, "stage is nil")
	assert.Len(t, exectest.Names(), 13)
	assert.False(t, slices.ContainsFunc(exectest.Names(), func(name string) bool { return strings.Count(name, ".") != 1 }))
}

// Force can force every lowering.
func TestForce(t *testing.T) { // C20
	device := openCPU(t)
	flag, runs := newArray(t, device, int32(0)), newArray(t, device, int32(0))
	count := func(ctx context.Context) (int32, error) {
		require.NoError(t, runs.Write(ctx, []int32{0}))
		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		exec.BoundedLoop(lc, 5, func(lc *exec.LaunchContext, _ int) { add(lc, 1, runs) }, exec.LoopOptions{Active: flag})
		return read(t, runs)[0], lc.Err()
	}
	for lowering, want := range map[exectest.Lowering]int32{exectest.Free: 0, exectest.HostPoll: 0, exectest.All: 5} {
		ctx, err := exectest.Force(t.Context(), lowering)
		require.NoError(t, err)
		got, err := count(ctx)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	ctx, err := exectest.Force(t.Context(), exectest.Conditional)
	require.NoError(t, err)
	_, err = count(ctx)
	require.ErrorIs(t, err, backend.ErrUnsupported, "the CPU has no eager conditionals")
	_, err = exectest.Force(t.Context(), 9)
	require.ErrorContains(t, err, "Lowering(9)")
}
