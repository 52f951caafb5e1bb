//go:build cgo && linux

package vulkan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/trackgen-go/trackgen/kernel"
)

// finding is the result of the probe of a device's float arithmetic.
type finding struct {
	// Exact: sums, products and comparisons are correctly rounded, are not contracted, and keep denormals and signed zeros
	Exact      bool
	Division   bool   // the same for division
	SquareRoot bool   // the same for the square root
	Example    string // a case that shows that the device is not Exact
}

const (
	probeCases  = 1 << 20
	probeChunk  = 1 << 17 // cases per dispatch
	probeInputs = 3
	probeValues = 8
)

// valueNames names the results of the probe's shader in order. Only the last two can be corrected.
var valueNames = [probeValues]string{"x+y", "x-y", "x*y", "x*y+z", "y-((x+y)-x)", "comparisons", "x/y", "sqrt(x)"}

const (
	comparisonValue = 5
	divisionValue   = 6
	rootValue       = 7
)

// probe returns the finding for this device and driver. If none is stored, it runs a million cases.
func (d *device) probe() (finding, error) {
	if f, known := d.store.finding(); known {
		return f, nil
	}
	f := finding{Exact: true, Division: true, SquareRoot: true}
	inputs, err := d.hostMemory.alloc(probeChunk * probeInputs * 4)
	if err != nil {
		return f, err
	}
	defer inputs.Release()
	results, err := d.hostMemory.alloc(probeChunk * probeValues * 4)
	if err != nil {
		return f, err
	}
	defer results.Release()
	in := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(inputs.bytesAt(inputs.bytes)))), probeChunk*probeInputs)
	out := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(results.bytesAt(results.bytes)))),
		probeChunk*probeValues)
	random := rand.New(rand.NewPCG(5, 11))
	for first := 0; first < probeCases; first += probeChunk {
		for i := range probeChunk {
			probeCase(random, first+i, (*[probeInputs]uint32)(in[probeInputs*i:]))
		}
		if err := d.runProbe(inputs, results); err != nil {
			return f, err
		}
		for i := range probeChunk {
			f.compare((*[probeInputs]uint32)(in[probeInputs*i:]), (*[probeValues]uint32)(out[probeValues*i:]))
		}
	}
	d.store.saveFinding(f)
	return f, nil
}

// runProbe runs the shader of the probe over one chunk.
func (d *device) runProbe(inputs, results *allocation) error {
	p, err := d.builtinPipeline(probeShader)
	if err != nil {
		return err
	}
	r, err := d.newRecording(vk.CommandBufferUsageOneTimeSubmitBit)
	if err != nil {
		return err
	}
	r.toHost = true
	e := encoder{device: d, recording: r}
	e.builtin(p, []binding{
		{block: inputs.block, offset: inputs.offset, bytes: inputs.bytes, access: kernel.Read},
		{block: results.block, offset: results.offset, bytes: results.bytes, access: kernel.Write},
	}, []uint32{probeChunk, 0}, probeChunk, nil)
	err = e.record()
	if err == nil {
		err = r.finish()
	}
	if err != nil {
		r.destroy()
		return err
	}
	value, err := d.queue.submit(r, 0)
	if err != nil {
		return err
	}
	return d.queue.wait(value)
}

// hardBits are bit patterns that devices handle incorrectly: signed zeros, denormals, the limits of the exponent range,
// numbers that need rounding, infinities and NaN.
var hardBits = [...]uint32{
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
	0x01000000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x40400000, 0x3eaaaaab, 0x4b7fffff, 0x4b800000, 0x4b800001,
	0x4f000000, 0x7e800000, 0x7f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
}

// probeCase generates the inputs of case i: first all triples of hard patterns, then alternately arbitrary patterns,
// denormals mixed with ordinary numbers, and ordinary numbers.
func probeCase(random *rand.Rand, i int, inputs *[probeInputs]uint32) {
	const n = len(hardBits)
	if i < n*n*n {
		*inputs = [probeInputs]uint32{hardBits[i%n], hardBits[i/n%n], hardBits[i/n/n]}
		return
	}
	for k := range inputs {
		bits := random.Uint32()
		switch {
		case i%4 == 1 && k == i/4%3:
			bits &= 0x807fffff // a denormal
		case i%4 >= 2:
			bits = bits&0x807fffff | (119+random.Uint32()%17)<<23 // 2^-8 to 2^9
		}
		inputs[k] = bits
	}
}

// compare records where the results of a case differ from Go's. All NaN count as equal: no kernel lets a NaN reach an
// output.
func (f *finding) compare(inputs *[probeInputs]uint32, results *[probeValues]uint32) {
	x, y, z := math.Float32frombits(inputs[0]), math.Float32frombits(inputs[1]), math.Float32frombits(inputs[2])
	sum, product := x+y, float32(x*y)
	comparisons := uint32(0)
	for bit, holds := range [...]bool{x < y, x <= y, x == y, x != x, x == 0} {
		if holds {
			comparisons |= 1 << bit
		}
	}
	want := [probeValues]float32{sum, x - y, product, product + z, y - float32(sum-x), 0, x / y,
		float32(math.Sqrt(float64(x)))}
	for i, w := range want {
		bits := math.Float32bits(w)
		if i == comparisonValue {
			bits = comparisons
		}
		if bits == results[i] || i != comparisonValue && isNaN(bits) && isNaN(results[i]) {
			continue
		}
		switch i {
		case divisionValue:
			f.Division = false
		case rootValue:
			f.SquareRoot = false
		default:
			if f.Exact {
				f.Exact = false
				f.Example = fmt.Sprintf("%s is %#08x for x=%#08x y=%#08x z=%#08x, want %#08x", valueNames[i], results[i],
					inputs[0], inputs[1], inputs[2], bits)
			}
		}
	}
}

func isNaN(bits uint32) bool { return bits&0x7fffffff > 0x7f800000 }
