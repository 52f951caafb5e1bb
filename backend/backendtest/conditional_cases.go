package backendtest

import (
	"errors"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
)

// conditionals reports whether captures hold conditionals. If not, it checks that the device says so.
func (c *check) conditionals() bool {
	caps := c.device.Caps()
	if caps.CaptureConditionals {
		return true
	}
	if caps.Capture {
		s, flag := c.stream(), c.flag(1)
		c.capture(s, func() {
			err := s.If(flag.view, func(backend.Stream) error { return nil })
			c.refused(err, "a conditional without CaptureConditionals", backend.ErrUnsupported)
		})
	}
	return false
}

// when emits a conditional whose body must not fail.
func (c *check) when(s backend.Stream, flag array, body func(backend.Stream)) {
	c.ok(s.If(flag.view, func(inner backend.Stream) error {
		body(inner)
		return nil
	}), "if")
}

var errBody = errors.New("the body fails")

var conditionalCases = []testCase{
	{"if/taken and not taken", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, x := c.stream(), c.flag(0), c.zeros(1000)
		g := c.capture(s, func() {
			c.chain(s, x, 1)
			c.when(s, flag, func(inner backend.Stream) { c.chain(inner, x, 2) })
			c.chain(s, x, 3)
		})
		c.that(g.Nodes() == 4, "three launches and a conditional are %d nodes, want 4", g.Nodes())
		want := int32(0)
		for _, value := range []int32{0, 1, 0, -1, 1 << 30, -1 << 31, 0} {
			c.write(flag.view, bytesOf([]int32{value}))
			c.replay(s, g)
			want = 3*want + 1
			if value != 0 {
				want = 3*want + 2
			}
			want = 3*want + 3
		}
		c.all(x, want, "seven replays")
		c.that(c.ints(flag)[0] == 0, "a conditional changes its flag")
	}},
	{"if/flag written by the graph", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, source, x := c.stream(), c.flag(7), c.flag(0), c.zeros(10)
		g := c.capture(s, func() {
			c.ok(s.Copy(flag.view, source.view), "copy")
			c.when(s, flag, func(inner backend.Stream) { c.increment(inner, x) })
			c.increment(s, flag)
			c.when(s, flag, func(inner backend.Stream) { c.increment(inner, x) })
		})
		for _, value := range []int32{0, -1, 5} { // the second body runs unless the flag was -1
			c.write(source.view, bytesOf([]int32{value}))
			c.replay(s, g)
		}
		c.all(x, 1+1+2, "three replays")
	}},
	{"if/body changes the flag", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, x := c.stream(), c.flag(1), c.zeros(10)
		g := c.capture(s, func() {
			c.when(s, flag, func(inner backend.Stream) {
				c.ok(inner.Fill(flag.view, 0), "fill")
				c.increment(inner, x)
			})
		})
		c.replay(s, g)
		c.replay(s, g)
		c.all(x, 1, "a body that clears its flag runs to its end, and not again")
	}},
	{"if/all kinds of work in a body", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, x, y := c.stream(), c.flag(0), c.zeros(100), c.zeros(100)
		g := c.capture(s, func() {
			c.when(s, flag, func(inner backend.Stream) {
				c.ok(inner.Fill(x.view, 4), "fill")
				c.increment(inner, x)
				c.ok(inner.Copy(y.view, x.view), "copy")
				c.ok(inner.Launch(tallyDef, backend.Launch{N: 0, Buffers: []backend.View{y.view}}), "launch over nothing")
			})
		})
		c.replay(s, g)
		c.all(x, 0, "not taken")
		c.all(y, 0, "not taken")
		c.write(flag.view, bytesOf([]int32{1}))
		c.replay(s, g)
		c.all(x, 5, "taken")
		c.all(y, 5, "taken")
	}},
	{"if/nested means both", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, outer, inner, x, y := c.stream(), c.flag(0), c.flag(0), c.zeros(10), c.zeros(10)
		g := c.capture(s, func() {
			c.when(s, outer, func(first backend.Stream) {
				c.increment(first, x)
				c.when(first, inner, func(second backend.Stream) { c.increment(second, y) })
				c.increment(first, x)
			})
		})
		wantX, wantY := int32(0), int32(0)
		for state := range int32(4) {
			c.write(outer.view, bytesOf([]int32{state & 1}))
			c.write(inner.view, bytesOf([]int32{state >> 1}))
			c.replay(s, g)
			if state&1 != 0 {
				wantX += 2
				wantY += state >> 1
			}
		}
		c.all(x, wantX, "the outer body")
		c.all(y, wantY, "the inner body")
	}},
	{"if/launches with a bound", func(c *check) {
		if !c.conditionals() {
			return
		}
		const n, size, other = 300, 7, 70
		s, flag, bound, fixed := c.stream(), c.flag(1), c.flag(0), c.flag(other)
		x := make([]array, 7)
		for i := range x {
			x[i] = c.zeros(n * size)
		}
		first := func(s backend.Stream, bound, x array) {
			c.ok(s.Launch(&kernels.FirstDef, backend.Launch{N: n, Buffers: []backend.View{bound.view, x.view}}), "launch")
		}
		g := c.capture(s, func() {
			c.when(s, flag, func(inner backend.Stream) {
				first(inner, bound, x[0])
				rows := backend.Launch{N: n, Scalars: []uint32{size}, Buffers: []backend.View{bound.view, x[1].view}}
				c.ok(inner.Launch(&kernels.FirstRowsDef, rows), "launch")
				first(inner, fixed, x[2])
				c.when(inner, bound, func(deep backend.Stream) { first(deep, bound, x[3]) })
				c.ok(inner.Copy(bound.view, fixed.view), "copy") // the following launches see the new bound
				first(inner, bound, x[4])
				c.when(inner, flag, func(deep backend.Stream) { first(deep, bound, x[5]) })
				c.increment(inner, bound)
				first(inner, bound, x[6])
			})
		})
		total := make([][]int32, len(x))
		for i := range x {
			total[i] = make([]int32, n*size)
		}
		count := func(i, end int32) {
			for k := range max(end, 0) {
				total[i][k]++
			}
		}
		for _, value := range []int32{0, 1, 63, 64, 65, n, n + 1, -1, math.MinInt32, math.MaxInt32} {
			c.write(bound.view, bytesOf([]int32{value}))
			c.replay(s, g)
			count(0, min(value, n))
			count(1, min(value, n)*size)
			count(2, other)
			count(3, min(value, n))
			count(4, other)
			count(5, other)
			count(6, other+1)
			for i := range x {
				c.that(slices.Equal(c.ints(x[i]), total[i]), "array %d after a replay with the bound %d", i, value)
			}
		}
	}},
	{"if/error of the body", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, x := c.stream(), c.flag(1), c.zeros(10)
		g := c.capture(s, func() {
			c.increment(s, x)
			err := s.If(flag.view, func(backend.Stream) error { return errBody })
			c.that(errors.Is(err, errBody), "If returns %v, want the error of its body", err)
			c.that(s.Capture() == backend.CaptureOwn, "the state after an error of a body is %v", s.Capture())
			c.when(s, flag, func(inner backend.Stream) { c.increment(inner, x) })
			c.increment(s, x)
		})
		c.replay(s, g)
		c.all(x, 3, "a capture after an error of a body")
	}},
	{"if/outer stream while a body is open", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, x, e := c.stream(), c.flag(1), c.zeros(10), c.event()
		var stale backend.Stream
		g := c.capture(s, func() {
			c.when(s, flag, func(inner backend.Stream) {
				stale = inner
				launch := backend.Launch{N: 10, Buffers: []backend.View{x.view}}
				c.refused(s.Launch(incrementDef, launch), "launch on the outer stream (D17)", backend.ErrCapture)
				c.refused(s.Fill(x.view, 1), "fill on the outer stream (D17)", backend.ErrCapture)
				c.refused(s.If(flag.view, func(backend.Stream) error { return nil }), "if on the outer stream (D17)",
					backend.ErrCapture)
				_, err := s.EndCapture()
				c.refused(err, "end the capture inside a body", backend.ErrCapture)
				c.refused(s.Record(e), "record on the outer stream (D17)", backend.ErrCapture)
				c.that(inner.Capture() == backend.CaptureOwn, "the state of a body's stream is %v", inner.Capture())
				c.that(inner.Device() == c.device, "a body's stream belongs to another device")
				c.increment(inner, x)
			})
			c.refused(stale.Launch(incrementDef, backend.Launch{N: 10, Buffers: []backend.View{x.view}}),
				"launch on the stream of a body that has ended", backend.ErrClosed, backend.ErrCapture)
			c.when(s, flag, func(inner backend.Stream) {
				c.refused(stale.Launch(incrementDef, backend.Launch{N: 10, Buffers: []backend.View{x.view}}),
					"launch on the stream of another body", backend.ErrClosed, backend.ErrCapture)
				c.increment(inner, x)
			})
			c.increment(s, x)
		})
		c.replay(s, g)
		c.all(x, 3, "a capture after refused calls")
	}},
	{"if/what a body may not hold", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, x, host, e := c.stream(), c.flag(1), c.zeros(10), c.allocHost(40), c.event()
		g := c.capture(s, func() {
			c.ok(s.Record(e), "record")
			c.when(s, flag, func(inner backend.Stream) {
				c.refused(inner.Wait(e), "wait in a body (R40)", backend.ErrCapture)
				c.refused(inner.Upload(x.view, host, 0), "upload in a body (R40)", backend.ErrUnsupported)
				c.refused(inner.Download(host, 0, x.view), "download in a body (R40)", backend.ErrUnsupported)
				c.refused(inner.Record(e), "record in a body (R40)", backend.ErrCapture)
				c.refused(inner.BeginCapture(), "begin a capture in a body", backend.ErrCapture)
				_, err := inner.EndCapture()
				c.refused(err, "end a capture in a body", backend.ErrCapture)
				c.refused(inner.Sync(), "sync in a body", backend.ErrCapture)
				c.refused(inner.Close(), "close the stream of a body", backend.ErrInvalid)
				c.increment(inner, x)
			})
		})
		c.replay(s, g)
		c.all(x, 1, "a capture after refused calls")
	}},
	{"if/replays of graphs with host copies in a body", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, x, host := c.stream(), c.flag(0), c.zeros(10), c.allocHost(40)
		copy(host.Bytes(), bytesOf([]int32{7, 7, 7, 7, 7, 7, 7, 7, 7, 7}))
		upload := c.capture(s, func() { c.ok(s.Upload(x.view, host, 0), "upload") })
		outer := c.capture(s, func() { c.ok(s.Replay(upload), "replay") })
		add := c.capture(s, func() { c.increment(s, x) })
		refused := func(inner backend.Stream) {
			for _, graph := range []backend.Graph{upload, outer} {
				c.refused(inner.Replay(graph), "replay a graph with an upload in a body (R40)", backend.ErrUnsupported)
			}
			c.ok(inner.Replay(add), "replay")
		}
		g := c.capture(s, func() { c.when(s, flag, refused) })
		c.replay(s, g)
		c.all(x, 0, "a conditional that is not taken")
		if c.device.Caps().EagerConditionals {
			c.when(s, flag, refused)
			c.ok(s.Sync(), "sync")
			c.all(x, 0, "an eager conditional that is not taken")
		}
	}},
	{"if/misuse", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, x, closed := c.stream(), c.zeros(10), c.flag(1)
		b := x.view.Buffer
		body := func(backend.Stream) error { c.errorf("the body of a refused conditional runs"); return nil }
		g := c.capture(s, func() {
			for _, flag := range []backend.View{{}, {Bytes: 4}, x.slice(0, 8), x.slice(0, 0), {Buffer: b, Offset: 2, Bytes: 4},
				{Buffer: b, Offset: b.Bytes(), Bytes: 4}} {
				c.refused(s.If(flag, body), "a conditional with a wrong flag", backend.ErrInvalid)
			}
			c.refused(s.If(x.slice(0, 4), nil), "a conditional without a body", backend.ErrInvalid)
			c.ok(closed.view.Buffer.Close(), "close")
			c.refused(s.If(closed.view, body), "a conditional with a closed flag", backend.ErrClosed)
			c.increment(s, x)
		})
		c.replay(s, g)
		c.all(x, 1, "a capture after refused calls")
	}},
	{"if/empty body", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag := c.stream(), c.flag(1)
		g := c.capture(s, func() { c.when(s, flag, func(backend.Stream) {}) })
		c.replay(s, g)
	}},
	{"if/eager", func(c *check) {
		s, flag, x := c.stream(), c.flag(0), c.zeros(10)
		emit := func() error {
			return s.If(flag.view, func(inner backend.Stream) error {
				return inner.Launch(incrementDef, backend.Launch{N: 10, Buffers: []backend.View{x.view}})
			})
		}
		if !c.device.Caps().EagerConditionals {
			c.refused(emit(), "an eager conditional without EagerConditionals", backend.ErrUnsupported)
			return
		}
		c.ok(emit(), "if")
		c.ok(s.Sync(), "sync")
		c.all(x, 0, "not taken")
		c.write(flag.view, bytesOf([]int32{1}))
		c.ok(emit(), "if")
		c.ok(s.Sync(), "sync")
		c.all(x, 1, "taken")
	}},
	{"if/eager beside other work", func(c *check) {
		if !c.device.Caps().EagerConditionals {
			return
		}
		s, flag, x, before := c.stream(), c.flag(1), c.zeros(10), c.zeros(10)
		c.when(s, flag, func(outer backend.Stream) {
			c.increment(s, before) // as another goroutine would: it runs before the conditional
			c.when(s, flag, func(other backend.Stream) { c.increment(other, before) })
			c.ok(s.Sync(), "sync")
			c.all(before, 2, "work on the stream while the body of an eager conditional is open")
			c.ok(outer.Copy(x.view, before.view), "copy")
			c.increment(outer, x)
		})
		c.ok(s.Sync(), "sync")
		c.all(x, 3, "the conditional, after the other work")

		var graph backend.Graph
		err := s.If(flag.view, func(inner backend.Stream) error {
			c.ok(s.BeginCapture(), "begin a capture while the body of an eager conditional is open")
			c.increment(inner, x)
			return nil
		})
		c.refused(err, "a conditional whose stream is captured when its body ends", backend.ErrCapture)
		graph, err = s.EndCapture()
		c.ok(err, "end capture")
		c.that(graph.Nodes() == 0, "the conditional is not part of the capture")
		c.ok(graph.Close(), "close")
		c.ok(s.Sync(), "sync")
		c.all(x, 3, "the refused conditional")
	}},
	{"if/graph with a conditional in a capture", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, x := c.stream(), c.flag(0), c.zeros(10)
		inner := c.capture(s, func() {
			c.when(s, flag, func(body backend.Stream) { c.increment(body, x) })
		})
		outer := c.capture(s, func() {
			c.ok(s.Replay(inner), "replay")
			c.ok(s.Replay(inner), "replay")
		})
		c.replay(s, outer)
		c.all(x, 0, "not taken")
		c.write(flag.view, bytesOf([]int32{1}))
		c.replay(s, outer)
		c.all(x, 2, "taken")
	}},
	{"repeat/until the flag is zero or the limit is reached", func(c *check) {
		if !c.device.Caps().WhileNodes {
			return
		}
		s, flag, step, x := c.stream(), c.flag(0), c.flag(0), c.zeros(10)
		g := c.capture(s, func() {
			repeater, ok := s.(backend.Repeater)
			c.that(ok, "a device with WhileNodes whose streams are no Repeater")
			if !ok {
				return
			}
			c.increment(s, x)
			c.ok(repeater.Repeat(flag.view, 5, func(inner backend.Stream) error {
				c.increment(inner, flag)
				c.when(inner, step, func(deep backend.Stream) { c.increment(deep, x) })
				return nil
			}), "repeat")
			c.increment(s, x)
		})
		want := int32(0)
		for _, try := range []struct{ flag, step, runs int32 }{{0, 1, 0}, {-1, 1, 1}, {-3, 1, 3}, {-3, 0, 0}, {7, 1, 5},
			{-5, 1, 5}, {-6, 1, 5}} {
			c.write(flag.view, bytesOf([]int32{try.flag}))
			c.write(step.view, bytesOf([]int32{try.step}))
			c.replay(s, g)
			want += 2 + try.runs
			c.all(x, want, "a replay")
		}
	}},
	{"repeat/refused", func(c *check) {
		if !c.device.Caps().WhileNodes {
			return
		}
		s, flag, x := c.stream(), c.flag(1), c.zeros(10)
		repeater, ok := s.(backend.Repeater)
		if !ok {
			return
		}
		never := func(backend.Stream) error {
			c.errorf("the body must not run")
			return nil
		}
		c.refused(repeater.Repeat(flag.view, 1, never), "a repeat outside captures", backend.ErrUnsupported)
		g := c.capture(s, func() {
			c.refused(repeater.Repeat(flag.view, 0, never), "a limit of 0", backend.ErrInvalid)
			c.refused(repeater.Repeat(x.view, 1, never), "a flag of ten words", backend.ErrInvalid)
			c.refused(repeater.Repeat(flag.view, 1, nil), "a nil body", backend.ErrInvalid)
			c.refused(repeater.Repeat(flag.view, 1, func(backend.Stream) error { return errBody }), "a body that fails", errBody)
			c.increment(s, x)
		})
		c.replay(s, g)
		c.all(x, 1, "the capture stays usable")
	}},
}
