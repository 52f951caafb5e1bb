package backendtest

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// shut closes resources before the end of the case, twice, and then overwrites memory of the same sizes: work that did
// not keep its memory computes something else.
func (c *check) shut(resources ...any) {
	for _, r := range resources {
		var size int64
		closer, _ := r.(interface{ Close() error })
		switch r := r.(type) {
		case array:
			closer, size = r.view.Buffer, r.view.Buffer.Bytes()
		case backend.HostBuffer:
			size = int64(len(r.Bytes()))
		}
		c.ok(closer.Close(), "close")
		c.ok(closer.Close(), "close again")
		if size > 0 {
			dirty := backend.View{Buffer: c.alloc(size), Bytes: size}
			c.ok(c.device.DefaultStream().Fill(dirty, 0xdeadbeef), "fill")
			bytes := c.allocHost(size).Bytes()
			for i := range bytes {
				bytes[i] = 0xef
			}
		}
	}
	c.ok(c.device.DefaultStream().Sync(), "sync")
}

// counter emits x += 1 and a copy to y.
func (c *check) counter(s backend.Stream, x, y array) {
	c.increment(s, x)
	c.ok(s.Copy(y.view, x.view), "copy")
}

var lifetimeCases = []testCase{
	{"lifetime/buffer closed before a replay", func(c *check) {
		if !c.captures() {
			return
		}
		s, x, y := c.stream(), c.zeros(100), c.zeros(100)
		g := c.capture(s, func() { c.counter(s, x, y) })
		c.shut(x)
		for range 3 {
			c.replay(s, g)
		}
		c.all(y, 3, "three replays with a closed buffer")
		c.refused(s.Fill(x.view, 1), "fill a closed buffer that a graph keeps", backend.ErrClosed)
		c.ok(s.BeginCapture(), "begin capture")
		c.refused(s.Fill(x.view, 1), "record a fill of a closed buffer that a graph keeps", backend.ErrClosed)
		empty, err := s.EndCapture()
		c.ok(err, "end capture")
		c.ok(empty.Close(), "close")
	}},
	{"lifetime/all closed before the end of the capture", func(c *check) {
		if !c.captures() {
			return
		}
		s, side, x, y := c.stream(), c.stream(), c.zeros(100), c.zeros(100)
		fork, join := c.event(), c.event()
		g := c.capture(s, func() {
			c.increment(s, x)
			c.ok(s.Record(fork), "record")
			c.ok(side.Wait(fork), "wait")
			c.counter(side, x, y)
			c.ok(side.Record(join), "record")
			c.ok(s.Wait(join), "wait")
			c.shut(x, fork, join, side)
		})
		c.shut(s)
		for range 2 {
			c.replay(c.device.DefaultStream(), g)
		}
		c.all(y, 4, "two replays")
	}},
	{"lifetime/host buffers", func(c *check) {
		if !c.captures() {
			return
		}
		s, x, y := c.stream(), c.zeros(16), c.zeros(16)
		in, out := c.allocHost(64), c.allocHost(64)
		copy(in.Bytes(), bytesOf(slices.Repeat([]int32{7}, 16)))
		g := c.capture(s, func() {
			c.ok(s.Upload(x.view, in, 0), "upload")
			c.increment(s, x)
			c.ok(s.Download(out, 0, x.view), "download")
			c.ok(s.Upload(y.view, out, 0), "upload")
		})
		c.shut(in, out)
		c.that(in.Bytes() == nil && out.Bytes() == nil, "a closed host buffer has bytes")
		for range 2 {
			c.write(y.view, make([]byte, 64))
			c.replay(s, g)
			c.all(y, 8, "what went through closed host buffers")
		}
		c.refused(s.Upload(y.view, in, 0), "upload from a closed host buffer that a graph keeps", backend.ErrClosed)
	}},
	{"lifetime/conditionals", func(c *check) {
		if !c.conditionals() {
			return
		}
		s, flag, inside, x, y := c.stream(), c.flag(1), c.flag(1), c.zeros(100), c.zeros(100)
		g := c.capture(s, func() {
			c.when(s, flag, func(body backend.Stream) {
				c.when(body, inside, func(deep backend.Stream) {
					c.counter(deep, x, y)
					c.shut(x, inside)
				})
				c.shut(flag)
			})
		})
		for range 3 {
			c.replay(s, g)
		}
		c.all(y, 3, "three replays with a closed flag")
	}},
	{"lifetime/loops", func(c *check) {
		s, flag, x, y := c.stream(), c.flag(1), c.zeros(100), c.zeros(100)
		repeater, ok := s.(backend.Repeater)
		if !c.device.Caps().WhileNodes || !ok {
			return
		}
		g := c.capture(s, func() {
			c.ok(repeater.Repeat(flag.view, 5, func(body backend.Stream) error {
				c.counter(body, x, y)
				c.shut(flag, x)
				return nil
			}), "repeat")
		})
		c.replay(s, g)
		c.replay(s, g)
		c.all(y, 10, "two replays of a loop with a closed flag")
	}},
	{"lifetime/graph inside a graph", func(c *check) {
		if !c.captures() {
			return
		}
		s, x, y := c.stream(), c.zeros(100), c.zeros(100)
		inner := c.capture(s, func() { c.counter(s, x, y) })
		outer := c.capture(s, func() {
			c.ok(s.Replay(inner), "replay")
			c.shut(x, inner)
			c.increment(s, y)
		})
		last := c.capture(s, func() { c.ok(s.Replay(outer), "replay") })
		c.shut(outer)
		c.replay(s, last)
		c.replay(s, last)
		c.all(y, 3, "a graph that replays closed graphs with a closed buffer")
		c.refused(s.Replay(inner), "replay a closed graph", backend.ErrClosed)
	}},
	{"lifetime/eager work", func(c *check) {
		s, x, y, host := c.stream(), c.zeros(5000), c.zeros(5000), c.allocHost(20_000)
		copy(host.Bytes(), bytesOf(slices.Repeat([]int32{7}, 5000)))
		c.ok(s.Upload(x.view, host, 0), "upload")
		c.counter(s, x, y)
		c.shut(host, x)
		c.ok(s.Sync(), "sync")
		c.all(y, 8, "work whose memory was closed while it was queued")
		if !c.device.Caps().EagerConditionals {
			return
		}
		flag, z := c.flag(1), c.zeros(100)
		c.when(s, flag, func(body backend.Stream) {
			c.counter(body, z, array{view: y.slice(0, 400)})
			c.shut(flag, z)
		})
		c.ok(s.Sync(), "sync")
		c.that(c.ints(y)[99] == 1, "an eager conditional whose memory was closed gives %d", c.ints(y)[99])
	}},
	{"lifetime/close during replays", func(c *check) {
		if !c.captures() {
			return
		}
		const items = 100
		s, x, counts := c.stream(), c.zeros(3), c.zeros(3)
		g := c.capture(s, func() {
			for _, a := range []array{x, counts} { // atomics, because replays on several streams run concurrently
				c.ok(s.Launch(tallyDef, backend.Launch{N: items, Buffers: []backend.View{a.view}}), "launch")
			}
		})
		var group sync.WaitGroup
		var replays, refusals atomic.Int32
		for range 3 {
			own := c.stream()
			group.Go(func() {
				var err error
				for ; err == nil; err = own.Replay(g) {
					replays.Add(1)
				}
				refusals.Add(1)
				c.refused(err, "replay a graph that is closed meanwhile", backend.ErrClosed)
				c.ok(own.Sync(), "sync")
			})
		}
		for _, r := range []any{x, g} {
			for before := replays.Load(); replays.Load() < before+6 && refusals.Load() == 0; {
				runtime.Gosched()
			}
			c.that(refusals.Load() == 0, "a replay is refused before its graph is closed")
			c.shut(r)
		}
		group.Wait()
		want := items * (replays.Load() - 3) // each loop counts before its first replay
		c.that(c.ints(counts)[0] == want, "the replays count %d, want %d", c.ints(counts)[0], want)
	}},
	{"lifetime/memory is given back", func(c *check) { c.checkReturned(keepers) }},
	{"lifetime/memory of conditionals is given back", func(c *check) {
		if c.conditionals() {
			c.checkReturned(conditionalKeepers)
		}
	}},
	{"lifetime/close the device", func(c *check) {
		if !c.captures() {
			return
		}
		d := c.open()
		s := d.DefaultStream()
		b, err := d.Alloc(400)
		c.ok(err, "allocate")
		emit := func() { c.ok(s.Fill(backend.View{Buffer: b, Bytes: 400}, 1), "fill") }
		var graphs [2]backend.Graph
		for i := range graphs {
			c.ok(s.BeginCapture(), "begin capture")
			emit()
			graphs[i], err = s.EndCapture()
			c.ok(err, "end capture")
		}
		c.ok(s.Replay(graphs[0]), "replay")
		c.ok(s.BeginCapture(), "begin capture")
		emit()
		c.ok(b.Close(), "close the buffer")
		c.ok(graphs[0].Close(), "close a graph")
		var leak *backend.LeakError
		if err := d.Close(); !errors.As(err, &leak) {
			c.fatalf("the error is %v, want *backend.LeakError", err)
		}
		c.that(len(leak.Leaks) == 1 && leak.Leaks[0].Kind == "graph", "the leaks are %v, want the open graph", leak.Leaks)
		c.ok(graphs[1].Close(), "close the graph after the device")
		c.ok(b.Close(), "close the buffer after the device")
	}},
	{"lifetime/close the device inside a body", func(c *check) {
		if !c.conditionals() {
			return
		}
		d := c.open()
		s := d.DefaultStream()
		b, err := d.Alloc(400)
		c.ok(err, "allocate")
		x := backend.View{Buffer: b, Bytes: 400}
		c.ok(s.BeginCapture(), "begin capture")
		err = s.If(backend.View{Buffer: b, Bytes: 4}, func(body backend.Stream) error {
			c.ok(body.Fill(x, 1), "fill")
			c.ok(b.Close(), "close the buffer")
			c.ok(d.Close(), "close the device")
			return body.Fill(x, 1)
		})
		c.refused(err, "fill a closed buffer in a body whose device is closed", backend.ErrClosed)
		_, err = s.EndCapture()
		c.refused(err, "end a capture of a closed device", backend.ErrClosed)
	}},
}

