package cpu

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestAlignment(t *testing.T) {
	d := openTest(t, backend.Options{})
	for _, bytes := range []int64{1, 4, 63, 64, 65, 1000, 40_000} {
		b, err := d.Alloc(bytes)
		require.NoError(t, err)
		require.Zero(t, uintptr(unsafe.Pointer(b.(*recorder.Buffer).Memory().(*memory).base.Load()))%64, "%d bytes", bytes)
		require.NoError(t, b.Close())
	}
}

// A stream does not keep the memory of the buffers it used last.
func TestStreamKeepsNoMemory(t *testing.T) {
	d := openTest(t, backend.Options{})
	require.NoError(t, d.base.Launch(quick, launchOf(alloc(t, d, 10))))
	require.NoError(t, d.EachQueue(func(q recorder.Queue) error {
		require.Equal(t, kernel.Args{}.Buffers, q.(*queue).args.Buffers)
		return nil
	}))
}

func TestMemoryLimit(t *testing.T) {
	d := openTest(t, backend.Options{MemoryLimit: 1000})
	require.Equal(t, int64(1000), d.Caps().MaxBufferBytes)
	b, err := d.Alloc(600)
	require.NoError(t, err)
	_, err = d.AllocHost(401)
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
	require.ErrorContains(t, err, "401 bytes requested, at most 400 bytes")
	h, err := d.AllocHost(400)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.NoError(t, b.Close(), "closing twice returns the bytes once")
	_, err = d.Alloc(601)
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
	b, err = d.Alloc(600)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.NoError(t, h.Close())
}

// The total counts open buffers that nobody has touched yet; MemAvailable counts the rest of the system.
func TestBudgetReadsTheSystem(t *testing.T) {
	memory := systemMemory{Total: 1 << 40, Available: 1 << 30}
	reads := 0
	b := newBudget(0, func() (systemMemory, bool) { reads++; return memory, true })
	reads = 0
	require.NoError(t, b.take(checkEvery-1))
	require.Zero(t, reads, "small allocations do not check the system")
	require.NoError(t, b.take(1))
	require.Equal(t, 1, reads)
	err := b.take(1 << 30)
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
	require.ErrorContains(t, err, "at most 1006632960 bytes", "the reserve stays")
	require.NoError(t, b.take(1<<30-reserve))

	b.give(checkEvery)
	memory.Available = 0
	reads = 0
	require.ErrorIs(t, b.take(checkEvery), backend.ErrOutOfMemory)
	require.Equal(t, 2, reads, "closed buffers are collected before the second check")
	reads = 0
	require.ErrorIs(t, b.take(checkEvery), backend.ErrOutOfMemory)
	require.Equal(t, 1, reads, "nothing is left to collect")
}

func TestBudgetOfAnUnknownSystem(t *testing.T) {
	b := newBudget(0, func() (systemMemory, bool) { return systemMemory{}, false })
	require.NoError(t, b.take(1<<30))
	require.ErrorIs(t, b.take(math.MaxInt64), backend.ErrOutOfMemory)
	require.ErrorIs(t, b.take(unknownTotal), backend.ErrOutOfMemory)
}

func TestLinuxMemory(t *testing.T) {
	const info = "MemTotal:       16000 kB\nMemFree:  1 kB\nMemAvailable:    9000 kB\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  systemMemory
	}{
		"no control group": {map[string]string{}, systemMemory{16000 << 10, 9000 << 10}},
		"version 2, the parent is tighter": {map[string]string{
			"/proc/self/cgroup":               "0::/a/b\n",
			"/sys/fs/cgroup/a/b/memory.max":   "max\n",
			"/sys/fs/cgroup/a/memory.max":     "4096000\n",
			"/sys/fs/cgroup/a/memory.current": "1000000\n",
		}, systemMemory{4096000, 3096000}},
		"version 1": {map[string]string{
			"/proc/self/cgroup":                             "3:cpu,cpuacct:/x\n2:memory:/x\n",
			"/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "5000000\n",
			"/sys/fs/cgroup/memory/x/memory.usage_in_bytes": "6000000\n",
		}, systemMemory{5000000, 0}},
		"a limit above the total": {map[string]string{
			"/proc/self/cgroup":         "0::/\n",
			"/sys/fs/cgroup/memory.max": "9223372036854771712\n",
		}, systemMemory{16000 << 10, 9000 << 10}},
		"nonsense": {map[string]string{
			"/proc/self/cgroup":         "\n:::::\n0::relative\n1:memory\n0::/../..\n",
			"/sys/fs/cgroup/memory.max": "-5\n",
		}, systemMemory{16000 << 10, 9000 << 10}},
	} {
		tc.files["/proc/meminfo"] = info
		got, known := linuxMemory(func(path string) string { return tc.files[path] })
		require.True(t, known, name)
		require.Equal(t, tc.want, got, name)
	}
	for _, info := range []string{"", "MemTotal: 5 kB\n", "MemTotal: x kB\nMemAvailable: 5 kB\n",
		"MemTotal: 9223372036854775807 kB\nMemAvailable: 5 kB\n"} {
		_, known := linuxMemory(func(path string) string {
			if path == "/proc/meminfo" {
				return info
			}
			return ""
		})
		require.False(t, known, info)
	}
}

func TestModelName(t *testing.T) {
	require.Equal(t, "A B (C) @ 2 GHz: x",
		modelName("processor\t: 0\nmodel name\t: A B (C) @ 2 GHz: x\nmodel name: other\n"))
	require.Empty(t, modelName("processor: 0\nmodel name:\nno colon\n"))
	require.NotEmpty(t, processorName())
}

func FuzzSystemFiles(f *testing.F) {
	f.Add("MemTotal: 16000 kB\nMemAvailable: 9000 kB\n", "0::/a/b\n5:memory:/c\n", "4096000", "model name: x")
	f.Fuzz(func(t *testing.T, info, groups, limit, processor string) {
		memory, known := linuxMemory(func(path string) string {
			switch {
			case path == "/proc/meminfo":
				return info
			case path == "/proc/self/cgroup":
				return groups
			case !strings.HasPrefix(path, "/sys/fs/cgroup"):
				t.Errorf("reads %q", path)
			}
			return limit
		})
		if memory.Total < 0 || memory.Available < 0 || !known && memory != (systemMemory{}) {
			t.Errorf("%+v", memory)
		}
		modelName(processor)
	})
}
