//go:build cgo && (linux || darwin)

package vulkan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// world is an array on the device and the same array in Go. A random program changes both in the same way.
type world struct {
	t     *rapid.T
	view  backend.View
	model []int32
}

const worldWords = 96

// slice draws a range of words; even offsets can be bound, odd ones must be staged.
func (w *world) slice(label string) (low, high int) {
	low = rapid.IntRange(0, worldWords-1).Draw(w.t, label+" low")
	high = rapid.IntRange(low, min(worldWords, low+40)).Draw(w.t, label+" high")
	return low, high
}

func (w *world) part(low, high int) backend.View {
	return part(w.view, int64(4*low), int64(4*(high-low)))
}

// step is a part of a random program: it emits itself on a stream and runs itself on the model.
type step struct {
	emit func(backend.Stream) error
	run  func(model []int32)
}

func (w *world) program(depth int) []step {
	var steps []step
	for range rapid.IntRange(1, 8).Draw(w.t, "steps") {
		switch choice := rapid.IntRange(0, 5).Draw(w.t, "kind"); {
		case choice == 0:
			low, high := w.slice("fill")
			pattern := int32(rapid.IntRange(-1, 2).Draw(w.t, "pattern"))
			steps = append(steps, step{
				func(s backend.Stream) error { return s.Fill(w.part(low, high), uint32(pattern)) },
				func(m []int32) {
					for i := low; i < high; i++ {
						m[i] = pattern
					}
				}})
		case choice == 1:
			from, end := w.slice("copy")
			to := rapid.IntRange(0, worldWords-(end-from)).Draw(w.t, "to")
			if n := end - from; from < to+n && to < end {
				continue // it would overlap
			}
			n := end - from
			steps = append(steps, step{
				func(s backend.Stream) error { return s.Copy(w.part(to, to+n), w.part(from, end)) },
				func(m []int32) { copy(m[to:to+n], m[from:end]) }})
		case choice == 2 && depth < 3:
			flag := rapid.IntRange(0, worldWords-1).Draw(w.t, "flag")
			body := w.program(depth + 1)
			steps = append(steps, step{
				func(s backend.Stream) error {
					return s.If(w.part(flag, flag+1), func(inner backend.Stream) error { return emitAll(inner, body) })
				},
				func(m []int32) {
					if m[flag] != 0 {
						runAll(m, body)
					}
				}})
		case choice == 3:
			third := worldWords / 3
			a, b, sum := rapid.IntRange(0, 8).Draw(w.t, "a"), third+rapid.IntRange(0, 8).Draw(w.t, "b"),
				2*third+rapid.IntRange(0, 8).Draw(w.t, "sum")
			n := rapid.IntRange(0, third-8).Draw(w.t, "n")
			steps = append(steps, step{
				func(s backend.Stream) error {
					return s.Launch(addDef, backend.Launch{N: int32(n), Buffers: []backend.View{w.part(a, a+n), w.part(b, b+n),
						w.part(sum, sum+n)}})
				},
				func(m []int32) {
					for i := range n {
						m[sum+i] = m[a+i] + m[b+i]
					}
				}})
		default:
			low, high := w.slice("affine")
			factor, term := int32(rapid.IntRange(0, 3).Draw(w.t, "factor")), int32(rapid.IntRange(-2, 2).Draw(w.t, "term"))
			steps = append(steps, step{
				func(s backend.Stream) error {
					return s.Launch(affineDef, backend.Launch{N: int32(high - low), Buffers: []backend.View{w.part(low, high)},
						Scalars: []uint32{uint32(factor), uint32(term)}})
				},
				func(m []int32) {
					for i := low; i < high; i++ {
						m[i] = factor*m[i] + term
					}
				}})
		}
	}
	return steps
}

func emitAll(s backend.Stream, steps []step) error {
	for _, step := range steps {
		if err := step.emit(s); err != nil {
			return err
		}
	}
	return nil
}

func runAll(model []int32, steps []step) {
	for _, step := range steps {
		step.run(model)
	}
}

// traced is a recorded command and its uses.
type traced struct {
	command command
	uses    []use
}

