package cpu

import (
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// The owner of wrapped memory is not released while an eager launch uses the memory, although the buffer is closed, or
// even the device.
func TestWrappedMemoryIsHeldByALaunch(t *testing.T) {
	for name, shut := range map[string]func(d backend.Device, b backend.Buffer) error{
		"buffer": func(_ backend.Device, b backend.Buffer) error { return b.Close() },
		"device": func(d backend.Device, _ backend.Buffer) error { return d.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			d, err := backend.Open("cpu")
			require.NoError(t, err)
			memory, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
			require.NoError(t, err)
			told := make(chan error, 1)
			b, err := d.Wrap(uintptr(unsafe.Pointer(&memory[0])), 4096, backend.ReleaseFunc(func() {
				told <- syscall.Munmap(memory)
			}))
			require.NoError(t, err)
			running, proceed := make(chan struct{}), make(chan struct{})
			slow := &kernel.Def{Name: "test.slow", Params: []kernel.Param{
				{Name: "x", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite}},
				Go: func(_, _ int32, args *kernel.Args) {
					close(running)
					<-proceed
					kernel.Slice[int32](args, 0)[1023] = 7
				}}
			ran := make(chan error)
			go func() {
				ran <- d.DefaultStream().Launch(slow, backend.Launch{N: 1,
					Buffers: []backend.View{{Buffer: b, Bytes: 4096}}})
			}()
			<-running
			closed := make(chan error)
			go func() { closed <- shut(d, b) }()
			if name == "buffer" {
				require.NoError(t, <-closed)
			}
			select {
			case <-told:
				t.Fatal("the owner is released while a kernel uses its memory")
			case <-time.After(20 * time.Millisecond): // long enough for a release that does not wait
			}
			close(proceed)
			require.NoError(t, <-ran)
			if name == "device" {
				require.ErrorIs(t, <-closed, backend.ErrLeak)
			}
			require.NoError(t, <-told)
			require.NoError(t, b.Close())
			require.NoError(t, d.Close())
		})
	}
}

// Memory that is not mapped, or not any more, is refused.
func TestWrapRefusesUnmappedMemory(t *testing.T) {
	d, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	const page = 4096
	memory, err := syscall.Mmap(-1, 0, 4*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	require.NoError(t, err)
	at := uintptr(unsafe.Pointer(&memory[0]))
	_, _, code := syscall.Syscall(syscall.SYS_MUNMAP, at+2*page, page, 0) // leaves a hole
	require.Zero(t, code)
	for _, r := range []struct {
		offset uintptr
		bytes  int64
		mapped bool
	}{
		{0, 2 * page, true}, {4, 2*page - 4, true}, {0, 2*page + 1, false}, {2*page - 4, 8, false}, {2 * page, 4, false},
		{3*page - 4, 4, false}, {3 * page, page, true}, {0, 4 * page, false},
	} {
		b, err := d.Wrap(at+r.offset, r.bytes, nil)
		if r.mapped {
			require.NoError(t, err, "%+v", r)
			require.NoError(t, b.Close())
			continue
		}
		require.ErrorIs(t, err, backend.ErrInvalid, "%+v", r)
		require.ErrorContains(t, err, "not all mapped")
	}
	for _, part := range []uintptr{0, 3 * page} {
		_, _, code = syscall.Syscall(syscall.SYS_MUNMAP, at+part, page, 0)
		require.Zero(t, code)
	}
}
