package export

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// arraySpec describes one array of a track.Batch as files store it.
type arraySpec struct {
	name       string // field name in lower case
	descr      string // NumPy's type description
	perPoint   bool   // [E, N_max], else [E]
	components int    // 3 for points, which adds an axis; 1 for numbers
	optional   bool   // a file may lack it; zeros then
	arrayAccess
}

// arrayAccess reads and writes the array inside a batch. Elements are points or numbers; bytes are little-endian words.
type arrayAccess interface {
	len(b *track.Batch) int
	resize(b *track.Batch, n int)
	// appendWords appends elements lo to hi-1 to dst.
	appendWords(dst []byte, b *track.Batch, lo, hi int) []byte
	// setWords stores the elements in src from index lo on; src has the given number of words an element.
	setWords(b *track.Batch, lo int, src []byte, components int)
}

const (
	float32Descr = "<f4"
	int32Descr   = "<i4"
)

// arrays lists every array of a batch in the order in which files hold them.
var arrays = []arraySpec{
	points("outer", func(b *track.Batch) *[]kernel.Vec3 { return &b.Outer }),
	points("center", func(b *track.Batch) *[]kernel.Vec3 { return &b.Center }),
	points("inner", func(b *track.Batch) *[]kernel.Vec3 { return &b.Inner }),
	points("tangent", func(b *track.Batch) *[]kernel.Vec3 { return &b.Tangent }),
	points("normal", func(b *track.Batch) *[]kernel.Vec3 { return &b.Normal }),
	{name: "arclen", descr: float32Descr, perPoint: true, components: 1,
		arrayAccess: floats(func(b *track.Batch) *[]float32 { return &b.Arclen })},
	{name: "length", descr: float32Descr, components: 1,
		arrayAccess: floats(func(b *track.Batch) *[]float32 { return &b.Length })},
	{name: "winding", descr: float32Descr, components: 1,
		arrayAccess: floats(func(b *track.Batch) *[]float32 { return &b.Winding })},
	{name: "valid", descr: int32Descr, components: 1,
		arrayAccess: integers[int32](func(b *track.Batch) *[]int32 { return &b.Valid })},
	{name: "reason", descr: int32Descr, components: 1, optional: true,
		arrayAccess: integers[track.Reason](func(b *track.Batch) *[]track.Reason { return &b.Reason })},
	{name: "count", descr: int32Descr, components: 1,
		arrayAccess: integers[int32](func(b *track.Batch) *[]int32 { return &b.Count })},
	{name: "seed", descr: int32Descr, components: 1, optional: true,
		arrayAccess: integers[int32](func(b *track.Batch) *[]int32 { return &b.Seeds })},
	{name: "epoch", descr: int32Descr, components: 1, optional: true,
		arrayAccess: integers[int32](func(b *track.Batch) *[]int32 { return &b.Epochs })},
	{name: "candidate", descr: int32Descr, components: 1, optional: true,
		arrayAccess: mostlyZeros(func(b *track.Batch) *[]int32 { return &b.Candidates })},
	{name: "component", descr: int32Descr, components: 1, optional: true,
		arrayAccess: mostlyZeros(func(b *track.Batch) *[]int32 { return &b.Components })},
}

// measuredArrays lists what batches of measured circuits have besides, in the same order.
var measuredArrays = []arraySpec{
	{name: "width_right", descr: float32Descr, perPoint: true, components: 1,
		arrayAccess: floats(func(b *track.Batch) *[]float32 { return &b.WidthRight })},
	{name: "width_left", descr: float32Descr, perPoint: true, components: 1,
		arrayAccess: floats(func(b *track.Batch) *[]float32 { return &b.WidthLeft })},
	{name: "crossings", descr: int32Descr, components: 1, optional: true,
		arrayAccess: integers[int32](func(b *track.Batch) *[]int32 { return &b.Crossings })},
}

// arraysOf returns the arrays of a batch of generated or of measured tracks.
func arraysOf(measured bool) []arraySpec {
	if !measured {
		return arrays
	}
	return slices.Concat(arrays, measuredArrays)
}

// isMeasured reports whether a batch is one of measured circuits.
func isMeasured(b *track.Batch) bool {
	return slices.ContainsFunc(measuredArrays, func(a arraySpec) bool { return a.len(b) > 0 })
}

func points(name string, field func(*track.Batch) *[]kernel.Vec3) arraySpec {
	return arraySpec{name: name, descr: float32Descr, perPoint: true, components: 3, arrayAccess: vectors(field)}
}

