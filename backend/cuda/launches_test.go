//go:build cgo && linux

package cuda

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// launch is a launch that was made on the CPU, with its arguments as they were before it.
type launch struct {
	def     *kernel.Def
	n       int32
	buffers [][]byte
	scalars []uint32
}

// onCPU runs the first n items of a launch by the Go kernel, and returns all buffers.
func (l *launch) onCPU(n int32) [][]byte {
	var args kernel.Args
	buffers := make([][]byte, len(l.buffers))
	copy(args.Scalars[:], l.scalars)
	b := 0
	for _, p := range l.def.Params {
		if !p.Buffer {
			continue
		}
		buffers[b] = bytes.Clone(l.buffers[b])
		if size := len(buffers[b]); size > 0 {
			args.Buffers[b] = kernel.BufferArg{Data: unsafe.Pointer(&buffers[b][0]), Len: size / int(p.Type.Size())}
		}
		b++
	}
	if n > 0 {
		l.def.Go(0, n, &args)
	}
	return buffers
}

// onDevice runs the first n items of a launch on a device by def, with at most maxBlocks blocks unless that is 0, and
// returns all buffers.
func (l *launch) onDevice(d *device, def *kernel.Def, n, maxBlocks int32) (_ [][]byte, err error) {
	s := d.DefaultStream()
	views, hosts := make([]backend.View, len(l.buffers)), make([]backend.HostBuffer, len(l.buffers))
	for i, data := range l.buffers {
		if len(data) == 0 {
			continue
		}
		buffer, err := d.Alloc(int64(len(data)))
		if err != nil {
			return nil, err
		}
		defer func() { _ = buffer.Close() }()
		if hosts[i], err = d.AllocHost(int64(len(data))); err != nil {
			return nil, err
		}
		defer func() { _ = hosts[i].Close() }()
		copy(hosts[i].Bytes(), data)
		views[i] = backend.View{Buffer: buffer, Bytes: int64(len(data))}
		if err := s.Upload(views[i], hosts[i], 0); err != nil {
			return nil, err
		}
	}
	if err := s.Launch(def, backend.Launch{N: n, Buffers: views, Scalars: l.scalars, MaxBlocks: maxBlocks}); err != nil {
		return nil, err
	}
	for i, view := range views {
		if view.Bytes == 0 {
			continue
		}
		if err := s.Download(hosts[i], 0, view); err != nil {
			return nil, err
		}
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	results := make([][]byte, len(l.buffers))
	for i, host := range hosts {
		if host != nil {
			results[i] = bytes.Clone(host.Bytes())
		}
	}
	return results, nil
}

// launchRecorder collects launches. It stands in for the instrumented twins of kernels, which a debug device runs.
type launchRecorder struct {
	mu       sync.Mutex
	launches map[*kernel.Def][]*launch
}

// perKernel is the maximum number of launches of a kernel that a recorder keeps. They have different scalars.
const perKernel = 8

// recordLaunches records the launches that a debug device makes during work.
func recordLaunches(t testing.TB, defs []*kernel.Def, work func(d backend.Device)) map[*kernel.Def][]*launch {
	r := launchRecorder{launches: make(map[*kernel.Def][]*launch)}
	for _, def := range defs {
		twin := def.Twin
		def.Twin = func(n int32, args *kernel.Args, _ uint64) error {
			r.keep(def, n, args)
			def.Go(0, n, args)
			return nil
		}
		defer func() { def.Twin = twin }()
	}
	d, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	work(d)
	return r.launches
}

func (r *launchRecorder) keep(def *kernel.Def, n int32, args *kernel.Args) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &launch{def: def, n: n}
	b := 0
	for _, p := range def.Params {
		if !p.Buffer {
			l.scalars = append(l.scalars, args.Scalars[len(l.scalars)])
			continue
		}
		a := args.Buffers[b]
		l.buffers = append(l.buffers, nil)
		if a.Len > 0 {
			l.buffers[b] = unsafe.Slice((*byte)(a.Data), a.Len*int(p.Type.Size()))
		}
		b++
	}
	known := r.launches[def]
	if len(known) == perKernel || slices.ContainsFunc(known, func(k *launch) bool {
		return k.n == n && slices.Equal(k.scalars, l.scalars)
	}) {
		return
	}
	for i := range l.buffers {
		l.buffers[i] = bytes.Clone(l.buffers[i])
	}
	r.launches[def] = append(known, l)
}
