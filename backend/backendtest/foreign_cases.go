package backendtest

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

var foreignCases = []testCase{
	{"foreign/memory is used where it is", func(c *check) {
		n := c.neighbour()
		if n == nil {
			return
		}
		s, mine, o := c.device.DefaultStream(), n.ints(100, 5), newOwner()
		x, y := c.wrap(mine, o), c.zeros(100)
		c.that(c.addressOf(x.view) == c.addressOf(mine), "wrapped memory has another address")
		c.that(x.view.Buffer.Bytes() == 400 && x.view.Buffer.Device() == c.device, "a wrapped buffer is of another kind")
		c.increment(s, x)
		c.ok(s.Copy(y.view, x.view), "copy")
		c.ok(s.Sync(), "sync")
		c.all(y, 6, "a launch on wrapped memory and a copy of it")
		n.all(mine, 6, "a launch on wrapped memory")
		n.write(mine, bytesOf(slices.Repeat([]int32{-3}, 100)))
		c.that(valuesOf[int32](c.readView(x.view))[99] == -3, "a download misses what the owner wrote")
		c.ok(s.Fill(x.slice(4, 392), 9), "fill")
		c.write(x.slice(8, 4), bytesOf([]int32{11}))
		got := valuesOf[int32](n.read(mine))
		c.that(got[0] == -3 && got[1] == 9 && got[2] == 11 && got[98] == 9 && got[99] == -3,
			"fills and uploads of parts give %d", got)
		c.kept(n, o, "an open buffer")
		c.ok(x.view.Buffer.Close(), "close")
		c.ok(x.view.Buffer.Close(), "close again")
		c.released(o, "a closed buffer")
		c.refused(s.Fill(x.view, 1), "fill a closed wrapped buffer", backend.ErrClosed)
		n.all(backend.View{Buffer: mine.Buffer, Offset: 4, Bytes: 4}, 9, "memory after the wrapped buffer is closed")
	}},
	{"foreign/parts", func(c *check) {
		n := c.neighbour()
		if n == nil {
			return
		}
		whole := n.ints(64, 1)
		part := func(offset, size int64) backend.View {
			return backend.View{Buffer: whole.Buffer, Offset: offset, Bytes: size}
		}
		for _, p := range []backend.View{part(4, 4), part(4, 252), part(12, 7), part(252, 1), part(252, 4)} {
			x := c.wrap(p, nil)
			c.that(len(c.readView(x.view)) == int(p.Bytes), "a part of %d bytes has another size", p.Bytes)
			c.ok(x.view.Buffer.Close(), "close")
		}
		x := c.wrap(part(8, 16), nil)
		c.increment(c.device.DefaultStream(), x)
		c.ok(c.device.DefaultStream().Sync(), "sync")
		c.that(slices.Equal(valuesOf[int32](n.read(part(4, 24))), []int32{1, 2, 2, 2, 2, 1}), "a launch leaves its part")
	}},
	{"foreign/wrong memory is refused", func(c *check) {
		n := c.neighbour()
		if n == nil {
			return
		}
		mine := n.ints(16, 0)
		at := c.addressOf(mine)
		o := newOwner()
		for _, wrong := range []struct {
			what    string
			address uintptr
			bytes   int64
		}{
			{"no address", 0, 64}, {"one byte off", at + 1, 4}, {"two bytes off", at + 2, 4}, {"three bytes off", at + 3, 4},
			{"no bytes", at, 0}, {"negative bytes", at, -4}, {"the smallest size", at, math.MinInt64},
			{"the largest size", at, math.MaxInt64}, {"the end of the address space", ^uintptr(3), 64},
			{"around the address space", ^uintptr(3), 4}, {"far beyond the end", at, 1 << 46}, {"the first page", 16, 4},
			{"the last page", ^uintptr(0) - 4095, 4},
		} {
			_, err := c.device.Wrap(wrong.address, wrong.bytes, o)
			c.refused(err, "wrap "+wrong.what, backend.ErrInvalid)
			var argument *backend.ArgumentError
			c.that(errors.As(err, &argument) && argument.Argument != "" && argument.Allowed != "",
				"wrap %s: the error is %v, which does not name the argument and what is allowed", wrong.what, err)
		}
		c.kept(n, o, "refused")
	}},
	{"foreign/memory that overlaps", func(c *check) {
		n := c.neighbour()
		if n == nil {
			return
		}
		s, mine := c.device.DefaultStream(), n.ints(16, 4)
		part := func(first, count int64) array {
			return c.wrap(backend.View{Buffer: mine.Buffer, Offset: 4 * first, Bytes: 4 * count}, nil)
		}
		head, middle, tail := part(0, 8), part(7, 8), part(8, 8)
		c.refused(s.Copy(head.view, middle.view), "copy memory that overlaps", backend.ErrInvalid)
		c.refused(s.Copy(middle.view, head.view), "copy memory that overlaps", backend.ErrInvalid)
		c.refused(s.Copy(head.view, part(0, 8).view), "copy memory onto itself", backend.ErrInvalid)
		c.ok(s.Fill(head.view, 3), "fill")
		c.ok(s.Copy(tail.view, head.view), "copy beside each other")
		c.ok(s.Sync(), "sync")
		n.all(mine, 3, "a copy between parts of one allocation")
		own := c.zeros(16)
		again := c.wrap(own.view, nil)
		c.refused(s.Copy(own.view, again.view), "copy memory of the device onto itself", backend.ErrInvalid)
		c.refused(s.Copy(again.view, own.view), "copy memory of the device onto itself", backend.ErrInvalid)
		c.ok(s.Copy(again.slice(0, 32), own.slice(32, 32)), "copy between halves")
	}},
	{"foreign/conditionals and loops", func(c *check) {
		n := c.neighbour()
		if n == nil || !c.conditionals() {
			return
		}
		s, flagOf, mine, o := c.stream(), n.ints(1, 1), n.ints(50, 0), newOwner()
		flag, x := c.wrap(flagOf, o), c.wrap(mine, nil)
		g := c.capture(s, func() {
			c.when(s, flag, func(body backend.Stream) { c.increment(body, x) })
			if repeater, ok := s.(backend.Repeater); ok && c.device.Caps().WhileNodes {
				c.ok(repeater.Repeat(flag.view, 10, func(body backend.Stream) error {
					c.increment(body, x)
					return nil
				}), "repeat")
			}
		})
		c.shutWrapped(flag, x)
		c.kept(n, o, "a flag of a graph")
		want := int32(0)
		for _, taken := range []int32{1, 0, 1, 1} {
			n.write(flagOf, bytesOf([]int32{taken}))
			c.replay(s, g)
			want += taken
			if c.device.Caps().WhileNodes {
				want += 10 * taken
			}
			n.all(mine, want, "a conditional whose flag its owner has written")
		}
		c.ok(g.Close(), "close")
		c.released(o, "a flag of a closed graph")
	}},
	{"foreign/graph after close", func(c *check) {
		n := c.neighbour()
		if n == nil || !c.captures() {
			return
		}
		s, mine, o := c.stream(), n.ints(100, 0), newOwner()
		x, y := c.wrap(mine, o), c.zeros(100)
		host := c.allocHost(400)
		g := c.capture(s, func() {
			c.counter(s, x, y)
			c.ok(s.Download(host, 0, x.view), "download")
			c.shutWrapped(x)
			c.ok(s.Upload(y.view, host, 0), "upload")
		})
		for round := range int32(3) {
			n.write(mine, bytesOf(slices.Repeat([]int32{10 * round}, 100)))
			c.replay(s, g)
			c.all(y, 10*round+1, "a replay reads what the owner wrote")
		}
		n.all(mine, 21, "a replay writes to closed wrapped memory")
		c.kept(n, o, "an open graph")
		c.ok(g.Close(), "close")
		c.released(o, "a closed graph")
	}},
	{"foreign/eager work", func(c *check) {
		n := c.neighbour()
		if n == nil {
			return
		}
		s, mine, o := c.stream(), n.ints(5000, 6), newOwner()
		o.free = mine.Buffer.Close
		x, y := c.wrap(mine, o), c.zeros(5000)
		for range 20 {
			c.counter(s, x, y)
		}
		c.shutWrapped(x)
		c.released(o, "a closed buffer whose work has run")
		c.ok(s.Sync(), "sync")
		c.all(y, 26, "work whose wrapped memory was closed while it was queued")
	}},
	{"foreign/owner is kept as long as memory is used", func(c *check) {
		n := c.neighbour()
		if n == nil || !c.captures() {
			return
		}
		all := []map[string]keeper{keepers}
		if c.conditionals() {
			all = append(all, conditionalKeepers)
		}
		flag := c.flag(1)
		for _, some := range all {
			for name, keep := range some {
				o := newOwner()
				x := c.wrap(n.ints(10, 0), o)
				s, err := c.device.NewStream()
				c.ok(err, name+": new stream")
				release := keep(c, s, x.view, flag.view)
				c.ok(x.view.Buffer.Close(), name+": close")
				c.kept(n, o, name)
				release()
				c.ok(s.Close(), name+": close")
				c.released(o, name)
			}
		}
	}},
	{"foreign/memory does not count", func(c *check) {
		n := c.neighbour()
		if n == nil {
			return
		}
		const limit = 64 << 10
		d := c.open(backend.MemoryLimit(limit))
		c.later(d.Close)
		for range 3 {
			b, err := d.Wrap(c.addressOf(n.ints(limit/2, 0)), 2*limit, nil)
			c.ok(err, "wrap more than the limit")
			c.later(b.Close)
		}
		b, err := d.Alloc(limit)
		c.ok(err, "allocate up to the limit beside wrapped memory")
		c.ok(b.Close(), "close")
	}},
	{"foreign/close the device", func(c *check) {
		n := c.neighbour()
		if n == nil {
			return
		}
		d, mine, o, kept := c.open(), n.ints(10, 0), newOwner(), newOwner()
		b, err := d.Wrap(c.addressOf(mine), 40, o)
		c.ok(err, "wrap")
		r, err := d.Wrap(c.addressOf(mine), 40, kept)
		c.ok(err, "wrap")
		view, err := r.Retain()
		c.ok(err, "retain")
		c.ok(r.Close(), "close")
		var leak *backend.LeakError
		if err := d.Close(); !errors.As(err, &leak) {
			c.fatalf("the error is %v, want *backend.LeakError", err)
		}
		c.that(len(leak.Leaks) == 1 && leak.Leaks[0].Kind == "wrapped buffer" && leak.Leaks[0].Bytes == 40,
			"the leaks are %v, want the wrapped buffer", leak.Leaks)
		c.released(o, "a closed device")
		c.kept(n, kept, "retained beyond its device")
		c.ok(b.Close(), "close after the device")
		c.ok(view.Close(), "close the retained buffer")
		c.released(kept, "a closed retained buffer")
		last := newOwner()
		_, err = d.Wrap(c.addressOf(mine), 40, last)
		c.refused(err, "wrap on a closed device", backend.ErrClosed)
		c.kept(n, last, "refused by a closed device")
	}},
	{"foreign/release may call the device", func(c *check) {
		n := c.neighbour()
		if n == nil {
			return
		}
		d, mine, done := c.open(), n.ints(10, 0), make(chan error)
		b, err := d.Wrap(c.addressOf(mine), 40, backend.ReleaseFunc(func() { done <- d.Close() }))
		c.ok(err, "wrap")
		c.ok(b.Close(), "close")
		c.ok(<-done, "close the device in the release of an owner")
	}},
	{"foreign/close during replays", func(c *check) {
		n := c.neighbour()
		if n == nil || !c.captures() {
			return
		}
		const items = 100
		s, mine, o := c.stream(), n.ints(3, 0), newOwner()
		counts := c.wrap(mine, o)
		emit := func(s backend.Stream) error {
			return s.Launch(tallyDef, backend.Launch{N: items, Buffers: []backend.View{counts.view}})
		}
		g := c.capture(s, func() { c.ok(emit(s), "launch") })
		var group sync.WaitGroup
		var runs, refusals atomic.Int32
		for i := range 4 {
			own := c.stream()
			run := func() error { return own.Replay(g) }
			if i%2 != 0 {
				run = func() error { return emit(own) }
			}
			group.Go(func() {
				err := run()
				for ; err == nil; err = run() {
					runs.Add(1)
				}
				refusals.Add(1)
				c.refused(err, "use wrapped memory that is closed meanwhile", backend.ErrClosed)
				c.ok(own.Sync(), "sync")
			})
		}
		for runs.Load() < 8 && refusals.Load() == 0 {
			runtime.Gosched()
		}
		c.ok(counts.view.Buffer.Close(), "close")
		c.kept(n, o, "a graph that is replayed")
		c.ok(g.Close(), "close")
		group.Wait()
		c.ok(s.Sync(), "sync")
		c.flush(n)
		c.released(o, "when no replay runs")
		c.that(valuesOf[int32](n.read(mine))[0] == items*runs.Load(), "%d runs count %d", runs.Load(),
			valuesOf[int32](n.read(mine))[0])
	}},
}

// shutWrapped closes wrapped buffers before the end of the case, twice.
func (c *check) shutWrapped(arrays ...array) {
	for _, a := range arrays {
		c.ok(a.view.Buffer.Close(), "close")
		c.ok(a.view.Buffer.Close(), "close again")
	}
}

// flush closes some buffer: a device may give memory back when something is next closed.
func (c *check) flush(n *neighbour) {
	b, err := c.device.Wrap(c.addressOf(n.ints(1, 0)), 4, nil)
	c.ok(err, "wrap")
	c.ok(b.Close(), "close")
}
