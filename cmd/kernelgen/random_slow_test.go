//go:build slow

package main

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/random"
)

var (
	randomSeed     = flag.Uint64("random.seed", 0, "the first seed of TestRandomKernelsSlow (default: of the clock)")
	randomPrograms = flag.Int("random.programs", 10_000, "how many programs TestRandomKernelsSlow runs")
	randomLegs     = flag.String("random.legs", "", "a regular expression of the legs that TestRandomKernelsSlow runs")
	randomTime     = flag.Duration("random.time", 0, "how long TestRandomKernelsSlow runs, however many programs that are")
)

// TestRandomKernelsSlow compares all implementations of other random kernels in every run.
func TestRandomKernelsSlow(t *testing.T) {
	first := *randomSeed
	if first == 0 {
		first = uint64(time.Now().UnixMilli())
	}
	wanted, err := regexp.Compile(*randomLegs)
	require.NoError(t, err)
	begin, count, refused := time.Now(), 0, 0
	for more := true; more; {
		seed := first + uint64(count)
		t.Run(fmt.Sprintf("-random.seed=%d", seed), func(t *testing.T) {
			// Devices keep the kernels of a batch until they are closed.
			legs := slices.DeleteFunc(append(append(vulkanLegs(t), hostLegs()...), ptxLeg(t)), func(leg random.Leg) bool {
				return !wanted.MatchString(leg.Name)
			})
			refused += compareRandom(t, legs, seeds(seed, min(batchSize, *randomPrograms-count)), 5*time.Minute)
		})
		count += batchSize
		more = count < *randomPrograms
		if *randomTime > 0 {
			more = time.Since(begin) < *randomTime
		}
	}
	t.Logf("%d programs from seed %d, %d refused", count, first, refused)
	require.LessOrEqual(t, refused, count/100, "programs are accepted by construction")
}
