package backendtest

import (
	"runtime"

	"github.com/trackgen-go/trackgen/backend"
)

// captures reports whether the device has captures. If not, it checks that the device says so.
func (c *check) captures() bool {
	if c.device.Caps().Capture {
		return true
	}
	c.refused(c.stream().BeginCapture(), "begin a capture without Capture", backend.ErrUnsupported)
	return false
}

// all reports a failure unless every element of x is want.
func (c *check) all(x array, want int32, when string) {
	for i, got := range c.ints(x) {
		if got != want {
			c.errorf("%s: element %d is %d, want %d", when, i, got, want)
			return
		}
	}
}

var captureCases = []testCase{
	{"capture/records and does not run", func(c *check) {
		if !c.captures() {
			return
		}
		s, x := c.stream(), c.zeros(100)
		c.that(s.Capture() == backend.CaptureNone, "a new stream is capturing")
		g := c.capture(s, func() {
			c.that(s.Capture() == backend.CaptureOwn, "the state in a capture is %v", s.Capture())
			c.increment(s, x)
			c.ok(s.Fill(x.slice(0, 4), 9), "fill")
		})
		c.that(s.Capture() == backend.CaptureNone, "the stream is capturing after the end")
		c.that(g.Nodes() == 2, "the graph has %d nodes, want 2", g.Nodes())
		c.that(g.Device() == c.device, "the graph belongs to another device")
		c.all(x, 0, "before the first replay")
	}},
	{"capture/replay", func(c *check) {
		if !c.captures() {
			return
		}
		s, x := c.stream(), c.zeros(1000)
		g := c.capture(s, func() {
			c.chain(s, x, 1)
			c.chain(s, x, 2)
		})
		want := int32(0)
		for range 5 {
			c.replay(s, g)
			want = 3*(3*want+1) + 2
		}
		c.all(x, want, "after five replays")
		c.replay(c.stream(), g)
		want = 3*(3*want+1) + 2
		c.all(x, want, "after a replay on another stream")
		c.replay(c.device.DefaultStream(), g)
		want = 3*(3*want+1) + 2
		c.all(x, want, "after a replay on the default stream")
		c.write(x.view, bytesOf(make([]int32, 1000)))
		c.replay(s, g)
		c.all(x, 5, "after the input has changed")
	}},
	{"capture/all kinds of work", func(c *check) {
		if !c.captures() {
			return
		}
		s, x, y := c.stream(), c.zeros(100), c.zeros(100)
		in, out := c.allocHost(400), c.allocHost(400)
		g := c.capture(s, func() {
			c.ok(s.Upload(x.view, in, 0), "upload")
			c.increment(s, x)
			c.ok(s.Copy(y.view, x.view), "copy")
			c.ok(s.Fill(x.view, 40), "fill")
			c.increment(s, y)
			c.ok(s.Download(out, 0, y.view), "download")
		})
		for _, value := range []int32{0, 10} {
			for i := range 100 {
				copy(in.Bytes()[4*i:], bytesOf([]int32{value}))
			}
			c.replay(s, g)
			c.all(x, 40, "filled")
			c.all(y, value+2, "copied")
			c.that(valuesOf[int32](out.Bytes())[99] == value+2, "a recorded download gives %d", valuesOf[int32](out.Bytes())[99])
		}
	}},
	{"capture/arguments are copied", func(c *check) {
		if !c.captures() {
			return
		}
		s, a, b := c.stream(), c.zeros(10), c.zeros(10)
		buffers, scalars := []backend.View{a.view}, []uint32{5}
		g := c.capture(s, func() {
			c.ok(s.Launch(stampDef, backend.Launch{N: 10, Buffers: buffers, Scalars: scalars}), "launch")
			buffers[0], scalars[0] = b.view, 9
		})
		c.replay(s, g)
		c.that(c.ints(a)[1] == 8 && c.ints(b)[1] == 0, "a graph sees arguments that change after the call")
	}},
	{"capture/empty", func(c *check) {
		if !c.captures() {
			return
		}
		s := c.stream()
		g := c.capture(s, func() {})
		c.that(g.Nodes() == 0, "an empty graph has %d nodes", g.Nodes())
		c.replay(s, g)
	}},
	{"capture/other streams go on", func(c *check) {
		if !c.captures() {
			return
		}
		s, other, x, y := c.stream(), c.stream(), c.zeros(10), c.zeros(10)
		g := c.capture(s, func() {
			c.increment(s, x)
			c.increment(other, y)
			c.ok(other.Sync(), "sync another stream during a capture")
			c.that(other.Capture() == backend.CaptureNone, "another stream is capturing")
		})
		c.all(y, 1, "eager work during a capture")
		c.replay(s, g)
		c.all(x, 1, "replayed")
		c.all(y, 1, "work of another stream was recorded")
	}},
	{"capture/two at once", func(c *check) {
		if !c.captures() {
			return
		}
		a, b, x, y := c.stream(), c.stream(), c.zeros(10), c.zeros(10)
		var inner backend.Graph
		outer := c.capture(a, func() {
			c.increment(a, x)
			inner = c.capture(b, func() { c.increment(b, y) })
			c.increment(a, x)
		})
		c.replay(a, outer)
		c.all(x, 2, "the first capture")
		c.all(y, 0, "the second capture")
		c.replay(a, inner)
		c.all(y, 1, "the second capture")
	}},
	{"capture/misuse", func(c *check) {
		if !c.captures() {
			return
		}
		s, x, e := c.stream(), c.zeros(10), c.event()
		_, err := s.EndCapture()
		c.refused(err, "end a capture that has not begun", backend.ErrCapture)
		c.refused(s.Anchor(c), "anchor outside a capture", backend.ErrCapture)
		g := c.capture(s, func() {
			c.increment(s, x)
			c.refused(s.BeginCapture(), "begin a capture twice", backend.ErrCapture)
			c.refused(s.Sync(), "sync during a capture", backend.ErrCapture)
			c.refused(s.Launch(stampDef, backend.Launch{N: 1}), "launch with wrong arguments", backend.ErrInvalid)
			c.ok(s.Record(e), "record")
			c.refused(e.Sync(), "sync an event of a capture", backend.ErrCapture)
			c.increment(s, x)
		})
		c.replay(s, g)
		c.all(x, 2, "a capture after refused calls")
		c.refused(c.stream().Wait(e), "wait for an event of a capture that has ended", backend.ErrCapture)
		c.ok(s.Record(e), "record the event anew")
		c.ok(e.Sync(), "sync")
		c.refused(s.Replay(nil), "replay nothing", backend.ErrInvalid)
		c.ok(g.Close(), "close")
		c.ok(g.Close(), "close again")
		c.refused(s.Replay(g), "replay a closed graph", backend.ErrClosed)
	}},
	{"capture/event from outside", func(c *check) {
		if !c.captures() {
			return
		}
		s, other, e, x := c.stream(), c.stream(), c.event(), c.zeros(10)
		never := c.event()
		c.ok(other.Record(e), "record")
		g := c.capture(s, func() {
			c.refused(s.Wait(e), "wait in a capture for an event from outside", backend.ErrCapture)
			c.ok(s.Wait(never), "wait for an event that was never recorded")
			c.increment(s, x)
		})
		c.replay(s, g)
		c.all(x, 1, "a capture after a refused wait")
	}},
	{"capture/event of another capture", func(c *check) {
		if !c.captures() {
			return
		}
		a, b, e, x, y := c.stream(), c.stream(), c.event(), c.zeros(10), c.zeros(10)
		var second backend.Graph
		first := c.capture(a, func() {
			c.ok(a.Record(e), "record")
			second = c.capture(b, func() {
				c.refused(b.Wait(e), "wait for an event of another capture", backend.ErrCapture)
				c.increment(b, y)
			})
			c.increment(a, x)
		})
		c.replay(a, first)
		c.all(x, 1, "the first capture")
		c.all(y, 0, "the second capture")
		c.replay(a, second)
		c.all(y, 1, "the second capture")
	}},
	{"capture/joined stream", func(c *check) {
		if !c.captures() {
			return
		}
		s, side, x := c.stream(), c.stream(), c.zeros(1000)
		fork, join := c.event(), c.event()
		g := c.capture(s, func() {
			c.chain(s, x, 1)
			c.ok(s.Record(fork), "record")
			c.ok(side.Wait(fork), "wait")
			c.that(side.Capture() == backend.CaptureJoined, "the state of a joined stream is %v", side.Capture())
			c.refused(side.BeginCapture(), "begin a capture on a joined stream", backend.ErrCapture)
			_, err := side.EndCapture()
			c.refused(err, "end a capture on a joined stream", backend.ErrCapture)
			c.chain(side, x, 2)
			c.ok(side.Record(join), "record")
			c.ok(s.Wait(join), "wait")
			c.chain(s, x, 3)
		})
		c.that(side.Capture() == backend.CaptureNone, "the joined stream is capturing after the end")
		c.replay(side, g)
		c.all(x, 3*(3*1+2)+3, "a fork and a join")
		c.increment(side, x)
		c.ok(side.Sync(), "sync")
		c.all(x, 3*(3*1+2)+4, "eager work after the capture")
	}},
	{"capture/stream not joined back", func(c *check) {
		if !c.captures() {
			return
		}
		s, side, x, fork := c.stream(), c.stream(), c.zeros(10), c.event()
		c.ok(s.BeginCapture(), "begin capture")
		c.ok(s.Record(fork), "record")
		c.ok(side.Wait(fork), "wait")
		c.increment(side, x)
		_, err := s.EndCapture()
		c.refused(err, "end a capture with a stream that was not joined back", backend.ErrCapture)
		c.increment(s, x)
		c.increment(side, x)
		c.ok(s.Sync(), "sync")
		c.ok(side.Sync(), "sync")
		c.all(x, 2, "eager work after a failed capture")
	}},
	{"capture/replay in a capture", func(c *check) {
		if !c.captures() {
			return
		}
		s, x := c.stream(), c.zeros(10)
		inner := c.capture(s, func() { c.chain(s, x, 1) })
		outer := c.capture(s, func() {
			c.ok(s.Replay(inner), "replay")
			c.chain(s, x, 2)
			c.ok(s.Replay(inner), "replay")
		})
		c.all(x, 0, "a replay inside a capture ran")
		c.ok(inner.Close(), "close")
		c.replay(s, outer)
		c.all(x, 3*(3*1+2)+1, "a graph that replays a graph, which is closed")
	}},
	{"capture/close a stream that captures", func(c *check) {
		if !c.captures() {
			return
		}
		s, err := c.device.NewStream()
		c.ok(err, "new stream")
		side, fork, x := c.stream(), c.event(), c.zeros(10)
		c.ok(s.BeginCapture(), "begin capture")
		c.ok(s.Record(fork), "record")
		c.ok(side.Wait(fork), "wait")
		c.refused(s.Close(), "close a stream that captures", backend.ErrCapture)
		_, err = s.EndCapture()
		c.refused(err, "end the capture of a closed stream", backend.ErrClosed)
		c.that(side.Capture() == backend.CaptureNone, "a stream that joined is still capturing")
		c.increment(side, x)
		c.ok(side.Sync(), "sync")
		c.all(x, 1, "eager work after a dropped capture")
	}},
	{"capture/anchor", func(c *check) {
		if !c.captures() {
			return
		}
		s, x := c.stream(), c.zeros(10)
		collected := make(chan struct{})
		g := c.capture(s, func() {
			owner := new([64]int)
			runtime.AddCleanup(owner, func(done chan struct{}) { close(done) }, collected)
			c.ok(s.Anchor(owner), "anchor")
			c.ok(s.Anchor(nil), "anchor nothing")
			c.increment(s, x)
		})
		if !c.device.Caps().GraphRetain {
			return
		}
		for range 3 {
			runtime.GC()
		}
		select {
		case <-collected:
			c.errorf("the owner was collected while its graph is open")
		default:
		}
		c.replay(s, g)
		runtime.KeepAlive(g)
	}},
}
