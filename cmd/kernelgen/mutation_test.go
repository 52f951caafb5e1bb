package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	conformance "github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/cuda"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/hostrun"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/spirv"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// The tests of this file make mistakes in generated code and require that the comparisons notice each.

// argumentsOf binds slices and scalars to the parameters of a kernel.
func argumentsOf(scalars []uint32, buffers ...[]float32) *kernel.Args {
	var args kernel.Args
	for i, b := range buffers {
		args.Buffers[i] = kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(b)), Len: len(b)}
	}
	copy(args.Scalars[:], scalars)
	return &args
}

// numbers returns n floats with many digits.
func numbers(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Sin(float64(i))) * 3
	}
	return x
}

// mutated writes the CUDA C of the conformance kernels with a change.
func mutated(t *testing.T, old, changed string) string {
	t.Helper()
	text, err := os.ReadFile("../../backend/backendtest/kernels/kernel_generated.cu")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), old), "the mistake has one place")
	path := filepath.Join(t.TempDir(), "kernels.cu")
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, changed, 1)), 0o600))
	return path
}

func TestHostComparisonNoticesMistakes(t *testing.T) {
	const n = 300
	arithmetic := func() *kernel.Args {
		out := func() []float32 { return make([]float32, n) }
		return argumentsOf([]uint32{math.Float32bits(1.1)}, numbers(n), numbers(n), out(), out(), out(), out())
	}
	smooth := func() *kernel.Args {
		args := argumentsOf([]uint32{5, n}, nil, numbers(n), make([]float32, n))
		size := []int32{n}
		args.Buffers[0] = kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(size)), Len: 1}
		return args
	}
	const good = "v_x[v_i] - v_y[v_i]"
	right := hostrun.Build(t, mutated(t, good, good))
	for _, m := range []struct {
		name         string
		old, changed string
		flags        []string
		def          *kernel.Def
		items        int32
		args         func() *kernel.Args
	}{
		{"one operation", good, "v_x[v_i] + v_y[v_i]", nil, &conformance.ArithmeticDef, n, arithmetic},
		{"fused products", good, good, []string{"-march=native", "-ffp-contract=fast"}, &conformance.ArithmeticDef, n,
			arithmetic},
		{"no barrier", "\t\tKG_BARRIER();\n\t\tv_cur = kg_sub(1, v_cur);\n\t}\n\tfor (int v_i_3",
			"\t\tv_cur = kg_sub(1, v_cur);\n\t}\n\tfor (int v_i_3", fibres,
			&conformance.SmoothDef, 1, smooth},
	} {
		t.Run(m.name, func(t *testing.T) {
			if m.name == "fused products" && !hasFused() {
				t.Skip("this processor has no fused multiply-add")
			}
			def := *m.def
			require.NoError(t, right.Against(def.Go, &def, 0, m.items, m.args()))
			wrong := hostrun.Build(t, mutated(t, m.old, m.changed), m.flags...)
			var difference *hostrun.Difference
			require.True(t, errors.As(wrong.Against(def.Go, &def, 0, m.items, m.args()), &difference))
			t.Log(difference)
		})
	}
}

// hasFused says whether the host has fused multiply-adds.
func hasFused() bool {
	flags, err := os.ReadFile("/proc/cpuinfo")
	return err == nil && strings.Contains(string(flags), " fma ")
}

// TestPTXCheckNoticesContraction compiles products and sums without the flag that keeps them apart.
func TestPTXCheckNoticesContraction(t *testing.T) {
	tools := compilers(t)
	text, err := os.ReadFile("../../backend/backendtest/kernels/kernel_generated.cu")
	require.NoError(t, err)
	entries := make([]cuda.Entry, len(conformance.Defs))
	for i, def := range conformance.Defs {
		entries[i] = cuda.Entry{Name: def.Entry, LocalArrays: true}
	}
	ptx, err := tools.PTX(string(text))
	require.NoError(t, err)
	require.NoError(t, cuda.Check(ptx, entries))
	ptx, err = tools.PTX("#pragma clang fp contract(fast)\n" + string(text))
	require.NoError(t, err)
	require.ErrorContains(t, cuda.Check(ptx, entries), "fused multiply-add")
}

