package noop

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/kernel"
)

// Report says what a device was asked to do since it was opened. Counts saturate at the largest int64.
type Report struct {
	Kernels      []Kernel  // by name
	Copies       Transfers // on the device
	Fills        Transfers //
	Uploads      Transfers //
	Downloads    Transfers //
	Conditionals int64     // reached
	Loops        []Loop    // by limit
	Replays      int64     // of graphs, including those inside other graphs
	Device       Memory    // of device buffers
	Host         Memory    // of host buffers
}

// Memory counts bytes of buffers.
type Memory struct {
	Made int64 // total of all buffers ever allocated
	Open int64 // in use
	Peak int64 // maximum of Open
}

// Kernel counts the launches of one kernel.
type Kernel struct {
	Name      string
	Group     bool // a group kernel, whose items are groups
	Launches  int64
	Items     int64 // of all launches
	MostItems int32 // maximum of one launch
	// Iterations bounds the iterations of all loops of one lane in a launch, the maximum of all launches
	// (kernel.Def.Iterations); 0 if the kernel states no bound.
	Iterations int64
}

// Transfers counts one kind of transfer.
type Transfers struct{ Count, Bytes int64 }

// Loop counts the loops with one limit.
type Loop struct {
	Limit int32 // maximum number of iterations
	Count int64 // how often such a loop was reached
}

// Of returns the report of a device of this backend.
func Of(d backend.Device) (Report, error) {
	own, ok := d.(*device)
	if !ok || own == nil {
		return Report{}, &backend.ArgumentError{Op: "report", Argument: "device", Value: fmt.Sprintf("a %T", d),
			Allowed: "a device of the backend " + name}
	}
	r := own.report()
	m := &own.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Device, r.Host = m.device, m.host
	return r, nil
}

// report returns all counts except memory.
func (d *device) report() Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &d.total
	r := Report{Copies: t.transfers[backend.OperationCopy], Fills: t.transfers[backend.OperationFill],
		Uploads: t.transfers[backend.OperationUpload], Downloads: t.transfers[backend.OperationDownload],
		Conditionals: t.conditionals, Replays: t.replays}
	for _, k := range t.kernels {
		r.Kernels = append(r.Kernels, *k)
	}
	slices.SortFunc(r.Kernels, func(a, b Kernel) int { return cmp.Compare(a.Name, b.Name) })
	for _, limit := range slices.Sorted(maps.Keys(t.loops)) {
		r.Loops = append(r.Loops, Loop{Limit: limit, Count: t.loops[limit]})
	}
	return r
}

// counts is the sum of some operations.
type counts struct {
	kernels      map[*kernel.Def]*Kernel
	transfers    [backend.OperationDownload + 1]Transfers // by kind
	conditionals int64
	loops        map[int32]int64 // by limit
	replays      int64
	args         *kernel.Args // scratch of Iterations
}

// program adds a program that runs times times.
func (c *counts) program(p *recorder.Program, times int64) {
	for i := range p.Operations {
		c.operation(&p.Operations[i], times)
	}
}

// operation adds an operation that runs times times.
func (c *counts) operation(o *recorder.Operation, times int64) {
	switch o.Kind {
	case backend.OperationLaunch:
		k := c.kernel(o.Def)
		k.Launches = plus(k.Launches, 1, times)
		k.Items = plus(k.Items, int64(o.N), times)
		k.MostItems = max(k.MostItems, o.N)
		k.Iterations = max(k.Iterations, whole(o.Iterations(c.args)))
	case backend.OperationIf:
		c.conditionals = plus(c.conditionals, 1, times)
		c.program(o.Body, times)
	case backend.OperationRepeat:
		c.loop(o.N, times)
		c.program(o.Body, plus(0, int64(o.N), times))
	case backend.OperationReplay:
		c.work(o.Work, times)
	default:
		t := &c.transfers[o.Kind]
		t.Count = plus(t.Count, 1, times)
		t.Bytes = plus(t.Bytes, o.Spans[0].Bytes, times)
	}
}

// work adds a graph that runs times times, as Compile counted it.
func (c *counts) work(w *recorder.Work, times int64) {
	inner := &w.Executable.(*executable).counts
	for def, k := range inner.kernels {
		own := c.kernel(def)
		own.Launches = plus(own.Launches, k.Launches, times)
		own.Items = plus(own.Items, k.Items, times)
		own.MostItems = max(own.MostItems, k.MostItems)
		own.Iterations = max(own.Iterations, k.Iterations)
	}
	for kind, t := range inner.transfers {
		own := &c.transfers[kind]
		own.Count = plus(own.Count, t.Count, times)
		own.Bytes = plus(own.Bytes, t.Bytes, times)
	}
	for limit, n := range inner.loops {
		c.loop(limit, plus(0, n, times))
	}
	c.conditionals = plus(c.conditionals, inner.conditionals, times)
	c.replays = plus(plus(c.replays, inner.replays, times), 1, times)
}

// kernel returns the entry of a kernel.
func (c *counts) kernel(def *kernel.Def) *Kernel {
	if c.kernels == nil {
		c.kernels = make(map[*kernel.Def]*Kernel)
	}
	k := c.kernels[def]
	if k == nil {
		k = &Kernel{Name: def.Name, Group: def.Group}
		c.kernels[def] = k
	}
	return k
}

// loop adds n loops of one limit.
func (c *counts) loop(limit int32, n int64) {
	if c.loops == nil {
		c.loops = make(map[int32]int64)
	}
	c.loops[limit] = plus(c.loops[limit], n, 1)
}

// whole rounds a bound up to an integer. NaN and numbers that are too large become the largest int64.
func whole(bound float64) int64 {
	if bound < math.MaxInt64 {
		return int64(math.Ceil(bound))
	}
	return math.MaxInt64
}

// plus returns sum + n*times, saturated at the largest int64. No argument is negative.
func plus(sum, n, times int64) int64 {
	high, low := bits.Mul64(uint64(n), uint64(times))
	total, carry := bits.Add64(uint64(sum), low, 0)
	if high != 0 || carry != 0 || total > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(total)
}
