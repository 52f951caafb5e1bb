//go:build cgo && linux

package cuda

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// flaws are the kinds of nodes that a driver can get wrong, and what is left then: neither conditionals nor loops, or
// conditionals alone.
var flaws = []struct {
	name   string
	broken emulator.Broken
	ifs    bool
}{
	{"IF", emulator.BrokenKernel, false},
	{"IF in IF", emulator.BrokenIfInIf, false},
	{"WHILE", emulator.BrokenWhile, true},
	{"WHILE in IF", emulator.BrokenWhileInIf, true},
	{"IF in WHILE", emulator.BrokenIfInWhile, true},
	{"WHILE in WHILE", emulator.BrokenWhileInWhile, true},
}

// If a driver gets one kind of nested nodes, or kernels in bodies, wrong, Caps does not promise it, whether the driver
// refuses it or runs it wrongly. Everything else of the device works.
func TestProbeFindsFlaws(t *testing.T) {
	failures := map[emulator.Failure]string{emulator.FailsByResult: "gave", emulator.FailsWhenAdded: "cuGraphAddNode",
		emulator.FailsWhenInstantiated: "cuGraphInstantiateWithParams"}
	for _, flaw := range flaws {
		for how, reason := range failures {
			if flaw.broken == emulator.BrokenKernel && how == emulator.FailsWhenAdded {
				continue // there is no such call
			}
			e := start(t, 12080, 1)
			e.Break(flaw.broken, how)
			d := openTest(t)
			require.Equal(t, flaw.ifs, d.Caps().CaptureConditionals, "%s, %s", flaw.name, reason)
			require.False(t, d.Caps().WhileNodes, "%s, %s", flaw.name, reason)
			require.Contains(t, d.loops.reason, flaw.name+" does not work: ")
			require.Contains(t, d.loops.reason, reason)
			refusesLoops(t, d)
			require.NoError(t, churn(d))
		}
	}
}

// refusesLoops records a loop, and a conditional if the device has them, outside of a body and inside.
func refusesLoops(t *testing.T, d *device) {
	s, x, flag := newStream(t, d), view(t, d, 1), view(t, d, 1)
	set(t, d, flag, 1)
	body := func(in backend.Stream) error { return in.Fill(x, 5) }
	g := recorded(t, s, func() error {
		require.ErrorIs(t, s.Repeat(flag, 2, body), backend.ErrUnsupported)
		err := s.Repeat(flag, 2, body)
		require.ErrorContains(t, err, d.loops.reason)
		require.ErrorContains(t, err, "repeat")
		err = s.If(flag, func(in backend.Stream) error {
			require.ErrorIs(t, in.(backend.Repeater).Repeat(flag, 2, body), backend.ErrUnsupported)
			return in.If(flag, body)
		})
		if d.ifs.works {
			return err
		}
		require.ErrorIs(t, err, backend.ErrUnsupported)
		return s.Fill(x, 5)
	})
	require.NoError(t, errors.Join(s.Replay(g), s.Sync()))
	require.Equal(t, int32(5), get(t, d, x))
}

// If the context is lost in the probe, the device does not open, and the error names the trial and the way out.
func TestProbeLosesContext(t *testing.T) {
	for _, flaw := range flaws {
		e := start(t, 12080, 1)
		e.Break(flaw.broken, emulator.FailsWhenRun)
		_, err := backend.Open("cuda:0")
		require.ErrorIs(t, err, backend.ErrDeviceLost, flaw.name)
		require.ErrorContains(t, err, "trying conditional nodes, "+flaw.name)
		require.ErrorContains(t, err, conditionalsVariable+"=off")
		t.Setenv(conditionalsVariable, "off")
		require.NoError(t, openTest(t).Usable("work"))
		t.Setenv(conditionalsVariable, "on")
	}
}

// If the driver hangs in the probe, opening fails in time, so that another device can be used, and says what to do.
// The device is closed when the driver returns after all.
func TestProbeHangs(t *testing.T) {
	before := probeLimit
	probeLimit = 100 * time.Millisecond
	defer func() { probeLimit = before }()
	for _, call := range []string{"cuGraphLaunch", "cuGraphInstantiateWithParams", "cuStreamBeginCaptureToGraph"} {
		e := start(t, 12080, 1)
		goroutines := goleak.IgnoreCurrent()
		e.Hold(call)
		_, err := backend.Open("cuda:0")
		e.Hold("")
		require.ErrorIs(t, err, backend.ErrUnavailable)
		require.ErrorContains(t, err, "hangs")
		require.ErrorContains(t, err, conditionalsVariable+"=off")
		require.NoError(t, goleak.Find(goroutines)) // retries
		require.Empty(t, e.Live())
	}
}

// flawedConfigs returns small configurations of all generators, and of a mixed batch with the best of two candidates,
// whose masked regenerations have conditionals in conditionals.
func flawedConfigs() map[string]track.Config {
	configs := make(map[string]track.Config)
	for _, generator := range track.Generators() {
		configs[generator] = tracktest.Small(tracktest.Config(generator, 5))
	}
	configs[track.Mixed] = tracktest.Small(tracktest.Config(track.Mixed, 5, func(c *track.Config) {
		c.Candidates = 2
		c.Output.LoopPoints = 64
		c.Mix = []track.Component{c.NewComponent(1, track.Bezier), c.NewComponent(1, track.Repulsive)}
		c.Mix[1].Repulsive.GrowthRate, c.Mix[1].Repulsive.Stages = 0.1, []int{16, 64}
	}))
	return configs
}

// The conformance suite, and whole generations with the bits of the CPU, run with what each flaw leaves.
func TestProducersWithFlaws(t *testing.T) {
	reference, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, reference.Close()) }()
	for _, broken := range []emulator.Broken{emulator.BrokenIfInIf, emulator.BrokenWhileInIf} {
		e := start(t, 12080, uint64(broken))
		loadProducers(t, e)
		e.Break(broken, emulator.FailsByResult)
		d := openTest(t)
		require.Equal(t, broken == emulator.BrokenWhileInIf, d.Caps().CaptureConditionals)
		for name, config := range flawedConfigs() {
			comparisons, err := parity.Compare(t.Context(), []backend.Device{reference, d}, config, 3, parity.Modes(), nil)
			require.NoError(t, err)
			require.Len(t, comparisons, 2*len(parity.Modes()))
			for _, c := range comparisons {
				require.Nil(t, c.First, "%s on %s, %s: %v", name, c.Device, c.Mode, c.First)
			}
		}
		backendtest.Run(t, backendtest.Config{Open: func(t testing.TB, options ...backend.Option) backend.Device {
			return openDevice(t, options...)
		}})
	}
}
