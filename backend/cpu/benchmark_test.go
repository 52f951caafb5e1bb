package cpu

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
)

// BenchmarkLaunch measures a launch of an empty kernel.
func BenchmarkLaunch(b *testing.B) {
	empty := define(func(int32, int32, []int32) {})
	for _, n := range []int32{1, 1 << 20} {
		b.Run(fmt.Sprintf("items %d", n), func(b *testing.B) {
			d := openTest(b, backend.Options{})
			launch := backend.Launch{N: n, Buffers: []backend.View{alloc(b, d, 1)}}
			b.ReportAllocs()
			for b.Loop() {
				if err := d.base.Launch(empty, launch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHandOff measures a launch that is just large enough to be shared between workers.
func BenchmarkHandOff(b *testing.B) {
	for _, workers := range []int{1, runtime.NumCPU()} {
		b.Run(fmt.Sprintf("workers %d", workers), func(b *testing.B) {
			d := openTest(b, backend.Options{Workers: workers})
			launch := launchOf(alloc(b, d, 1000))
			for b.Loop() {
				if err := d.base.Launch(increment, launch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReplay measures a recorded operation.
func BenchmarkReplay(b *testing.B) {
	const operations = 100
	d := openTest(b, backend.Options{})
	launch := launchOf(alloc(b, d, 1))
	require.NoError(b, d.base.BeginCapture())
	for range operations {
		require.NoError(b, d.base.Launch(quick, launch))
	}
	g, err := d.base.EndCapture()
	require.NoError(b, err)
	defer func() { require.NoError(b, g.Close()) }()
	b.ReportAllocs()
	for b.Loop() {
		if err := d.base.Replay(g); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*operations), "ns/operation")
}

// BenchmarkBandwidth measures a kernel that adds two arrays, a copy and a fill.
func BenchmarkBandwidth(b *testing.B) {
	const n = 8 << 20
	d := openTest(b, backend.Options{})
	x, y, z := alloc(b, d, n), alloc(b, d, n), alloc(b, d, n)
	for name, bench := range map[string]struct {
		bytes int64
		run   func() error
	}{
		"add": {3 * x.Bytes, func() error {
			return d.base.Launch(&kernels.AddDef, backend.Launch{N: n, Buffers: []backend.View{x, y, z}})
		}},
		"copy": {2 * x.Bytes, func() error { return d.base.Copy(y, x) }},
		"fill": {x.Bytes, func() error { return d.base.Fill(x, 7) }},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(bench.bytes)
			for b.Loop() {
				if err := bench.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
