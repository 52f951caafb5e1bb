package exectest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
)

// checkStaticNoActive requires that a STATIC stage emits a fixed list of launches and no loop that may end early (R39).
func checkStaticNoActive(k *kit, d *Device) error {
	return k.with(d, func(i *instance) error {
		first, err := i.recorded(func() error { return i.generate(k.ctx) })
		if err != nil {
			return err
		}
		if err := i.seed.Write(k.ctx, k.otherSeeds()); err != nil {
			return err
		}
		second, err := i.recorded(func() error { return i.generate(k.ctx) })
		if err != nil {
			return err
		}
		if len(first.flags) > 0 {
			return errors.New("a STATIC stage has a loop that may end early: declare it BOUNDED")
		}
		return sameOperations(first.emitted(), second.emitted(), "a STATIC stage must emit one list of work, but")
	})
}

// sameOperations returns an error that describes the first difference between two lists of operations.
func sameOperations(a, b []operation, how string) error {
	for n := range min(len(a), len(b)) {
		if a[n].String() != b[n].String() {
			return fmt.Errorf("%s: operation %d is %s in one generation and %s in the other", how, n, a[n], b[n])
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf("%s: %d operations in one generation, %d in the other", how, len(a), len(b))
	}
	return nil
}

// checkNoSync requires that a STATIC or BOUNDED stage neither waits nor reads back.
func checkNoSync(k *kit, d *Device) error {
	return k.guarded(d, NoHostSync(d, Options{Recording: true}))
}

// checkHostSanctioned requires that a HOST stage waits and copies only through its HostOps (R126).
func checkHostSanctioned(k *kit, d *Device) error {
	return k.guarded(d, NoHostSync(d, Options{Recording: true}))
}

// guarded runs a generation under a guard and returns the violations.
func (k *kit) guarded(d *Device, g *Guard) error {
	return k.with(d, func(i *instance) error {
		if err := i.generate(k.ctx); err != nil {
			return err
		}
		if err := g.Do(k.ctx, i.emit); err != nil {
			return err
		}
		var found []error
		for _, v := range g.Violations() {
			found = append(found, v)
		}
		return errors.Join(append(found, i.stream.Sync())...)
	})
}

// checkContextOnly requires that the stage emits only through the context that it receives (R136): not through one that
// it kept, and not on a stream that it got from the device.
func checkContextOnly(k *kit, d *Device) error {
	return k.with(d, func(i *instance) error {
		var found []error
		for range 2 {
			// Each generation uses another stream, so that a context kept from the previous one is on the wrong stream.
			stream, err := d.NewStream()
			if err != nil {
				return err
			}
			i.closers = append(i.closers, stream)
			i.stream = stream
			r, err := i.recorded(func() error { return i.emit(k.ctx) })
			found = append(found, err, i.stream.Sync())
			for _, text := range r.astray {
				found = append(found, errors.New(text))
			}
		}
		return errors.Join(found...)
	})
}

// checkNoAllocation requires that a generation allocates nothing on the device nor, if the backend allows counting, on
// the Go heap (R20).
func checkNoAllocation(k *kit, d *Device) error {
	if err := k.guarded(d, NoAllocation(d, Options{Recording: true})); err != nil {
		return err
	}
	if !d.Caps().CheapHostPoll {
		return nil // the driver itself may allocate on the Go heap
	}
	return k.with(d.Device, func(i *instance) error {
		lc, err := exec.For(k.ctx, i.device, exec.OnStream(i.stream))
		if err != nil {
			return err
		}
		least := HeapAllocations(5, func() { i.slot.Run(lc, i.enqueue) })
		if err := lc.Err(); err != nil {
			return err
		}
		if least > 0 {
			return fmt.Errorf("a generation makes %.0f allocations on the Go heap: make closures and slices in Build", least)
		}
		return nil
	})
}

// HeapAllocations returns how many objects a call of fn allocates on the Go heap, averaged over runs calls after one
// warm-up call. It counts three times and returns the minimum, because a garbage collection can force a pooled object
// to be allocated again. Like testing.AllocsPerRun, it cannot be used in a parallel test.
func HeapAllocations(runs int, fn func()) float64 {
	least := testing.AllocsPerRun(runs, fn)
	for range 2 {
		least = min(least, testing.AllocsPerRun(runs, fn))
	}
	return least
}

// otherSeeds returns seeds that differ in every env.
func (k *kit) otherSeeds() []int32 {
	other := slices.Clone(k.seeds)
	for i := range other {
		other[i] += 7919
	}
	return other
}

// checkSeeds requires that a generation depends on the effective seeds in device memory at that time, and on nothing
// that earlier generations left behind (R107, R110).
func checkSeeds(k *kit, d *Device) error {
	var want, others snapshot
	err := k.with(d, func(i *instance) (err error) {
		if err = i.generate(k.ctx); err != nil {
			return err
		}
		if want, err = i.snapshot(); err != nil {
			return err
		}
		if err = i.generate(k.ctx); err != nil {
			return err
		}
		again, err := i.snapshot()
		if err != nil {
			return err
		}
		if err := again.equal(want, "a second generation with the same seeds"); err != nil {
			return err
		}
		if err = errors.Join(i.seed.Write(k.ctx, k.otherSeeds()), i.generate(k.ctx)); err != nil {
			return err
		}
		others, err = i.snapshot()
		return err
	})
	if err != nil {
		return err
	}
	return k.with(d, func(i *instance) error {
		if err := errors.Join(i.seed.Write(k.ctx, k.otherSeeds()), i.generate(k.ctx)); err != nil {
			return err
		}
		got, err := i.snapshot()
		if err != nil {
			return err
		}
		if err := got.equal(others, "the same seeds without an earlier generation"); err != nil {
			return err
		}
		if err := errors.Join(i.seed.Write(k.ctx, k.seeds), i.generate(k.ctx)); err != nil {
			return err
		}
		if got, err = i.snapshot(); err != nil {
			return err
		}
		return got.equal(want, "a generation after one with other seeds")
	})
}

// checkMaskedNoop requires that a generation in which an env keeps its effective seed does not change a bit of that env
// (R109), so that regenerating other envs does not affect it.
func checkMaskedNoop(k *kit, d *Device) error {
	return k.with(d, func(i *instance) error {
		if err := i.generate(k.ctx); err != nil {
			return err
		}
		before, err := i.snapshot()
		if err != nil {
			return err
		}
		seeds := slices.Clone(k.seeds)
		seeds[0] += 7919
		if err := errors.Join(i.seed.Write(k.ctx, seeds), i.generate(k.ctx)); err != nil {
			return err
		}
		after, err := i.snapshot()
		if err != nil {
			return err
		}
		for n, r := range i.results() {
			if r.bytesPerEnv == 0 {
				continue
			}
			if at, differs := difference(after[n][r.bytesPerEnv:], before[n][r.bytesPerEnv:]); differs {
				return fmt.Errorf("another seed of env 0 changes env %d of result %d", 1+int64(at)/r.bytesPerEnv, n)
			}
		}
		return nil
	})
}

// checkAbsorbing requires that a loop that may end early gives the same bits no matter where it ends (R38).
func checkAbsorbing(k *kit, d *Device) error {
	var want snapshot
	var flags int
	early := under(k.ctx, seam.Test{Lowering: seam.HostPoll})
	err := k.with(d, func(i *instance) error {
		r, err := i.recorded(func() error { return i.generate(early) })
		if err != nil {
			return err
		}
		if want, err = i.snapshot(); err != nil {
			return err
		}
		flags = len(r.flags)
		for _, value := range []uint32{1, 0} { // the stage's device work must set its flag in every generation
			if err := errors.Join(i.poison(r.flags, value), i.generate(early)); err != nil {
				return err
			}
			got, err := i.snapshot()
			if err != nil {
				return err
			}
			if err := got.equal(want, fmt.Sprintf("the flag was %d before the generation, which must set it",
				value)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || flags == 0 {
		return err
	}
	var found []error
	found = append(found, k.traced(d))
	for _, way := range []struct {
		how  string
		test seam.Test
	}{
		{"with all iterations instead of an early end", seam.Test{Lowering: seam.All}},
		{"with a check before every iteration", seam.Test{Lowering: seam.HostPoll, CheckEvery: 1}},
		{"with a check before every second iteration", seam.Test{Lowering: seam.HostPoll, CheckEvery: 2}},
		{"with a check before every seventh iteration", seam.Test{Lowering: seam.HostPoll, CheckEvery: 7}},
	} {
		found = append(found, k.with(d, func(i *instance) error {
			if err := i.generate(under(k.ctx, way.test)); err != nil {
				return err
			}
			got, err := i.snapshot()
			if err != nil {
				return err
			}
			return got.equal(want, way.how)
		}))
	}
	return errors.Join(found...)
}

// traced runs the iterations after the flag first read zero one by one and requires that none changes a bit.
func (k *kit) traced(d *Device) error {
	return k.with(d, func(i *instance) error {
		var found error
		var atStop snapshot // when the flag of the loop first read zero
		look := func(iteration, n int, active bool) {
			if found != nil {
				return
			}
			switch now, err := i.snapshot(); {
			case err != nil:
				found = err
			case atStop == nil && !active:
				atStop = now
			case atStop != nil && active:
				found = fmt.Errorf("the flag is set again before iteration %d, after it read zero", iteration)
			case atStop != nil:
				found = now.equal(atStop, fmt.Sprintf("iteration %d, after the flag read zero", iteration-1))
			}
			if iteration == n {
				atStop = nil // the next loop of the stage
			}
		}
		err := i.generate(under(k.ctx, seam.Test{Lowering: seam.Trace, Iteration: look}))
		return errors.Join(err, found)
	})
}

// bodyOperations are the operations that the body of a device conditional may contain (R40).
var bodyOperations = []string{"Launch", "Copy", "Fill", "If", "Repeat"}

// checkLowering records every window as a device conditional, which may contain only launches, fills and copies on the
// device (R40), and requires the results of an eager generation.
func checkLowering(k *kit, d *Device) error {
	want, err := k.eager(d)
	if err != nil {
		return err
	}
	return k.with(d, func(i *instance) error {
		var graph backend.Graph
		r, err := i.recorded(func() (err error) {
			graph, err = i.capture(under(k.ctx, seam.Test{Lowering: seam.Conditional}))
			return err
		})
		var found []error
		for _, o := range r.operations {
			if o.depth > 0 && !slices.Contains(bodyOperations, o.api) {
				found = append(found, fmt.Errorf("the body of a conditional contains %s; allowed: launches, fills and copies on "+
					"the device", o))
			}
		}
		if err != nil || len(found) > 0 {
			return errors.Join(append(found, err)...)
		}
		i.closers = append(i.closers, graph)
		if err := i.replay(graph); err != nil {
			return err
		}
		got, err := i.snapshot()
		if err != nil {
			return err
		}
		return got.equal(want, "with every window under a device conditional")
	})
}

// eager returns the results of one eager generation.
func (k *kit) eager(d *Device) (want snapshot, err error) {
	err = k.with(d, func(i *instance) error {
		if err := i.generate(k.ctx); err != nil {
			return err
		}
		want, err = i.snapshot()
		return err
	})
	return want, err
}

// checkRecordTwice requires that recording executes no work, that two recordings contain the same operations as an
// eager generation, and that their replays give the same results.
func checkRecordTwice(k *kit, d *Device) error {
	ctx := exec.Unconditional(k.ctx, true)
	return k.with(d, func(i *instance) error {
		before, err := i.snapshot()
		if err != nil {
			return err
		}
		var graphs [2]backend.Graph
		var lists [2][]operation
		for n := range graphs {
			r, err := i.recorded(func() (err error) {
				graphs[n], err = i.capture(ctx)
				return err
			})
			if err != nil {
				return err
			}
			i.closers = append(i.closers, graphs[n])
			lists[n] = r.emitted()
		}
		after, err := i.snapshot()
		if err != nil {
			return err
		}
		if err := after.equal(before, "recording changed memory"); err != nil {
			return err
		}
		if err := sameOperations(lists[0], lists[1], "the second recording differs"); err != nil {
			return err
		}
		if graphs[0].Nodes() != graphs[1].Nodes() {
			return fmt.Errorf("the first recording has %d nodes, the second %d", graphs[0].Nodes(), graphs[1].Nodes())
		}
		eager, err := i.recorded(func() error { return i.generate(under(ctx, seam.Test{Lowering: seam.All})) })
		if err != nil {
			return err
		}
		if err := sameOperations(lists[0], eager.emitted(), "a recording and an eager generation differ"); err != nil {
			return err
		}
		want, err := i.snapshot()
		if err != nil {
			return err
		}
		for n, graph := range graphs {
			if err := i.replay(graph); err != nil {
				return err
			}
			got, err := i.snapshot()
			if err != nil {
				return err
			}
			if err := got.equal(want, fmt.Sprintf("the replay of recording %d", n+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

// emitted returns the device work without the calls that begin and end a capture or wait.
func (r *recorder) emitted() []operation {
	var list []operation
	for _, o := range r.operations {
		if slices.Contains(bodyOperations, o.api) {
			list = append(list, o)
		}
	}
	return list
}

// checkReplay requires that two consecutive replays give the results of an eager generation.
func checkReplay(k *kit, d *Device) error {
	want, err := k.eager(d)
	if err != nil {
		return err
	}
	return k.recordedAs(d, want, "", false)
}

// checkUnconditional requires that a recording without device conditionals gives the same results as one with them.
func checkUnconditional(k *kit, d *Device) error {
	var want snapshot
	err := k.with(d, func(i *instance) error {
		graph, err := i.capture(k.ctx)
		if err != nil {
			return err
		}
		i.closers = append(i.closers, graph)
		if err := i.replay(graph); err != nil {
			return err
		}
		want, err = i.snapshot()
		return err
	})
	if err != nil {
		return err
	}
	return k.recordedAs(d, want, " without conditionals", true)
}

// recordedAs requires that two replays of a recording each give the results want.
func (k *kit) recordedAs(d *Device, want snapshot, kind string, unconditional bool) error {
	return k.with(d, func(i *instance) error {
		graph, err := i.capture(exec.Unconditional(k.ctx, unconditional))
		if err != nil {
			return err
		}
		i.closers = append(i.closers, graph)
		for n := range 2 {
			if err := i.replay(graph); err != nil {
				return err
			}
			got, err := i.snapshot()
			if err != nil {
				return err
			}
			if err := got.equal(want, fmt.Sprintf("replay %d of a recording%s", n+1, kind)); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkParity requires that the device gives the same bits as the first device.
func checkParity(k *kit, d *Device) error {
	if d == k.devices[0] {
		return nil
	}
	want, err := k.eager(k.devices[0])
	if err != nil {
		return err
	}
	got, err := k.eager(d)
	if err != nil {
		return err
	}
	return got.equal(want, strings.Join([]string{"compared with", k.devices[0].Info().Name}, " "))
}
