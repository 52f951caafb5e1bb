package randomconfig

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/internal/required"
)

func openTest(t *testing.T, name string, options ...backend.Option) backend.Device {
	t.Helper()
	device, err := backend.Open(name, options...)
	require.NoError(t, err, name)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// openAll opens the CPU, the CPU with instrumented kernels, which find races, indices out of bounds and loops that are
// longer than they state, and every device of the other backends.
func openAll(t *testing.T) (cpu, others []backend.Device) {
	t.Helper()
	cpu = []backend.Device{openTest(t, "cpu"), openTest(t, "cpu", backend.Debug(true))}
	for _, b := range backend.Devices() {
		for _, info := range b.Devices {
			if info.Backend != "cpu" {
				others = append(others, openTest(t, info.Name))
			}
		}
	}
	return cpu, others
}

// search checks random settings, number from and those after it, until next says no. It returns how many settings
// there were, and on how many devices they ran in total. For settings that fail it prints the smallest part of them
// that fails too.
func search(t *testing.T, devices []backend.Device, seed uint64, from int, most float64, next func(n int) bool) (
	settings, runs int) {
	t.Helper()
	for ; next(settings); settings++ {
		n := from + settings
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		s := Draw(random, most)
		first, mode := random.Int32(), parity.Modes()[random.IntN(len(parity.Modes()))]
		check := func(s Settings) error {
			_, err := checked(t.Context(), devices, s, first, mode)
			return err
		}
		started := time.Now()
		able, err := checked(t.Context(), devices, s, first, mode)
		runs += able
		if took := time.Since(started); took > slow {
			t.Logf("settings %d of seed %d took %v: %v", n, seed, took.Round(time.Second), s)
		}
		if err != nil {
			small := s.Shrink(func(s Settings) bool {
				_, wrong := s.Config()
				return wrong == nil && check(s) != nil
			})
			t.Errorf("settings %d of seed %d fail: %v\nof %v\nare enough: %v\nseed of the first track %d, mode %s: %v", n, seed,
				err, s, small, first, mode, check(small))
		}
	}
	return settings, runs
}

// slow is a time after which settings are worth a line in the log.
const slow = time.Minute

// checked is Check, and a panic is an error.
func checked(ctx context.Context, devices []backend.Device, s Settings, seed int32, mode parity.Mode) (able int,
	err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	modes := []parity.Mode{parity.Eager}
	if mode != parity.Eager {
		modes = append(modes, mode)
	}
	return Check(ctx, devices, s, seed, modes)
}

// The same random settings on every machine: the CPU and its instrumented kernels make tracks of which every number is
// one that a column may have.
func TestRandomSettings(t *testing.T) {
	cpu, _ := openAll(t)
	search(t, cpu[:1], 1, 0, 1e8, upTo(t, 200))
	search(t, cpu, 2, 0, 1e7, upTo(t, 30))
	assert.Positive(t, searchCircuits(t, cpu[:1], 1, 0, upTo(t, 60)))
}

// All devices make the same tracks from random settings.
func TestRandomSettingsOnAllDevices(t *testing.T) {
	cpu, others := openAll(t)
	if len(others) == 0 {
		required.Skip(t, required.Vulkan, "there is no device but the CPU")
	}
	devices := append(cpu[:1], others...)
	settings, runs := search(t, devices, 3, 0, 2e7, upTo(t, 25))
	assert.Greater(t, 10*runs, 9*settings*len(devices), "the devices refuse a few settings at most")
	assert.Positive(t, searchCircuits(t, devices, 2, 0, upTo(t, 10)))
}

// upTo counts to n, and not far with -short.
func upTo(t *testing.T, n int) func(int) bool {
	t.Helper()
	if testing.Short() {
		n = n/10 + 1
	}
	return func(done int) bool { return done < n }
}

// searchCircuits is search for imports of random circuits. It returns how many were imported.
func searchCircuits(t *testing.T, devices []backend.Device, seed uint64, from int, next func(n int) bool) int {
	t.Helper()
	imported := 0
	for n := from; next(n - from); n++ {
		c, options := DrawCircuit(rand.New(rand.NewPCG(seed, uint64(n))))
		was, err := CheckImport(t.Context(), devices, c, options)
		if err != nil {
			t.Errorf("circuit %d of seed %d, %+v: %v\n%+v", n, seed, options, err, c)
		}
		if was {
			imported++
		}
	}
	return imported
}
