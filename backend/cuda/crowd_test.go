//go:build cgo && linux

package cuda

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// crowd is many goroutines that do random work on one device. Some of them own captures that the device records into.
type crowd struct {
	t      *testing.T
	e      *emulator.Emulator
	device *device
	closes bool // somebody closes the device meanwhile
	faults bool // calls of the driver fail
}

// check reports an unexpected error, and returns whether err is nil.
func (c *crowd) check(err error) bool {
	if err == nil {
		return true
	}
	gone := errors.Is(err, backend.ErrClosed) || errors.Is(err, backend.ErrLeak) || errors.Is(err, backend.ErrCapture)
	if !c.faults && (!c.closes || !gone) {
		c.t.Error(err)
	}
	return false
}

// closeAll closes in random order.
func (c *crowd) closeAll(r *rand.Rand, all ...interface{ Close() error }) {
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, one := range all {
		c.check(one.Close())
	}
}

// buffers makes three buffers. If it cannot, it reports the error and returns no views.
func (c *crowd) buffers(d *device) (views []backend.View, all []interface{ Close() error }) {
	for range 3 {
		b, err := d.Alloc(400)
		if !c.check(err) {
			return nil, all
		}
		views, all = append(views, backend.View{Buffer: b, Bytes: 400}), append(all, b)
	}
	return views, all
}

