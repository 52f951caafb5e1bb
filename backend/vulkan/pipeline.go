//go:build cgo && (linux || darwin)

package vulkan

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
	"github.com/trackgen-go/trackgen/kernel"
)

//go:generate ./compile.sh

// The shaders of this package. Their interface is that of kernel.Def.Shader, but without a first item: the words after
// zero are their own.

//go:embed shaders/copy.spv
var copyCode []byte

//go:embed shaders/fill.spv
var fillCode []byte

//go:embed shaders/gate.spv
var gateCode []byte

//go:embed shaders/probe.spv
var probeCode []byte

// builtinShader is a shader of this package.
type builtinShader struct {
	name    string
	code    []byte
	buffers int
	words   int
}

var (
	copyShader  = &builtinShader{"copy", copyCode, 2, 5}
	fillShader  = &builtinShader{"fill", fillCode, 1, 4}
	gateShader  = &builtinShader{"gate", gateCode, 5, 5}
	probeShader = &builtinShader{"probe", probeCode, 2, 2}
)

// pipeline is a compiled shader.
type pipeline struct {
	handle pipelineHandle
	size   uint32 // threads per workgroup
}

// pipelineKey identifies a compiled pipeline. Whether arithmetic is corrected is a property of the whole device.
type pipelineKey struct {
	def     *kernel.Def
	builtin *builtinShader
	size    uint32
}

// pipelines keeps the compiled pipelines while the device is open.
type pipelines struct {
	device *device
	cache  cacheHandle

	mu       sync.RWMutex
	compiled map[pipelineKey]*pipeline
}

const (
	defaultBlock = 64 // threads per workgroup of a thread kernel
	minBlock     = 32 // lower hints are raised: smaller workgroups leave lanes idle on every device
	spirvHeader  = 20 // bytes
	headWords    = 3  // push constants before the scalars
)

// kernelPipeline returns the pipeline of a kernel. block is the hint of a launch, rounded to a power of two so that a
// few pipelines serve all hints. A group kernel has the lanes of its definition.
func (d *device) kernelPipeline(def *kernel.Def, block int32) (*pipeline, error) {
	size := uint32(defaultBlock)
	switch {
	case def.Group:
		size = uint32(max(def.Lanes, 1))
		if d.settings.lanes > 0 {
			size = d.settings.lanes
		}
	case block > 0:
		size = max(uint32(1)<<(bits.Len32(uint32(block))-1), minBlock)
	}
	key := pipelineKey{def: def, size: min(size, d.maxSize)}
	if p := d.pipelines.find(key); p != nil {
		return p, nil
	}
	if err := d.Runnable(def); err != nil {
		return nil, err
	}
	buffers, scalars := 0, 0
	for i := range def.Params {
		if def.Params[i].Buffer {
			buffers++
		} else {
			scalars++
		}
	}
	if buffers > kernel.MaxBuffers || buffers > d.maxBuffers || scalars > kernel.MaxScalars {
		return nil, &backend.UnsupportedError{Device: d.info.Name, Op: "kernel " + def.Name,
			Reason: fmt.Sprintf("it has %d buffers and %d scalars, and the device supports %d and %d", buffers, scalars,
				min(kernel.MaxBuffers, d.maxBuffers), kernel.MaxScalars)}
	}
	return d.pipelines.compile(key, "kernel "+def.Name, def.Shader, buffers, headWords+scalars)
}

// builtinPipeline returns the pipeline of a shader of this package.
func (d *device) builtinPipeline(shader *builtinShader) (*pipeline, error) {
	key := pipelineKey{builtin: shader, size: defaultBlock}
	if p := d.pipelines.find(key); p != nil {
		return p, nil
	}
	return d.pipelines.compile(key, "shader "+shader.name, shader.code, shader.buffers, shader.words)
}

// Runnable returns an error if this device cannot run def.
func (d *device) Runnable(def *kernel.Def) error {
	var reason string
	switch code := def.Shader; {
	case len(code) == 0:
		reason = "it has no Vulkan shader"
	case len(code) < spirvHeader || len(code)%4 != 0 || binary.LittleEndian.Uint32(code) != spirvMagic:
		reason = "its Vulkan shader is not SPIR-V in little-endian words"
	case def.SharedBytes > d.maxShared:
		reason = fmt.Sprintf("it needs %d bytes of shared memory, and the device has %d (maxComputeSharedMemorySize)",
			def.SharedBytes, d.maxShared)
	default:
		return nil
	}
	return &backend.UnsupportedError{Device: d.info.Name, Op: "kernel " + def.Name, Reason: reason}
}

func (p *pipelines) find(key pipelineKey) *pipeline {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.compiled[key]
}

func (p *pipelines) compile(key pipelineKey, what string, code []byte, buffers, words int) (*pipeline, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.compiled[key]; found != nil {
		return found, nil
	}
	exact := p.device.exact
	code, err := withModes(code, p.device.modes)
	if err != nil {
		return nil, &backend.UnsupportedError{Device: p.device.info.Name, Op: what, Reason: err.Error()}
	}
	if p.device.settings.modules != nil {
		p.device.settings.modules(code)
	}
	handle, result := p.device.handle.createPipeline(p.cache, code, buffers, words, key.size, exact.Division,
		exact.SquareRoot, p.device.settings.seedError)
	if result != vk.Success {
		return nil, p.device.failed("compile "+what, result)
	}
	made := &pipeline{handle: handle, size: key.size}
	p.compiled[key] = made
	return made, nil
}

func (p *pipelines) close() {
	for _, made := range p.compiled {
		p.device.handle.destroyPipeline(made.handle)
	}
	p.device.handle.destroyCache(p.cache)
}
