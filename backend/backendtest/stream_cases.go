package backendtest

import (
	"github.com/trackgen-go/trackgen/backend"
)

// chain emits x = 3*x + term over one element.
func (c *check) chain(s backend.Stream, x array, term int32) {
	c.ok(s.Launch(chainDef, backend.Launch{N: int32(x.view.Bytes / 4), Buffers: []backend.View{x.view},
		Scalars: []uint32{uint32(term)}}), "launch")
}

// increment emits x += 1.
func (c *check) increment(s backend.Stream, x array) {
	c.ok(s.Launch(incrementDef, backend.Launch{N: int32(x.view.Bytes / 4), Buffers: []backend.View{x.view}}), "launch")
}

var streamCases = []testCase{
	{"stream/order", func(c *check) {
		s, x := c.stream(), c.zeros(100)
		want := int32(0)
		for term := range int32(40) {
			c.chain(s, x, term)
			want = 3*want + term
		}
		c.ok(s.Sync(), "sync")
		for i, got := range c.ints(x) {
			if got != want {
				c.errorf("element %d is %d, want %d", i, got, want)
				break
			}
		}
	}},
	{"stream/kinds of work in order", func(c *check) {
		s, x, y := c.stream(), c.zeros(1000), c.zeros(1000)
		host := c.allocHost(4000)
		c.ok(s.Fill(x.view, 5), "fill")
		c.chain(s, x, 1) // 16
		c.ok(s.Copy(y.view, x.view), "copy")
		c.ok(s.Fill(x.view, 0), "fill")
		c.increment(s, y) // 17
		c.ok(s.Download(host, 0, y.view), "download")
		c.ok(s.Upload(x.view, host, 0), "upload")
		c.increment(s, x) // 18
		c.ok(s.Sync(), "sync")
		for i, got := range c.ints(x) {
			if got != 18 {
				c.errorf("element %d is %d, want 18", i, got)
				break
			}
		}
	}},
	{"stream/events order two streams", func(c *check) {
		a, b, x := c.stream(), c.stream(), c.zeros(50_000)
		toB, toA := c.event(), c.event()
		want := int32(0)
		for round := range int32(20) {
			c.chain(a, x, round)
			c.ok(a.Record(toB), "record")
			c.ok(b.Wait(toB), "wait")
			c.chain(b, x, round+1)
			c.ok(b.Record(toA), "record")
			c.ok(a.Wait(toA), "wait")
			want = 3*(3*want+round) + round + 1
		}
		c.ok(a.Sync(), "sync")
		for i, got := range c.ints(x) {
			if got != want {
				c.errorf("element %d is %d, want %d", i, got, want)
				break
			}
		}
	}},
	{"stream/events", func(c *check) {
		s, e := c.stream(), c.event()
		c.ok(e.Sync(), "sync an event that was never recorded")
		c.ok(s.Wait(e), "wait for an event that was never recorded")
		x := c.zeros(10)
		c.increment(s, x)
		c.ok(s.Record(e), "record")
		c.ok(s.Record(e), "record again")
		c.ok(e.Sync(), "sync")
		c.that(c.ints(x)[9] == 1, "the work before an event has not run after its Sync")
		c.refused(s.Record(nil), "record nothing", backend.ErrInvalid)
		c.refused(s.Wait(nil), "wait for nothing", backend.ErrInvalid)
		closed, err := c.device.NewEvent()
		c.ok(err, "new event")
		c.ok(closed.Close(), "close")
		c.ok(closed.Close(), "close again")
		c.refused(s.Record(closed), "record a closed event", backend.ErrClosed)
		c.refused(s.Wait(closed), "wait for a closed event", backend.ErrClosed)
		c.refused(closed.Sync(), "sync a closed event", backend.ErrClosed)
	}},
	{"stream/use after close", func(c *check) {
		s, err := c.device.NewStream()
		c.ok(err, "new stream")
		c.ok(s.Close(), "close")
		c.ok(s.Close(), "close again")
		x, host, e := c.zeros(4), c.allocHost(16), c.event()
		launch := backend.Launch{N: 4, Buffers: []backend.View{x.view}}
		c.refused(s.Launch(incrementDef, launch), "launch", backend.ErrClosed)
		c.refused(s.Fill(x.view, 1), "fill", backend.ErrClosed)
		c.refused(s.Copy(x.slice(0, 4), x.slice(4, 4)), "copy", backend.ErrClosed)
		c.refused(s.Upload(x.view, host, 0), "upload", backend.ErrClosed)
		c.refused(s.Download(host, 0, x.view), "download", backend.ErrClosed)
		c.refused(s.Record(e), "record", backend.ErrClosed)
		c.refused(s.Wait(e), "wait", backend.ErrClosed)
		c.refused(s.Sync(), "sync", backend.ErrClosed)
		c.refused(s.BeginCapture(), "begin capture", backend.ErrClosed)
		c.refused(s.Anchor(c), "anchor", backend.ErrClosed)
		c.that(s.Capture() == backend.CaptureNone, "a closed stream is capturing")
	}},
}
