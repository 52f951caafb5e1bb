package mutants

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernel/twin"
)

// arguments packs slices and scalars in the order of a kernel's parameters. The slices are copied.
func arguments(t *testing.T, list ...any) *kernel.Args {
	t.Helper()
	args := &kernel.Args{}
	buffers, scalars := 0, 0
	for _, argument := range list {
		switch value := argument.(type) {
		case int32:
			args.Scalars[scalars] = uint32(value)
			scalars++
		case float32:
			args.Scalars[scalars] = math.Float32bits(value)
			scalars++
		case []int32:
			args.Buffers[buffers] = bufferOf(value)
			buffers++
		case []float32:
			args.Buffers[buffers] = bufferOf(value)
			buffers++
		case []kernel.Vec3:
			args.Buffers[buffers] = bufferOf(value)
			buffers++
		default:
			t.Fatalf("argument of type %T", argument)
		}
	}
	return args
}

func bufferOf[T kernel.Element](list []T) kernel.BufferArg {
	copied := append([]T(nil), list...)
	return kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(copied)), Len: len(copied)}
}

func random(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]float32, n)
	for i := range list {
		list[i] = 3*r.Float32() - 1
	}
	return list
}

// TestSound runs the sound kernels plainly and as twins with many seeds: same bits, no finding.
func TestSound(t *testing.T) {
	t.Run("sweep", func(t *testing.T) {
		list := []any{[]int32{64, 1, 17}, []int32{5}, random(3 * rowLength), make([]float32, 3*rowLength), make([]int32, 3)}
		plain := arguments(t, list...)
		SweepDef.Go(0, 3, plain)
		for seed := range uint64(20) {
			twinned := arguments(t, list...)
			require.NoError(t, SweepDef.Twin(3, twinned, seed))
			require.Equal(t, kernel.Slice[float32](plain, 3), kernel.Slice[float32](twinned, 3))
			require.Equal(t, kernel.Slice[int32](plain, 4), kernel.Slice[int32](twinned, 4))
		}
	})
	t.Run("features", func(t *testing.T) {
		list := []any{int32(40), float32(1.5), random(160), make([]kernel.Vec3, 40), make([]int32, 40)}
		plain := arguments(t, list...)
		FeaturesDef.Go(0, 40, plain)
		for seed := range uint64(20) {
			twinned := arguments(t, list...)
			require.NoError(t, FeaturesDef.Twin(40, twinned, seed))
			require.Equal(t, kernel.Slice[kernel.Vec3](plain, 1), kernel.Slice[kernel.Vec3](twinned, 1))
			require.Equal(t, kernel.Slice[int32](plain, 2), kernel.Slice[int32](twinned, 2))
		}
	})
}

// TestMistakes checks that every mistake is found for every seed, at a line that a comment marks with its kind.
func TestMistakes(t *testing.T) {
	row := make([]float32, 8)
	tests := []struct {
		def     *kernel.Def
		n       int32
		list    []any
		kind    twin.Kind
		between string
		comment string
	}{
		{&InPlaceDef, 1, []any{int32(16), random(64)}, twin.Race, "items", "race"},
		{&OneConstantDef, 1, []any{int32(2), []int32{0}}, twin.Race, "items", "race"},
		{&LostUpdatesDef, 1, []any{int32(8), row, row[:1]}, twin.Race, "items", "race"},
		{&AcrossGroupsDef, 2, []any{int32(4), make([]int32, 8)}, twin.Race, "groups", "race"},
		{&ReadAcrossGroupsDef, 2, []any{[]int32{1, 2}}, twin.Race, "groups", "race"},
		{&AcrossThreadsDef, 8, []any{int32(8), make([]int32, 8)}, twin.Race, "threads", "race"},
		{&OutsideDef, 8, []any{make([]int32, 8)}, twin.OutOfBounds, "", "out of bounds"},
		{&OutsideHelperDef, 8, []any{row, row}, twin.OutOfBounds, "", "out of bounds"},
		{&OutsideLocalDef, 8, []any{make([]int32, 8)}, twin.OutOfBounds, "", "out of bounds"},
		{&DivideByZeroDef, 8, []any{make([]int32, 8)}, twin.DivisionByZero, "", "division by zero"},
		{&DivideOverflowDef, 3, []any{make([]int32, 3)}, twin.DivisionOverflow, "", "division overflow"},
		{&MixedAtomicDef, 1, []any{int32(3), []int32{0}}, twin.Race, "items", "race"},
		{&TwoAtomicsDef, 1, []any{int32(3), []int32{0}}, twin.Race, "items", "race"},
		{&LongLoopsDef, 1, []any{int32(3), make([]int32, 3)}, twin.TooManyIterations, "", "too many loop iterations"},
		{&LongThreadDef, 1, []any{int32(3), make([]int32, 1)}, twin.TooManyIterations, "", "too many loop iterations"},
	}
	for _, test := range tests {
		t.Run(filepath.Ext(test.def.Name)[1:], func(t *testing.T) {
			for seed := range uint64(10) {
				err := test.def.Twin(test.n, arguments(t, test.list...), seed)
				var finding *twin.Finding
				require.True(t, errors.As(err, &finding), "%v", err)
				require.Equal(t, test.kind, finding.Kind, "%v", err)
				require.Equal(t, test.between, finding.Between, "%v", err)
				require.Equal(t, test.def.Name, finding.Kernel)
				require.True(t, strings.HasSuffix(sourceLine(t, finding.Site), "// "+test.comment), "%v", err)
			}
		})
	}
}

// sourceLine returns the line that a site names.
func sourceLine(t *testing.T, site twin.Site) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Base(site.File))
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.Less(t, site.Line, len(lines))
	return lines[site.Line-1]
}

// TestFindingText fixes how a finding reads.
func TestFindingText(t *testing.T) {
	err := OutsideDef.Twin(8, arguments(t, make([]int32, 8)), 0)
	require.ErrorContains(t, err, "cmd/kernelgen/internal/mutants/mistakes.go:")
	require.ErrorContains(t, err, "mark[i + 1]: index out of bounds: index 8, length 8 (kernel ")
	err = OneConstantDef.Twin(1, arguments(t, int32(2), []int32{0}), 0)
	require.Regexp(t, `flag\[g\.ID\]: race of items (0 and 1|1 and 0): writes what the other wrote at .*flag\[g\.ID\] \(kernel `, err.Error())
	require.Equal(t, reflect.TypeFor[*twin.Finding](), reflect.TypeOf(err), fmt.Sprint(err))
}
