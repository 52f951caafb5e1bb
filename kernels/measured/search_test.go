package measured

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
)

// onDevice copies values to the device until the test ends.
func onDevice[T kernel.Element](t require.TestingT, device backend.Device, owned *[]interface{ Close() error },
	values []T) exec.Array[T] {
	array, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	*owned = append(*owned, array)
	return array
}

// fromDevice copies an array back.
func fromDevice[T kernel.Element](t require.TestingT, array exec.Array[T]) []T {
	values, err := array.Read(context.Background())
	require.NoError(t, err)
	return values
}

// The searches in blocks find what comparing all pairs finds: crossings, those that are bridges, and cross-sections
// that meet.
func TestSearches(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 140).Draw(t, "points")
		width := float64(rapid.IntRange(1, 40).Draw(t, "width"))
		wave, turns := rapid.Float64Range(0, 1.5).Draw(t, "wave"), float64(rapid.IntRange(1, 4).Draw(t, "turns"))
		loop, right, left, normal := make([]kernel.Vec2, n), make([]float32, n), make([]float32, n), make([]kernel.Vec3, n)
		for i := range loop {
			angle := 2 * math.Pi * float64(i) / float64(n)
			radius := 100 * (1 + wave*math.Sin(3*angle))
			loop[i] = kernel.V2(float32(radius*math.Cos(turns*angle)), float32(radius*math.Sin(turns*angle)))
			right[i], left[i] = float32(width), float32(width*rapid.Float64Range(0.1, 1).Draw(t, "left"))
		}
		length := float32(0)
		for i := range loop {
			after := loop[(i+1)%n]
			d := after.Sub(loop[(i+n-1)%n])
			d = d.Scale(1 / max(d.Len(), 1e-6))
			normal[i] = kernel.V3(-d.Y, d.X, 0)
			length += after.Sub(loop[i]).Len()
		}

		var owned []interface{ Close() error }
		defer func() {
			for _, o := range owned {
				require.NoError(t, o.Close())
			}
		}()
		integers := func(n int) exec.Array[int32] { return onDevice(t, device, &owned, make([]int32, n)) }
		vectors := func(v []kernel.Vec2) exec.Array[kernel.Vec2] { return onDevice(t, device, &owned, v) }
		blocks := (n + Block - 1) / Block
		count, lengths := onDevice(t, device, &owned, []int32{int32(n)}), onDevice(t, device, &owned, []float32{length})
		points, boxLo, boxHi := vectors(loop), vectors(make([]kernel.Vec2, blocks)), vectors(make([]kernel.Vec2, blocks))
		over, met, flat, above, below, crossings, meets := integers(n), integers(n), integers(n), integers(n), integers(n),
			integers(1), integers(n)
		window, tight := float32(4*width), float32(0.98)
		lc, err := exec.For(context.Background(), device)
		require.NoError(t, err)
		Boxes(lc, blocks, count, points, boxLo, boxHi)
		Cross(lc, n, CrossArgs{
			Count: count, Loop: points, BoxLo: boxLo, BoxHi: boxHi, Over: over, Met: met, Flat: flat,
		})
		Bridges(lc, 1, BridgesArgs{
			Allowed: 1, Window: window, Count: count, Length: lengths, Over: over, Met: met, Above: above,
			Below: below, Crossings: crossings,
		})
		Separate(lc, n, SeparateArgs{
			Widest: float32(width), Tight: tight, Count: count, Length: lengths, Loop: points,
			WidthRight: onDevice(t, device, &owned, right), WidthLeft: onDevice(t, device, &owned, left),
			Normal: onDevice(t, device, &owned, normal), BoxLo: boxLo, BoxHi: boxHi,
			Above: above, Below: below, Flat: flat, Meets: meets,
		})
		require.NoError(t, lc.Err())

		// All pairs of segments.
		var bridged [][2]int32
		total := int32(0)
		for i := range int32(n) {
			first, shallow := int32(-1), int32(0)
			for j := i + 2; j < int32(n) && (i != 0 || j != int32(n)-1); j++ {
				a, b, p, q := loop[i], loop[centerline.After(i, int32(n))], loop[j], loop[centerline.After(j, int32(n))]
				if !meet(a, b, p, q) {
					continue
				}
				total++
				sine := float64(b.Sub(a).Cross(q.Sub(p))) / float64(b.Sub(a).Len()*q.Sub(p).Len())
				if math.Abs(sine) < 0.5 {
					shallow = 1
				} else if first < 0 {
					first = j
				}
				if math.Abs(math.Abs(sine)-0.5) <= 1e-4 {
					t.Skip("an angle that rounding decides")
				}
			}
			require.Equal(t, first, fromDevice(t, over)[i], "bridge of segment %d", i)
			require.Equal(t, shallow, fromDevice(t, flat)[i], "crossings of segment %d that are no bridges", i)
			if first >= 0 && len(bridged) < MaxBridges {
				bridged = append(bridged, [2]int32{i, first})
			}
		}
		require.Equal(t, total, fromDevice(t, crossings)[0])

		// All pairs of cross-sections.
		step := length / float32(n)
		near := func(i, at int32) bool { return relaxation.Apart(i, at, int32(n)) <= int32(window/step)+1 }
		got := fromDevice(t, meets)
		for i := range int32(n) {
			want := fromDevice(t, flat)[i]
			for j := range int32(n) {
				d := loop[j].Sub(loop[i])
				if relaxation.Apart(i, j, int32(n)) <= kernel.ToInt32(min(max(right[i], left[i])/max(step, minArc), 1<<24))+1 {
					continue
				}
				here := widthTowards(d, normal[i], right[i], left[i]) * along(d, normal[i])
				there := widthTowards(kernel.V2(-d.X, -d.Y), normal[j], right[j], left[j]) * along(d, normal[j])
				beside := along(d, normal[i]) < tight*widthTowards(d, normal[i], right[i], left[i]) &&
					kernel.Abs(float32(normal[i].X*d.Y)-float32(normal[i].Y*d.X)) <= besideSteps*step
				if d.Dot(d) >= tight*(float32(here)+float32(there)) && !beside {
					continue
				}
				excused := false
				for _, b := range bridged {
					excused = excused || near(i, b[0]) && near(j, b[1]) || near(i, b[1]) && near(j, b[0])
				}
				if !excused {
					want = 1
				}
			}
			require.Equal(t, want, got[i], "point %d", i)
		}
	})
}