// TestGeneratorsNoticeAWrongShader turns one addition of each shader of a generation into a subtraction, and requires
// that the tracks are no longer those of the CPU.
func TestGeneratorsNoticeAWrongShader(t *testing.T) {
	probe, err := backend.Open("vulkan:0")
	if errors.Is(err, backend.ErrUnavailable) {
		required.Skip(t, required.Vulkan, "%v", err)
	}
	require.NoError(t, err)
	require.NoError(t, probe.Close())
	want := generated(t, "cpu")
	require.Equal(t, want, generated(t, "vulkan:0"))
	for _, def := range []*kernel.Def{&centerline.BezierDef, &centerline.SpaceDef, &relaxation.RelaxDef,
		&inflation.EvenDef, &inflation.InflateDef, &inflation.ValidateDef} {
		t.Run(def.Name[strings.LastIndexByte(def.Name, '.')+1:], func(t *testing.T) {
			right := def.Shader
			wrong, ok := spirv.Flip(right)
			require.True(t, ok, "no addition")
			def.Shader = wrong
			defer func() { def.Shader = right }()
			require.NotEqual(t, want, generated(t, "vulkan:0"))
		})
	}
}

// generated returns what a generation of a few tracks on a device gives, as text: NaNs are equal there.
func generated(t *testing.T, device string) string {
	t.Helper()
	d, err := backend.Open(device)
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	generator, err := track.NewGenerator(d, tracktest.Config(track.Bezier, 6))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	tracks, err := generator.Generate(context.Background())
	require.NoError(t, err)
	batch, err := tracks.Batch(context.Background())
	require.NoError(t, err)
	return fmt.Sprint(batch.Outer, batch.Center, batch.Inner, batch.Tangent, batch.Normal, batch.Arclen, batch.Length,
		batch.Valid, batch.Reason, batch.Count, batch.Winding)
}

// uniformArguments are arguments of the conformance kernel uniform over a number of groups.
func uniformArguments(groups int) *kernel.Args {
	const size = 130
	random := rand.New(rand.NewPCG(5, 5))
	limit, value := make([]int32, groups), make([]int32, groups*size)
	for i := range limit {
		limit[i] = random.Int32N(20_000) - 100
	}
	for i := range value {
		value[i] = int32(random.Uint32())
	}
	args := &kernel.Args{}
	for i, b := range [][]int32{limit, value, make([]int32, groups*size), make([]int32, 2*groups)} {
		args.Buffers[i] = kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(b)), Len: len(b)}
	}
	args.Scalars[0] = size
	return args
}

// TestBarriers runs a kernel whose group scope reads what its phases write, with the lanes in another order after each
// barrier. Then it runs the kernel without one of its barriers. Most barriers have a neighbour that does their work.
// These two stand alone: the one after a read at group scope before atomics, and the one between phases that exchange
// rows.
func TestBarriers(t *testing.T) {
	text, err := os.ReadFile("../../backend/backendtest/kernels/kernel_generated.cu")
	require.NoError(t, err)
	const groups = 40
	def := conformance.UniformDef
	before, body, found := strings.Cut(string(text), "KG_DEVICE void f_uniform(")
	require.True(t, found)
	body, after, found := strings.Cut(body, "\n}\n")
	require.True(t, found)
	parts := strings.Split(body, "KG_BARRIER();")
	sound := hostrun.Build(t, "../../backend/backendtest/kernels/kernel_generated.cu", fibres...)
	require.NoError(t, sound.Against(def.Go, &def, 0, groups, uniformArguments(groups)))
	for _, i := range []int{4, 10} {
		changed := before + "KG_DEVICE void f_uniform(" + strings.Join(parts[:i], "KG_BARRIER();") +
			strings.Join(parts[i:], "KG_BARRIER();") + "\n}\n" + after
		path := filepath.Join(t.TempDir(), "kernels.cu")
		require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
		err := hostrun.Build(t, path, fibres...).Against(def.Go, &def, 0, groups, uniformArguments(groups))
		// Values are wrong, or lanes wait at different barriers.
		require.Error(t, err, "without barrier %d of %d", i, len(parts)-1)
	}
}
