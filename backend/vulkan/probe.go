//go:build cgo && (linux || darwin)

package vulkan

import (
	"math/rand/v2"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
	"github.com/trackgen-go/trackgen/kernel"
)

const (
	probeCases = 1 << 20
	probeChunk = 1 << 17 // cases per dispatch
)

// probe returns the finding for this device and driver. If none is stored, it runs a million cases.
func (d *device) probe() (finding, error) {
	if f, known := d.store.finding(); known {
		return f, nil
	}
	inputs, err := d.hostMemory.alloc(probeChunk * probeInputs * 4)
	if err != nil {
		return finding{}, err
	}
	defer inputs.Release()
	results, err := d.hostMemory.alloc(probeChunk * probeValues * 4)
	if err != nil {
		return finding{}, err
	}
	defer results.Release()
	in := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(inputs.bytesAt(inputs.bytes)))), probeChunk*probeInputs)
	out := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(results.bytesAt(results.bytes)))),
		probeChunk*probeValues)
	random := rand.New(rand.NewPCG(5, 11))
	var seen observations
	for first := 0; first < probeCases; first += probeChunk {
		for i := range probeChunk {
			probeCase(random, first+i, (*[probeInputs]uint32)(in[probeInputs*i:]))
		}
		if err := d.runProbe(inputs, results); err != nil {
			return finding{}, err
		}
		for i := range probeChunk {
			seen.compare((*[probeInputs]uint32)(in[probeInputs*i:]), (*[probeValues]uint32)(out[probeValues*i:]))
		}
	}
	f := seen.finding()
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
