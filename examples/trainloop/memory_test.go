package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// memory is the memory use of a process.
type memory struct {
	heap     uint64 // live Go objects, in bytes
	resident int64  // all memory including drivers, in bytes; 0 if the system does not report it
}

func memoryNow(t *testing.T) memory {
	t.Helper()
	debug.FreeOSMemory() // collects garbage first
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	m := memory{heap: stats.HeapAlloc}
	if raceEnabled {
		return m // the shadow memory of the race detector grows on its own
	}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size int64
		_, err := fmt.Sscan(string(text), &size, &m.resident)
		require.NoError(t, err)
		m.resident *= int64(os.Getpagesize())
	}
	return m
}

// steady requires that the memory of a run has not grown between two of its steps.
func steady(t *testing.T, before, after memory) {
	t.Helper()
	t.Logf("heap %d -> %d bytes, resident %d -> %d bytes", before.heap, after.heap, before.resident, after.resident)
	assert.Less(t, int64(after.heap)-int64(before.heap), int64(64<<10), "bytes of the Go heap")
	assert.Less(t, after.resident-before.resident, int64(4<<20), "bytes of resident memory")
}

// After its first steps a loop needs no more memory: neither the Go heap nor drivers accumulate anything.
func TestSteadyMemory(t *testing.T) {
	eachDevice(t, func(t *testing.T, device backend.Device) {
		for _, eager := range []bool{false, true} {
			s := small
			s.config.NumEnvs, s.eager = 16, eager
			l, err := newLoop(t.Context(), device, s)
			require.NoError(t, err)
			steps := func(n int) {
				for range n / 20 { // as far as the host gets ahead of the device
					require.NoError(t, l.run(t.Context(), 20))
					require.NoError(t, l.stream.Sync())
				}
			}
			steps(60)
			before := memoryNow(t)
			steps(240)
			steady(t, before, memoryNow(t))
			require.NoError(t, l.close())
		}
	})
}