// elements returns the length of the array in a batch of the given shape.
func (a *arraySpec) elements(s Shape) int64 {
	if a.perPoint {
		return int64(s.Envs) * int64(s.NMax)
	}
	return int64(s.Envs)
}

// axes returns the array's shape in files.
func (a *arraySpec) axes(s Shape) []int64 {
	axes := []int64{int64(s.Envs)}
	if a.perPoint {
		axes = append(axes, int64(s.NMax))
	}
	if a.components > 1 {
		axes = append(axes, int64(a.components))
	}
	return axes
}

// bytesPerEnv is the size of one env in the arrays of a batch.
func bytesPerEnv(list []arraySpec, nMax int) int64 {
	words := int64(0)
	for i := range list {
		words += list[i].elements(Shape{Envs: 1, NMax: nMax}) * int64(list[i].components)
	}
	return words * wordSize
}

const wordSize = 4 // bytes of a float32 or int32

type vectors func(*track.Batch) *[]kernel.Vec3

func (f vectors) len(b *track.Batch) int       { return len(*f(b)) }
func (f vectors) resize(b *track.Batch, n int) { *f(b) = make([]kernel.Vec3, n) }

func (f vectors) appendWords(dst []byte, b *track.Batch, lo, hi int) []byte {
	for _, v := range (*f(b))[lo:hi] {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v.X))
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v.Y))
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v.Z))
	}
	return dst
}

// setWords fills in z = 0 where the file holds two components; padding, whose x is NaN, stays NaN in all of them.
func (f vectors) setWords(b *track.Batch, lo int, src []byte, components int) {
	dst := (*f(b))[lo:]
	stride := components * wordSize
	for i := range len(src) / stride {
		row := src[i*stride:]
		v := kernel.Vec3{
			X: math.Float32frombits(binary.LittleEndian.Uint32(row)),
			Y: math.Float32frombits(binary.LittleEndian.Uint32(row[wordSize:])),
		}
		switch {
		case components == 3:
			v.Z = math.Float32frombits(binary.LittleEndian.Uint32(row[2*wordSize:]))
		case v.X != v.X:
			v.Z = v.X
		}
		dst[i] = v
	}
}

type floats func(*track.Batch) *[]float32

func (f floats) len(b *track.Batch) int       { return len(*f(b)) }
func (f floats) resize(b *track.Batch, n int) { *f(b) = make([]float32, n) }

func (f floats) appendWords(dst []byte, b *track.Batch, lo, hi int) []byte {
	for _, v := range (*f(b))[lo:hi] {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}

func (f floats) setWords(b *track.Batch, lo int, src []byte, _ int) {
	dst := (*f(b))[lo:]
	for i := range len(src) / wordSize {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[i*wordSize:]))
	}
}

type integers[T ~int32] func(*track.Batch) *[]T

func (f integers[T]) len(b *track.Batch) int       { return len(*f(b)) }
func (f integers[T]) resize(b *track.Batch, n int) { *f(b) = make([]T, n) }

func (f integers[T]) appendWords(dst []byte, b *track.Batch, lo, hi int) []byte {
	for _, v := range (*f(b))[lo:hi] {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	return dst
}

func (f integers[T]) setWords(b *track.Batch, lo int, src []byte, _ int) {
	dst := (*f(b))[lo:]
	for i := range len(src) / wordSize {
		dst[i] = T(binary.LittleEndian.Uint32(src[i*wordSize:]))
	}
}

// mostlyZeros is an array of one number per env that is nil in a batch where all of them are 0.
type mostlyZeros func(*track.Batch) *[]int32

func (f mostlyZeros) len(b *track.Batch) int {
	if values := *f(b); values != nil {
		return len(values)
	}
	return b.Envs
}

func (f mostlyZeros) resize(b *track.Batch, n int) { *f(b) = make([]int32, n) }

func (f mostlyZeros) appendWords(dst []byte, b *track.Batch, lo, hi int) []byte {
	if *f(b) == nil {
		return append(dst, make([]byte, (hi-lo)*wordSize)...)
	}
	return integers[int32](f).appendWords(dst, b, lo, hi)
}

func (f mostlyZeros) setWords(b *track.Batch, lo int, src []byte, components int) {
	integers[int32](f).setWords(b, lo, src, components)
}

// numberOf returns the number of env e in an array that may be nil.
func numberOf(values []int32, e int) int32 {
	if values == nil {
		return 0
	}
	return values[e]
}