// checkReturned checks for each way to keep the memory of a buffer that the memory counts against the limit of its
// device exactly as long as it is kept. A keeper returns a function that releases it.
func (c *check) checkReturned(keepers map[string]keeper) {
	if !c.captures() {
		return
	}
	const limit, size = 64 << 10, 40 << 10
	d := c.open(backend.MemoryLimit(limit))
	c.later(d.Close)
	flag, err := d.Alloc(4)
	c.ok(err, "allocate")
	c.later(flag.Close)
	for name, keep := range keepers {
		b, err := d.Alloc(size)
		c.ok(err, name+": allocate")
		s, err := d.NewStream()
		c.ok(err, name+": new stream")
		x := backend.View{Buffer: b, Bytes: size}
		release := keep(c, s, x, backend.View{Buffer: flag, Bytes: 4})
		c.ok(b.Close(), name+": close")
		_, err = d.Alloc(size)
		c.refused(err, name+": allocate while the memory is kept", backend.ErrOutOfMemory)
		release()
		again, err := d.Alloc(size)
		c.ok(err, name+": allocate when nothing keeps the memory")
		c.ok(again.Close(), name+": close")
		c.ok(s.Close(), name+": close")
	}
}

// keeper makes a stream keep x, and may use a flag. It returns a function that releases x.
type keeper func(c *check, s backend.Stream, x, flag backend.View) (release func())

