// Package twin is what the instrumented twins of kernels run on.
//
// kernelgen writes a twin beside every kernel: the same computation, bit for bit, with every index and every integer
// division checked, with groups, threads and the items of each phase in a random order, and with an exact record of who
// touched which element. A twin stops at the first mistake and returns it as a *Finding that names the source line.
//
// The race check is exact for the launch that is run: it needs no unlucky order to see a race, since it compares who
// touched an element and not what came out. Within a group, two items of one phase race if both touch an element, unless
// both only read it or both apply the same atomic; phases are ordered by their barriers. Between groups, and between
// threads, the same holds over the whole launch.
//
// Nothing here is called by hand, apart from the twin itself through kernel.Def.
package twin

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/trackgen-go/trackgen/kernel"
)

// Run is one launch of a twin. It is used by one goroutine.
type Run struct {
	kernel string
	sites  []Site
	random *rand.Rand

	between string // what a launch counts: "groups" or "threads"
	unit    int32  // current group or thread
	item    int32  // current item of the phase, Unknown outside phases
	phase   uint32 // number of the current phase over the whole launch, from 1
	last    int32  // site checked last

	work *kernel.Work // nil if nobody wants to know

	lanes      int32   // of a group, 1 of a thread kernel; 0 if the kernel states no bound on its loop iterations
	bound      float64 // on the loop iterations of a lane
	iterations int64   // of the current group or thread; in a phase, of the current item
	rounds     []int64 // most iterations of an item, by the round of the lanes that has it
}

// Limit sets the bound on the iterations that all loops of one lane make together, and the lanes of a group.
func (r *Run) Limit(lanes int32, bound float64) { r.lanes, r.bound = lanes, bound }

// Iterate counts one iteration of a loop, or the test that ends a loop.
func (r *Run) Iterate() { r.iterations++ }

// New returns a run of the named kernel whose orders are drawn from seed. It adds what it does to args.Work.
func New(name string, sites []Site, args *kernel.Args, seed uint64) *Run {
	return &Run{kernel: name, sites: sites, random: rand.New(rand.NewPCG(seed, 0)), item: Unknown, work: args.Work}
}

// Count adds float32 operations to the work of the run.
func (r *Run) Count(operations int64) {
	if r.work != nil {
		r.work.Operations += operations
	}
}

// Groups runs a group kernel over n groups.
func (r *Run) Groups(n int32, body func(kernel.Group)) error {
	r.between = "groups"
	return r.launch(n, func(i int32) { body(kernel.Group{ID: i}) })
}

// Threads runs a thread kernel over n threads.
func (r *Run) Threads(n int32, body func(int32)) error {
	r.between = "threads"
	return r.launch(n, body)
}

func (r *Run) launch(n int32, body func(int32)) (err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case *Finding:
			err = cause
		case runtime.Error:
			err = r.finding(Fault, r.last, cause.Error())
		default:
			panic(cause)
		}
	}()
	for i := range r.shuffled(n) {
		r.unit, r.item, r.iterations = i, Unknown, 0
		body(i)
		if r.lanes > 0 && float64(r.iterations) > r.bound {
			return r.finding(TooManyIterations, r.last,
				fmt.Sprintf("%d, and the kernel states at most %g", r.iterations, r.bound))
		}
	}
	return nil
}

// Each yields the items of a phase in a random order.
func (r *Run) Each(n int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		r.phase++
		before := r.iterations
		r.beginRounds(n)
		for i := range r.shuffled(n) {
			r.item, r.iterations = i, 0
			if !yield(i) {
				break
			}
			r.endItem(i)
		}
		r.item = Unknown
		r.iterations = before + r.roundIterations()
	}
}

// beginRounds begins to count the iterations of a phase. Lanes take its items in rounds, and run side by side, so that
// a round takes as many iterations as its longest item.
func (r *Run) beginRounds(n int32) {
	r.rounds = r.rounds[:0]
	if r.lanes > 0 {
		count := int((int64(max(0, n)) + int64(r.lanes) - 1) / int64(r.lanes))
		r.rounds = slices.Grow(r.rounds, count)[:count]
		clear(r.rounds)
	}
}

func (r *Run) endItem(i int32) {
	if r.lanes > 0 {
		round := &r.rounds[i/r.lanes]
		*round = max(*round, 1+r.iterations)
	}
}

// roundIterations returns the iterations of a phase, with the test that ends it.
func (r *Run) roundIterations() int64 {
	total := int64(1)
	for _, n := range r.rounds {
		total += n
	}
	return total
}

// shuffled yields 0..n-1 in a random order that needs no memory: steps of a random length around a circle. Any two items
// come in either order for some seed, and the race check does not depend on the order.
func (r *Run) shuffled(n int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if n <= 0 {
			return
		}
		step := int64(1 + r.random.Int32N(n))
		for greatestDivisor(step, int64(n)) != 1 {
			step = int64(1 + r.random.Int32N(n))
		}
		for i, left := int64(r.random.Int32N(n)), n; left > 0; left-- {
			if !yield(int32(i)) {
				return
			}
			i = (i + step) % int64(n)
		}
	}
}

func greatestDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// site returns a site by number.
func (r *Run) site(number int32) Site {
	if number < 0 || int(number) >= len(r.sites) {
		return Site{}
	}
	return r.sites[number]
}

func (r *Run) finding(kind Kind, site int32, detail string) *Finding {
	return &Finding{Kind: kind, Kernel: r.kernel, Site: r.site(site), Group: r.unit, Item: r.item, Detail: detail}
}

// stop ends the run with a finding, which launch recovers.
func (r *Run) stop(f *Finding) { panic(f) }

// Index returns i if it is an index of an array of n elements.
func (r *Run) Index(i int32, n, site int32) int32 {
	r.last = site
	if i < 0 || i >= n {
		r.stop(r.finding(OutOfBounds, site, fmt.Sprintf("index %d, length %d", i, n)))
	}
	return i
}
