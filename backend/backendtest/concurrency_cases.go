package backendtest

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend"
)

var concurrencyCases = []testCase{
	{"concurrency/streams", func(c *check) {
		const streams, rounds = 8, 30
		var group sync.WaitGroup
		arrays := make([]array, streams)
		for i := range arrays {
			arrays[i] = c.zeros(3000)
			s := c.stream()
			group.Go(func() {
				for term := range int32(rounds) {
					c.chain(s, arrays[i], term+int32(i))
				}
				c.ok(s.Sync(), "sync")
			})
		}
		group.Wait()
		for i, x := range arrays {
			want := int32(0)
			for term := range int32(rounds) {
				want = 3*want + term + int32(i)
			}
			for k, got := range c.ints(x) {
				if got != want {
					c.errorf("stream %d: element %d is %d, want %d", i, k, got, want)
					break
				}
			}
		}
	}},
	{"concurrency/one stream", func(c *check) {
		const callers, rounds = 8, 50
		s, x := c.stream(), c.zeros(5000)
		var group sync.WaitGroup
		for range callers {
			group.Go(func() {
				for range rounds {
					c.increment(s, x)
				}
			})
		}
		group.Wait()
		c.ok(s.Sync(), "sync")
		for i, got := range c.ints(x) {
			if got != callers*rounds {
				c.errorf("element %d is %d, want %d", i, got, callers*rounds)
				break
			}
		}
	}},
	{"concurrency/resources", func(c *check) {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 20 {
					b, err := c.device.Alloc(4096)
					c.ok(err, "allocate")
					s, err := c.device.NewStream()
					c.ok(err, "new stream")
					c.ok(s.Fill(backend.View{Buffer: b, Bytes: 4096}, 3), "fill")
					c.ok(s.Sync(), "sync")
					c.ok(s.Close(), "close")
					c.ok(b.Close(), "close")
				}
			})
		}
		group.Wait()
	}},
	{"concurrency/replays of one graph", func(c *check) {
		s, x := c.stream(), c.zeros(64)
		counts := c.zeros(3)
		g := c.capture(s, func() {
			c.ok(s.Launch(tallyDef, backend.Launch{N: 1000, Buffers: []backend.View{counts.view}}), "launch")
		})
		c.replay(s, g)
		var group sync.WaitGroup
		for range 4 {
			own := c.stream()
			group.Go(func() {
				for range 25 {
					c.replay(own, g)
				}
			})
		}
		group.Wait()
		c.that(c.ints(counts)[0] == 101_000, "101 replays of 1000 items count %d", c.ints(counts)[0])
		c.that(c.ints(x)[0] == 0, "a replay writes to memory that is not its own")
	}},
}