// recorded returns the graph of a fill.
func (c *check) recorded(s backend.Stream, emit func()) backend.Graph {
	c.ok(s.BeginCapture(), "begin capture")
	emit()
	g, err := s.EndCapture()
	c.ok(err, "end capture")
	return g
}

var keepers = map[string]keeper{
	"graph": func(c *check, s backend.Stream, x, _ backend.View) func() {
		g := c.recorded(s, func() { c.ok(s.Fill(x, 1), "fill") })
		return func() { c.ok(g.Close(), "close") }
	},
	"graph that runs": func(c *check, s backend.Stream, x, _ backend.View) func() {
		g := c.recorded(s, func() { c.ok(s.Fill(x, 1), "fill") })
		return func() {
			c.ok(s.Replay(g), "replay")
			c.ok(g.Close(), "close")
		}
	},
	"graph of a graph": func(c *check, s backend.Stream, x, _ backend.View) func() {
		inner := c.recorded(s, func() { c.ok(s.Fill(x, 1), "fill") })
		outer := c.recorded(s, func() {
			c.ok(s.Replay(inner), "replay")
			c.ok(s.Replay(inner), "replay")
		})
		c.ok(inner.Close(), "close")
		return func() { c.ok(outer.Close(), "close") }
	},
	"capture whose stream is closed": func(c *check, s backend.Stream, x, _ backend.View) func() {
		c.ok(s.BeginCapture(), "begin capture")
		c.ok(s.Fill(x, 1), "fill")
		return func() { c.refused(s.Close(), "close a stream that captures", backend.ErrCapture) }
	},
	"capture that fails": func(c *check, s backend.Stream, x, _ backend.View) func() {
		side, fork := c.of(s.Device())
		c.ok(s.BeginCapture(), "begin capture")
		c.ok(s.Record(fork), "record")
		c.ok(side.Wait(fork), "wait")
		c.ok(side.Fill(x, 1), "fill")
		return func() {
			_, err := s.EndCapture()
			c.refused(err, "end a capture with a stream that was not joined back", backend.ErrCapture)
		}
	},
}

