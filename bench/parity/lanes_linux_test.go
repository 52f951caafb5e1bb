//go:build cgo

package parity

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	conformance "github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/bench/producers"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// openLanes opens the CPU with one worker, or skips the test if it does not run machine code.
func openLanes(t testing.TB, options ...backend.Option) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", append(options, backend.Workers(1))...)
	require.NoError(t, err)
	if device.Info().Lanes == 1 && len(options) == 0 {
		require.NoError(t, device.Close())
		t.Skip("this build or processor has no kernels in machine code, or TRACKGEN_CPU is go")
	}
	return device
}

// requireGuarded requires that each kernel has run. It returns how often that was with an empty buffer.
func requireGuarded(t *testing.T, guards map[string]*guard) (empty int) {
	t.Helper()
	require.NotEmpty(t, guards)
	for name, g := range guards {
		require.Positive(t, g.runs, "%s has not run", name)
		empty += g.empty
	}
	return empty
}

// The machine code of the repository's kernels touches nothing but its buffers, by no lane, and gives the words that
// the Go functions give.
func TestMachineCodeTouchesItsBuffersAlone(t *testing.T) {
	device := openLanes(t)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	guards := guardAll(t, producers.Defs())
	for _, config := range everyConfig() {
		_, err := Compare(t.Context(), []backend.Device{device}, config, 7, []Mode{Eager, Masked}, nil)
		require.NoError(t, err)
	}
	for _, points := range []int{31, 32, 33, 40} { // around multiples of the number of lanes
		config := tracktest.Small(tracktest.Config(track.Bezier, 9, func(c *track.Config) {
			c.Output.LoopPoints, c.Output.MaxPoints, c.Output.Spacing, c.Relax.Sweeps = points, points, 0.3, 12
		}))
		_, err := Compare(t.Context(), []backend.Device{device}, config, 9, []Mode{Eager}, nil)
		require.NoError(t, err)
	}
	workBeside(t, device)
	require.Greater(t, requireGuarded(t, guards), 100, "runs with an empty buffer")
}

// The same of the kernels of the conformance suite, with its adversarial inputs.
func TestMachineCodeOfTheSuiteTouchesItsBuffersAlone(t *testing.T) {
	require.NoError(t, openLanes(t).Close())
	guards := guardAll(t, conformance.Defs)
	backendtest.Run(t, backendtest.Config{Open: func(t testing.TB, options ...backend.Option) backend.Device {
		device, err := backend.Open("cpu", append(options, backend.Workers(1))...)
		require.NoError(t, err)
		return device
	}})
	requireGuarded(t, guards)
}

// A guard notices a word that is read before or behind a buffer or instead of an empty one, and one that differs.
func TestGuardsNotice(t *testing.T) {
	at := func(args *kernel.Args, word int) *int32 {
		return (*int32)(unsafe.Add(args.Buffers[0].Data, 4*word))
	}
	right := func(last int32, args *kernel.Args) {
		if last == 3 && args.Buffers[0].Len > 0 {
			*at(args, 1) = 5
		}
	}
	read := int32(0)
	for name, c := range map[string]struct {
		run  func(last int32, args *kernel.Args)
		says string
	}{
		"nothing wrong": {right, ""},
		"a word before": {func(last int32, args *kernel.Args) {
			right(last, args)
			if args.Buffers[0].Len > 0 {
				read += *at(args, -1)
			}
		}, "end of their memory: false: runtime error"},
		"a word behind": {func(last int32, args *kernel.Args) {
			right(last, args)
			if length := args.Buffers[0].Len; length > 0 {
				read += *at(args, length)
			}
		}, "end of their memory: true: runtime error"},
		"an empty buffer": {func(last int32, args *kernel.Args) {
			right(last, args)
			read += *at(args, 0)
		}, "buffer 0 is empty: "},
		"nothing is done": {func(int32, *kernel.Args) {}, "byte 4 of buffer 0 differs"},
		"without an item": {func(_ int32, args *kernel.Args) {
			right(3, args)
		}, "no items: byte 4 of buffer 0"},
		"another word too": {func(last int32, args *kernel.Args) {
			right(last, args)
			if args.Buffers[0].Len > 0 {
				*at(args, 0)++
			}
		}, "byte 0 of buffer 0"},
	} {
		def := kernel.Def{
			Name:   "guarded",
			Params: []kernel.Param{{Name: "x", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite}},
			Go: func(_, _ int32, args *kernel.Args) {
				if x := kernel.Slice[int32](args, 0); len(x) > 0 {
					x[1] = 5
				}
			},
		}
		def.Vector = func(_, last int32, args *kernel.Args) { c.run(last, args) }
		memory := &guarded{}
		x := []int32{1, 2, 3}
		args := kernel.Args{}
		args.Buffers[0] = kernel.BufferArg{Data: unsafe.Pointer(&x[0]), Len: len(x)}
		err := newGuard(&def, memory).compare(t, 0, 3, &args)
		memory.release(t, 0)
		if c.says == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.says, name)
	}
}
