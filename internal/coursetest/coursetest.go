// Package coursetest is what the tests of the components share.
package coursetest

import (
	"math"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Upload copies values to an array that is closed at the end of the test.
func Upload[T kernel.Element](tb testing.TB, device backend.Device, values []T) exec.Array[T] {
	tb.Helper()
	array, err := exec.FromSlice(device, values)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := array.Close(); err != nil {
			tb.Error(err)
		}
	})
	return array
}

// Download returns the values of an array.
func Download[T kernel.Element](tb testing.TB, array exec.Array[T]) []T {
	tb.Helper()
	values, err := array.Read(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return values
}

// Vectors returns the vectors of three with the given components.
func Vectors(list []float32) []kernel.Vec3 {
	points := make([]kernel.Vec3, len(list)/3)
	for i := range points {
		points[i] = kernel.V3(list[3*i], list[3*i+1], list[3*i+2])
	}
	return points
}

// Components returns the components of vectors.
func Components(vectors []kernel.Vec3) []float32 {
	list := make([]float32, 0, 3*len(vectors))
	for _, v := range vectors {
		list = append(list, v.X, v.Y, v.Z)
	}
	return list
}

// Close checks that numbers differ by at most tolerance, and that NaNs are in the same places and have the bits
// kernel.NaNBits.
func Close(tb testing.TB, name string, want, got []float32, tolerance float64) {
	tb.Helper()
	if len(want) != len(got) {
		tb.Fatalf("%s: %d numbers, must be %d", name, len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if kernel.IsNaN(w) && math.Float32bits(g) == kernel.NaNBits {
			continue
		}
		if !(math.Abs(float64(w)-float64(g)) <= tolerance) {
			tb.Fatalf("%s[%d] is %v (%#x), must be %v, to %v", name, i, g, math.Float32bits(g), w, tolerance)
		}
	}
}

// Fataler is a *testing.T or a *rapid.T.
type Fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// SameBits checks that numbers have the same bits.
func SameBits(t Fataler, name string, want, got []float32) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d numbers, must be %d", name, len(got), len(want))
	}
	for i := range want {
		if w, g := math.Float32bits(want[i]), math.Float32bits(got[i]); w != g {
			t.Fatalf("%s[%d] is %v (%#x), must be %v (%#x)", name, i, got[i], g, want[i], w)
		}
	}
}

// OneNaN returns x, or kernel.NaN for any NaN.
func OneNaN(x float32) float32 {
	if kernel.IsNaN(x) {
		return kernel.NaN()
	}
	return x
}
