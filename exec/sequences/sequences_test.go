package sequences

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	programs = flag.Int("programs", 600, "how many random programs run on the CPU; other devices run a part of them")
	first    = flag.Uint64("first", 1, "the seed of the first random program")
)

// batch is the number of programs per opening of a device. The last one leaves objects open.
const batch = 25

// part returns the share of the programs that a kind of device runs: opening and waiting takes longer on some.
func (k kind) part() int {
	switch k.name {
	case "cpu":
		return 1
	case "vulkan":
		return 8
	default:
		return 2
	}
}

// On each device, random programs follow the rules, judged by errors, results of calls, capture states and the contents
// of all arrays.
//
// D2-D4, D12-D17, R6, R22-R27, R31-R37, R45-R50, R62-R77, R84, R109, R114-R116, R118a, R118d, R118e, R118f, R118j, R166
func TestRandomPrograms(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			for seed := *first; seed < *first+uint64(*programs/k.part()/slowness) && !t.Failed(); seed += batch + 1 {
				k.runBatch(t, seed)
			}
		})
	}
}

// runBatch runs the programs of some seeds on one opening of the device, and closes the device with objects left open.
func (k kind) runBatch(t *testing.T, seed uint64) {
	b := k.open(t)
	for i := range uint64(batch) {
		calls := generate(seed+i, k.foreign)
		if wrong := k.watched(t, b, calls, nil); wrong != nil {
			_ = b.close()
			k.report(t, seed+i, calls)
			return
		}
	}
	random := rand.New(rand.NewPCG(seed, 2))
	calls := generate(seed+batch, k.foreign)
	if wrong := k.watched(t, b, calls, random); wrong != nil {
		t.Errorf("seed %d, and some left open\n%s\n%v", seed+batch, text(calls), wrong)
	}
}

// timeout is the time after which a program counts as hanging and is printed.
const timeout = time.Minute

// watched runs a program and prints it if it hangs. If leave is not nil, it leaves random objects open and closes the
// device.
func (k kind) watched(t *testing.T, b *testbed, calls []call, leave *rand.Rand) *mismatch {
	t.Helper()
	watch := time.AfterFunc(timeout, func() { fmt.Fprintf(os.Stderr, "%s is still running\n%s", k.name, text(calls)) })
	defer watch.Stop()
	wrong, err := b.try(k.abilities, calls, leave)
	require.NoError(t, err)
	return wrong
}

// report shrinks a failing program and reports the rest.
func (k kind) report(t *testing.T, seed uint64, calls []call) {
	t.Helper()
	try := func(calls []call) *mismatch {
		b := k.open(t)
		wrong := k.watched(t, b, calls, nil)
		if err := b.close(); wrong == nil && err != nil {
			wrong = &mismatch{call: "close the device", want: "ok", got: err.Error()}
		}
		return wrong
	}
	small := shrink(calls, func(calls []call) bool { return try(calls) != nil })
	t.Errorf("seed %d, on %s: a program that shows it\n%s\n%v", seed, k.name, text(small), try(small))
}

// FuzzPrograms lets the fuzzer search for seeds.
func FuzzPrograms(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		b := cpuKind.open(t)
		calls := generate(seed, false)
		if wrong := cpuKind.watched(t, b, calls, nil); wrong != nil {
			t.Fatalf("%s\n%v", text(calls), wrong)
		}
		require.NoError(t, b.close())
	})
}

// A program survives conversion to text and back, and equal seeds give equal programs.
func TestProgramsAreText(t *testing.T) {
	for seed := range uint64(200) {
		calls := generate(seed, seed%2 == 0)
		parsed, err := parse(text(calls))
		require.NoError(t, err)
		require.Equal(t, text(calls), text(parsed))
		require.Equal(t, text(calls), text(generate(seed, seed%2 == 0)))
	}
	for _, wrong := range []string{"}", "skip c0 f0 b0 {", "skip c0 f0 b0", "launch c0 a0 {\n}"} {
		_, err := parse(wrong)
		require.Error(t, err, wrong)
	}
}

// Shrinking keeps the calls that make a program fail, inside bodies too.
func TestShrink(t *testing.T) {
	calls, err := parse("check\n skip c0 f0 b0 {\n launch b0 a0\n fill b0 a0 1\n skip b0 f1 b1 {\n launch b1 a1\n" +
		"}\n }\n end s0 g0")
	require.NoError(t, err)
	var contains func(calls []call, op string) bool
	contains = func(calls []call, op string) bool {
		return slices.ContainsFunc(calls, func(c call) bool { return c.op == op || contains(c.body, op) })
	}
	small := shrink(calls, func(calls []call) bool { return contains(calls, "fill") })
	assert.Equal(t, "skip c0 f0 b0 {\n  fill b0 a0 1\n}\n", text(small))
}

// leaks returns the number of open resources of each kind that a device reports.
func leaks(err error) map[string]int {
	found := map[string]int{}
	var leak *backend.LeakError
	if errors.As(err, &leak) {
		for _, l := range leak.Leaks {
			found[l.Kind]++
		}
	}
	return found
}