// of returns a stream and an event of another device, which are closed before that device.
func (c *check) of(d backend.Device) (backend.Stream, backend.Event) {
	s, err := d.NewStream()
	c.ok(err, "new stream")
	c.later(s.Close)
	e, err := d.NewEvent()
	c.ok(err, "new event")
	c.later(e.Close)
	return s, e
}

var conditionalKeepers = map[string]keeper{
	"body": func(c *check, s backend.Stream, x, flag backend.View) func() {
		g := c.recorded(s, func() {
			c.ok(s.If(flag, func(body backend.Stream) error { return body.Fill(x, 1) }), "if")
		})
		return func() { c.ok(g.Close(), "close") }
	},
	"flag": func(c *check, s backend.Stream, x, flag backend.View) func() {
		condition := backend.View{Buffer: x.Buffer, Bytes: 4}
		g := c.recorded(s, func() {
			c.ok(s.If(condition, func(body backend.Stream) error { return body.Fill(flag, 1) }), "if")
		})
		return func() { c.ok(g.Close(), "close") }
	},
	"capture with a body that failed": func(c *check, s backend.Stream, x, flag backend.View) func() {
		c.ok(s.BeginCapture(), "begin capture")
		c.ok(s.Fill(x, 1), "fill")
		err := s.If(flag, func(body backend.Stream) error { return errors.Join(body.Fill(x, 1), errBody) })
		c.refused(err, "a body that fails", errBody)
		g, err := s.EndCapture()
		c.ok(err, "end capture")
		return func() { c.ok(g.Close(), "close") }
	},
}