// emit emits random operations. Conditionals need a capture.
func (c *crowd) emit(r *rand.Rand, s backend.Stream, views []backend.View, g backend.Graph, capturing bool,
	depth int) error {
	for range 1 + r.IntN(5) {
		x, y := views[r.IntN(len(views))], views[r.IntN(len(views))]
		flag := backend.View{Buffer: x.Buffer, Offset: 4 * int64(r.IntN(100)), Bytes: 4}
		inside := func(in backend.Stream) error { return c.emit(r, in, views, g, true, depth+1) }
		var err error
		switch kind := r.IntN(7); {
		case kind == 0:
			err = s.Fill(x, uint32(r.IntN(3)))
		case kind == 1 && x.Buffer != y.Buffer:
			err = s.Copy(x, y)
		case kind == 2 && capturing && depth < 3:
			err = s.If(flag, inside)
		case kind == 3 && capturing && depth < 3:
			err = s.(*recorder.Adoptable).Repeat(flag, int32(1+r.IntN(3)), inside)
		case kind == 4 && capturing:
			err = s.(*recorder.Adoptable).Anchor(new(int))
		case kind == 5 && g != nil:
			err = s.Replay(g)
		default:
			err = increment(s, x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// graph records a graph of our own.
func (c *crowd) graph(r *rand.Rand, s backend.Stream, views []backend.View) backend.Graph {
	if !c.check(s.BeginCapture()) {
		return nil
	}
	whole := c.check(c.emit(r, s, views, nil, true, 0))
	g, err := s.EndCapture()
	if !c.check(err) {
		return nil
	}
	if !whole {
		c.check(g.Close())
		return nil
	}
	return g
}

// ours does random work without a capture of somebody else.
func (c *crowd) ours(r *rand.Rand) {
	s, err := c.device.NewStream()
	if !c.check(err) {
		return
	}
	views, all := c.buffers(c.device)
	if views != nil {
		c.check(c.emit(r, s, views, nil, false, 0))
		if g := c.graph(r, s, views); g != nil {
			all = append(all, g)
			c.check(c.emit(r, s, views, g, false, 0))
		}
	}
	c.closeAll(r, append(all, s)...)
}

// guestOfCrowd is a device that takes part in a capture through an adopted stream.
type guestOfCrowd struct {
	device *device
	stream backend.Stream
	views  []backend.View
	graph  backend.Graph
	all    []interface{ Close() error }
}

func (c *crowd) guest(r *rand.Rand, d *device, handle uint64) *guestOfCrowd {
	s, err := d.AdoptStream(uintptr(handle))
	if !c.check(err) {
		if d != c.device {
			c.check(d.Close())
		}
		return nil
	}
	g := &guestOfCrowd{device: d, stream: s}
	g.views, g.all = c.buffers(d)
	if g.views != nil {
		if g.graph = c.graph(r, s, g.views); g.graph != nil {
			g.all = append(g.all, g.graph)
		}
	}
	g.all = append(g.all, s)
	return g
}

func (c *crowd) leaves(r *rand.Rand, g *guestOfCrowd) {
	c.closeAll(r, g.all...)
	if g.device != c.device {
		c.check(g.device.Close())
	}
}

// theirs is an owner who captures on a stream of their own, in a random mode and with a fork. One or two devices record
// into the capture, and some leave before it ends. The capture must be intact at the end.
func (c *crowd) theirs(r *rand.Rand) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	o := &owner{t: c.t, e: c.e, cell: emulator.NewCell(c.t)}
	o.must("cuDevicePrimaryCtxRetain", o.out(), 0)
	defer o.must("cuDevicePrimaryCtxRelease", 0)
	o.must("cuCtxSetCurrent", o.result())
	defer o.must("cuCtxSetCurrent", 0)
	var handles [4]uint64
	for i, name := range []string{"cuStreamCreate", "cuStreamCreate", "cuEventCreate", "cuEventCreate"} {
		o.must(name, o.out(), uint64(1+i/2))
		handles[i] = o.result()
	}
	main, side, fork, join := handles[0], handles[1], handles[2], handles[3]
	devices := []*device{c.device}
	if r.IntN(2) == 0 {
		if own, err := backend.Open("cuda:0"); c.check(err) {
			devices = append(devices, own.(*device))
		}
	}
	var guests []*guestOfCrowd
	for _, d := range devices {
		if g := c.guest(r, d, main); g != nil {
			guests = append(guests, g)
		}
	}

	o.must("cuStreamBeginCapture", main, uint64(r.IntN(3)))
	_, before := o.info(main)
	o.must("cuEventRecord", fork, main)
	o.must("cuStreamWaitEvent", side, fork, 0)
	whole := true
	for range r.IntN(5) {
		if len(guests) == 0 {
			break
		}
		i := r.IntN(len(guests))
		if g := guests[i]; g.views != nil {
			whole = c.check(c.emit(r, g.stream, g.views, g.graph, true, 0)) && whole
		}
		if r.IntN(4) == 0 {
			c.leaves(r, guests[i])
			guests = append(guests[:i], guests[i+1:]...)
		}
	}
	status, after := o.info(main)
	if status != 1 || after != before {
		c.t.Errorf("the capture is %d with status %d, was %d", after, status, before)
		return
	}
	o.must("cuEventRecord", join, side)
	o.must("cuStreamWaitEvent", main, join, 0)
	if whole {
		graph, exec := o.end(main)
		for _, g := range guests {
			c.leaves(r, g)
		}
		guests = nil
		o.must("cuGraphLaunch", exec, main)
		o.must("cuGraphDestroy", graph)
		o.must("cuGraphLaunch", exec, main)
		o.must("cuGraphExecDestroy", exec)
	} else { // a part of an operation is missing, so the graph must not be run
		o.must("cuStreamEndCapture", main, o.out())
		o.must("cuGraphDestroy", o.result())
	}
	for _, g := range guests {
		c.leaves(r, g)
	}
	o.cell.Set(8, modeRelaxed)
	o.must("cuThreadExchangeStreamCaptureMode", o.cell.Address(8))
	o.must("cuStreamSynchronize", main)
	o.must("cuThreadExchangeStreamCaptureMode", o.cell.Address(8))
	o.must("cuStreamDestroy", main)
	o.must("cuStreamDestroy", side)
	o.must("cuEventDestroy", fork)
	o.must("cuEventDestroy", join)
}

// fail makes random calls fail until stop is closed.
func (c *crowd) fail(r *rand.Rand, stop <-chan struct{}) {
	codes := []int{999, codeOutOfMemory, codeInvalidValue, codeInvalidHandle, codeNotSupported, 900}
	for {
		select {
		case <-stop:
			c.e.FailAt(-1, 0)
			return
		case <-time.After(time.Duration(r.IntN(1000)) * time.Microsecond):
			c.e.FailAt(r.IntN(200), codes[r.IntN(len(codes))])
		}
	}
}

// Many goroutines do random work at once, with and without failing calls, and with and without a device that is closed
// meanwhile, while the garbage collector runs often. In every case, captures of somebody else stay active and
// unchanged, no rule of the driver is broken, and nothing is left at the end.
func TestCrowd(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	for round := range uint64(12) {
		c := &crowd{t: t, e: start(t, versions[1+round%3], round), closes: round%2 == 1, faults: round%4 >= 2}
		c.device = openDevice(t)
		require.NoError(t, c.device.Load(incrementDef))
		stop := make(chan struct{})
		var work, failing sync.WaitGroup
		for i := range uint64(6) {
			r := rand.New(rand.NewPCG(round, i))
			work.Go(func() {
				for range 8 {
					if i%2 == 0 {
						c.theirs(r)
					} else {
						c.ours(r)
					}
				}
			})
		}
		if c.faults {
			failing.Go(func() { c.fail(rand.New(rand.NewPCG(round, 100)), stop) })
		}
		if c.closes {
			time.Sleep(5 * time.Millisecond)
			c.check(c.device.Close())
		}
		work.Wait()
		close(stop)
		failing.Wait()
		c.check(c.device.Close())
		reap()
		orphans.sweep()
		require.Empty(t, c.e.Live(), "round %d", round)
		require.Empty(t, c.e.Complaint(), "round %d", round)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}