// checkBarriers reports commands that lack a barrier between them. It checks every pair, so that it shares nothing with
// the recording's own list. The validation layer does not detect all such pairs.
func checkBarriers(t require.TestingT, log []traced) {
	for j := range log {
		for i := range j {
			for _, first := range log[i].uses {
				for _, second := range log[j].uses {
					writes := (first.access | second.access) & (shaderWrite | transferWrite)
					if first.block != second.block || first.high <= second.low || second.high <= first.low || writes == 0 {
						continue
					}
					covered := false
					for _, between := range log[i+1 : j] {
						c := between.command
						covered = covered || c.kind == cutCommand || c.kind == barrierCommand && c.stages&first.stage != 0 &&
							first.access&^c.writes&(shaderWrite|transferWrite) == 0
					}
					require.True(t, covered, "no barrier between command %d (%+v) and command %d (%+v)", i, first, j, second)
				}
			}
		}
	}
}

// usesOf lists the uses of a command from its fields.
func usesOf(c command) []use {
	var list []use
	for _, b := range c.bindings {
		u := use{block: b.block, low: b.offset, high: b.offset + b.bytes, stage: stageCompute}
		if b.access&kernel.Read != 0 {
			u.access |= shaderRead
		}
		if b.access&kernel.Write != 0 {
			u.access |= shaderWrite
		}
		list = append(list, u)
	}
	if b := c.indirect; b.block != nil {
		list = append(list, use{b.block, b.offset, b.offset + b.bytes, stageIndirect, indirectRead})
	}
	if b := c.from; b.block != nil {
		list = append(list, use{b.block, b.offset, b.offset + b.bytes, stageTransfer, transferRead})
	}
	if b := c.to; b.block != nil {
		list = append(list, use{b.block, b.offset, b.offset + b.bytes, stageTransfer, transferWrite})
	}
	return list
}

// Random programs give the same results in Go and on the device: eagerly, in a graph replayed on another stream, and in
// a graph inside a graph. There is a barrier between every two commands that need one.
func TestRandomPrograms(t *testing.T) { testRandomPrograms(t, 0) }

// The same if nearly every command is in a submission of its own, and launches are divided.
func TestRandomProgramsCut(t *testing.T) { testRandomPrograms(t, 1) }

func testRandomPrograms(t *testing.T, work float64) {
	logs := make(map[*recording][]traced)
	d := openTest(t, backend.Options{}, func(s *settings) {
		s.work = work
		s.trace = func(r *recording, c command) { logs[r] = append(logs[r], traced{c, usesOf(c)}) }
	})
	s, other := newStream(t, d), newStream(t, d)
	initial := make([]int32, worldWords)
	view := alloc(t, d, initial...)
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{t: rt, view: view, model: make([]int32, worldWords)}
		for i := range w.model {
			w.model[i] = int32(i % 3)
		}
		write(t, d, view, w.model...)
		steps := w.program(0)
		clear(logs)

		require.NoError(rt, emitAll(s, steps))
		for _, log := range logs { // one batch, unless the work is cut
			checkBarriers(rt, log)
		}
		require.NoError(rt, s.Sync())
		runAll(w.model, steps)
		require.Equal(rt, w.model, read(t, d, view), "eager")

		require.NoError(rt, s.BeginCapture())
		require.NoError(rt, emitAll(s, steps))
		clear(logs)
		g, err := s.EndCapture()
		require.NoError(rt, err)
		require.NoError(rt, s.BeginCapture())
		require.NoError(rt, s.Replay(g))
		require.NoError(rt, s.Replay(g))
		outer, err := s.EndCapture()
		require.NoError(rt, err)
		for _, log := range logs {
			checkBarriers(rt, log)
		}
		for range 2 {
			require.NoError(rt, other.Replay(g))
			runAll(w.model, steps)
		}
		require.NoError(rt, other.Replay(outer))
		runAll(w.model, steps)
		runAll(w.model, steps)
		require.NoError(rt, g.Close())
		require.NoError(rt, outer.Close())
		require.NoError(rt, other.Sync())
		require.Equal(rt, w.model, read(t, d, view), "replayed")
	})
}

// A host that only replays does not get arbitrarily far ahead of the device.
func TestReplaysAhead(t *testing.T) {
	d := openTest(t, backend.Options{})
	x := alloc(t, d, make([]int32, 30_000)...)
	s := newStream(t, d)
	g := recordGraph(t, s, func() {
		for range 20 {
			affine(t, s, x, 1, 1)
		}
	})
	for range 5 * maxRunning {
		require.NoError(t, s.Replay(g))
		d.queue.mu.Lock()
		ahead := d.queue.submitted - d.queue.completed
		d.queue.mu.Unlock()
		require.LessOrEqual(t, ahead, uint64(maxRunning))
	}
	require.NoError(t, s.Sync())
	require.Equal(t, int32(5*maxRunning*20), read(t, d, x)[0])
}
