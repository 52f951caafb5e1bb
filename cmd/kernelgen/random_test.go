package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/random"
	"github.com/trackgen-go/trackgen/internal/required"
)

// batchSize is how many random kernels are compiled together.
const batchSize = 64

// vulkanLegs returns the legs of the Vulkan devices.
func vulkanLegs(t *testing.T) []random.Leg {
	t.Helper()
	tools := compilers(t)
	// Pipelines of random kernels are not worth keeping.
	t.Setenv("TRACKGEN_VULKAN_CACHE", "off")
	t.Setenv("MESA_SHADER_CACHE_DISABLE", "true")
	var legs []random.Leg
	for _, name := range []string{"vulkan:0", "vulkan:1"} {
		if name == "vulkan:1" && os.Getenv(swiftShaderVariable) == "" {
			unavailable(t, "SwiftShader", swiftShaderVariable+" does not name it; scripts/deps.sh installs it")
			continue
		}
		device, err := backend.Open(name)
		if errors.Is(err, backend.ErrUnavailable) {
			unavailable(t, name, err.Error())
			continue
		}
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, device.Close()) })
		leg := random.Vulkan(device.Info().Driver, device, tools, nil)
		leg.Flushes = !device.Caps().Denormals
		legs = append(legs, leg)
	}
	return legs
}

// unavailable is a test of its own about a driver of Vulkan that is not there. It is skipped, or fails where drivers
// are required.
func unavailable(t *testing.T, name, reason string) {
	t.Run(name, func(t *testing.T) { required.Skip(t, required.Vulkan, "%s cannot run: %s", name, reason) })
}

// swiftShaderVariable names the file that describes SwiftShader to the Vulkan loader. make sets it.
const swiftShaderVariable = "TRACKGEN_SWIFTSHADER"

// TestMain shows SwiftShader to the Vulkan loader as a second driver, vulkan:1. The loader reads its environment once.
func TestMain(m *testing.M) {
	if file := os.Getenv(swiftShaderVariable); file != "" {
		if err := os.Setenv("VK_ADD_DRIVER_FILES", file); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(m.Run())
}

// ptxLeg is the PTX in the interpreter of the emulated CUDA driver, which also reports races and barriers that only
// some lanes reach.
func ptxLeg(t *testing.T) random.Leg {
	t.Helper()
	return random.CUDA("PTX", func(t testing.TB) backend.Device {
		e, err := emulator.Open(t.TempDir(), emulator.Options{Version: 12080, Interpret: true})
		require.NoError(t, err)
		t.Setenv(emulator.LibraryVariable, e.Path)
		device, err := backend.Open("cuda:0")
		require.NoError(t, err)
		return device
	}, compilers(t), nil)
}

// hostLegs are the CUDA C on the host with one lane, and with many lanes in a random order. Fused multiply-adds are
// there where the processor has them. Not all of -march=native is: with it, g++ 12 and AVX-512, a word of seed 20302
// differs for a reason that is not known (docs/design/kernels.md).
func hostLegs() []random.Leg {
	var flags []string
	if hasFused() {
		flags = []string{"-mavx2", "-mfma"}
	}
	return []random.Leg{
		random.Host("CUDA C on the host", nil, flags...),
		random.Host("CUDA C on fibres", nil, fibres...),
	}
}

// seeds returns some seeds from the first on.
func seeds(first uint64, count int) []uint64 {
	list := make([]uint64, count)
	for i := range list {
		list[i] = first + uint64(i)
	}
	return list
}

// compareRandom runs the programs of some seeds on all legs and reports those that differ. shrinking bounds the time
// for each of them.
func compareRandom(t *testing.T, legs []random.Leg, seeds []uint64, shrinking time.Duration) (refused int) {
	t.Helper()
	checker := &random.Checker{Vocabulary: loadVocabulary(t), Root: "../..", Legs: legs}
	var programs []random.Program
	for _, seed := range seeds {
		programs = append(programs, random.Generate(seed))
	}
	failures, refused := checker.Check(t, programs)
	for _, f := range failures {
		t.Errorf("seed %d differs on %s: %v", f.Program.Seed, f.Leg, f.Difference)
	}
	assert.LessOrEqual(t, 2*checker.Unsettled, checker.Written, "words that depend on denormals")
	for _, f := range failures[:min(len(failures), 3)] {
		t.Log(checker.Report(t, f, shrinking))
	}
	return refused
}

// TestRandomKernels compares all implementations of random kernels, the same ones in every run. glslang takes longer to
// start than all the rest takes for a kernel, so only every third batch runs on Vulkan. TestRandomKernelsSlow runs
// other kernels in every run.
func TestRandomKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles hundreds of kernels")
	}
	vulkan, host, ptx := vulkanLegs(t), hostLegs(), ptxLeg(t)
	const batches = 3
	refused := 0
	for batch := range batches {
		first := uint64(1 + batch*batchSize)
		t.Run(fmt.Sprintf("from seed %d", first), func(t *testing.T) {
			legs := []random.Leg{host[batch%len(host)], ptx}
			if batch%3 == 0 {
				legs = append(legs, vulkan...)
			}
			refused += compareRandom(t, legs, seeds(first, batchSize), time.Minute)
		})
	}
	// Each showed a mistake: conversions from 16 bits and to 8, a struct whose padding is copied byte by byte, zeros that
	// min.f32 would order, a switch without a default, high halves of 64-bit products and of words, a word that LLVM
	// loads too early, a zero and the bits of an integer that min.f32 would order, structs that clang keeps in memory,
	// and the padding of one in registers.
	mended := []uint64{710_059, 710_470, 740_252, 770_768, 780_043, 821_071, 831_551, 1_001_165, 1_010_682, 1_012_231,
		2_100_439, 2_202_859, 2_300_738, 4_201_684}
	compareRandom(t, []random.Leg{ptx}, mended, time.Minute)
	// x*x >= 0 for a NaN, and a condition that g++ took for a declaration.
	compareRandom(t, host, []uint64{1_011_128, 4_202_775}, time.Minute)
	// A division of constants by -1, whose result is not used, and a loop whose variable SwiftShader took for a constant.
	compareRandom(t, vulkan, []uint64{910_074, 2_100_638}, time.Minute)
	require.LessOrEqual(t, refused, batches*batchSize/100, "programs are accepted by construction")
}

// remembered is a kernel whose variables a loop changes by nothing but constants and themselves.
const remembered = `package main

import "github.com/trackgen-go/trackgen/kernel"

//kernel:thread
func k1(i int32, out0 []int32, out1 []uint32, out2 []float32) {
	step, limit, least, most, root := int32(1), int32(9), uint32(866), uint32(5), float32(866)
	for range 3 {
		step = min(step*2, 6)
		limit = max(limit-2, 4)
		least = min(least, 7)
		most = max(most, 8)
		root = kernel.Sqrt(root)
	}
	out0[i*4], out0[i*4+1] = step, limit
	out1[i*4], out1[i*4+1] = least, most
	out2[i*4] = root
}
`

// TestLoopVariables runs a kernel in which SwiftShader takes variables for constants where they are changed by
// instructions of GLSL.
func TestLoopVariables(t *testing.T) {
	checker := &random.Checker{Vocabulary: loadVocabulary(t), Root: "../..", Legs: vulkanLegs(t)}
	failures, refused := checker.Check(t, []random.Program{{Kernel: "k1", Source: remembered, Items: 3}})
	require.Zero(t, refused)
	for _, f := range failures {
		t.Errorf("it differs on %s: %v", f.Leg, f.Difference)
	}
}
