//go:build cgo && linux

package emulator_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// Capture modes of the driver.
const (
	global      = 0
	threadLocal = 1
	relaxed     = 2
)

// driver is the emulator with everything that a test of its rules needs: a context, memory and a module.
type driver struct {
	t      testing.TB
	e      *emulator.Emulator
	cell   emulator.Cell
	memory uint64 // 64 bytes
}

func open(t testing.TB, version int) *driver {
	runtime.LockOSThread()
	d := &driver{t: t, e: emulator.Start(t, version, 1), cell: emulator.NewCell(t)}
	d.is(0, "cuInit", 0)
	d.is(201, "cuMemAlloc", d.out(), 64) // no context is current on this thread
	d.is(0, "cuDevicePrimaryCtxRetain", d.out(), 0)
	d.is(0, "cuCtxSetCurrent", d.result())
	d.memory = d.made("cuMemAlloc", d.out(), 64)
	t.Cleanup(runtime.UnlockOSThread)
	return d
}

func (d *driver) out() uint64    { return d.cell.Address(0) }
func (d *driver) result() uint64 { return d.cell.Word(0) }

// is calls a function, which must return the given code.
func (d *driver) is(code int, name string, arguments ...uint64) {
	d.t.Helper()
	require.Equal(d.t, code, d.e.Call(name, arguments...), name)
}

// made calls a function that makes something, and returns what it made.
func (d *driver) made(name string, arguments ...uint64) uint64 {
	d.t.Helper()
	d.is(0, name, arguments...)
	return d.result()
}

func (d *driver) stream(flags uint64) uint64 { return d.made("cuStreamCreate", d.out(), flags) }
func (d *driver) event() uint64              { return d.made("cuEventCreate", d.out(), 0) }

// capturing returns a stream, made with flags, that is capturing in the given mode.
func (d *driver) capturing(mode, flags uint64) uint64 {
	s := d.stream(flags)
	d.is(0, "cuStreamBeginCapture", s, mode)
	return s
}

func (d *driver) fill(code int, s uint64) {
	d.t.Helper()
	d.is(code, "cuMemsetD32Async", d.memory, 7, 16, s)
}

// status returns the state of the capture of a stream: 0 none, 1 active, 2 invalidated.
func (d *driver) status(s uint64) int {
	d.is(0, "cuStreamIsCapturing", s, d.out())
	return int(int32(d.result()))
}

// broken ends a capture that must have been invalidated.
func (d *driver) broken(s uint64) {
	d.t.Helper()
	require.Equal(d.t, 2, d.status(s))
	d.fill(901, s)
	d.is(901, "cuStreamEndCapture", s, d.out())
	require.Zero(d.t, d.result(), "the graph of a broken capture")
	require.Zero(d.t, d.status(s))
}

// ends ends a capture that must be valid, and returns its graph.
func (d *driver) ends(s uint64) uint64 {
	d.t.Helper()
	return d.made("cuStreamEndCapture", s, d.out())
}

// info asks for the capture of a stream. Word 2 of the cell receives its identity, word 3 its graph, word 4 the address
// of the nodes that the next one depends on, and word 6 their number.
func (d *driver) info(s uint64) {
	d.t.Helper()
	a := d.cell.Address
	d.is(0, "cuStreamGetCaptureInfo", s, a(1), a(2), a(3), a(4), a(5), a(6))
}

// graphOf returns the graph that is being captured on a stream.
func (d *driver) graphOf(s uint64) uint64 {
	d.t.Helper()
	d.info(s)
	return d.cell.Word(3)
}

// identity returns the identity of the capture of a stream.
func (d *driver) identity(s uint64) uint64 {
	d.info(s)
	return d.cell.Word(2)
}

// after returns the nodes that the next one of a stream depends on. Only the first of them is filled in.
func (d *driver) after(s uint64) []uint64 {
	d.info(s)
	nodes := make([]uint64, d.cell.Word(6))
	if len(nodes) > 0 {
		nodes[0] = d.cell.Follow(4)
	}
	return nodes
}

// frontier returns the address of the only node that the next one of a stream depends on.
func (d *driver) frontier(s uint64) uint64 {
	d.t.Helper()
	nodes := d.after(s)
	require.Len(d.t, nodes, 1)
	cell := emulator.NewCell(d.t)
	cell.Set(0, nodes[0])
	return cell.Address(0)
}

// toGraph begins a capture into a graph.
func (d *driver) toGraph(code int, s, graph uint64) {
	d.t.Helper()
	d.is(code, "cuStreamBeginCaptureToGraph", s, graph, 0, 0, 0, relaxed)
}

func (d *driver) instantiate(code int, graph uint64) (exec uint64, result int) {
	d.t.Helper()
	d.cell.Set(7, 0)
	d.is(code, "cuGraphInstantiateWithParams", d.out(), graph, d.cell.Address(4))
	return d.result(), int(int32(d.cell.Word(7)))
}

// The rules of the driver that this module depends on, with the codes of a real driver.
var misuse = []struct {
	name string
	run  func(d *driver)
}{
	{"unsafe calls in global mode, from any thread", func(d *driver) {
		for _, call := range []func() int{
			func() int { return d.e.Call("cuMemAlloc", d.out(), 64) },
			func() int { return d.e.Call("cuMemHostAlloc", d.out(), 64, 1) },
			func() int { return d.e.Call("cuCtxSynchronize") },
			func() int { return d.e.Call("cuMemFree", d.memory) },
			func() int { return d.e.Call("cuEventSynchronize", d.event()) },
		} {
			s := d.capturing(global, 1)
			require.Equal(d.t, 900, call())
			d.broken(s)
		}
		s := d.capturing(global, 1)
		codes := make(chan int)
		go func() {
			runtime.LockOSThread()
			cell := emulator.NewCell(d.t)
			d.e.Call("cuDevicePrimaryCtxRetain", cell.Address(0), 0)
			d.e.Call("cuCtxSetCurrent", cell.Word(0))
			codes <- d.e.Call("cuMemAlloc", cell.Address(1), 64)
		}()
		require.Equal(d.t, 900, <-codes)
		d.broken(s)
	}},
	{"unsafe calls in relaxed mode", func(d *driver) {
		s := d.capturing(relaxed, 1)
		d.is(0, "cuMemFree", d.made("cuMemAlloc", d.out(), 64))
		d.ends(s)
		s = d.capturing(global, 1)
		d.cell.Set(0, relaxed)
		d.is(0, "cuThreadExchangeStreamCaptureMode", d.out())
		require.Equal(d.t, uint64(global), d.result()&0xffffffff)
		d.is(0, "cuMemAlloc", d.cell.Address(1), 64)
		d.is(0, "cuMemFree", d.cell.Word(1))
		d.cell.Set(0, global)
		d.is(0, "cuThreadExchangeStreamCaptureMode", d.out())
		d.ends(s)
	}},
	{"sync of a capturing stream", func(d *driver) {
		for _, mode := range []uint64{global, threadLocal, relaxed} {
			s := d.capturing(mode, 1)
			d.is(900, "cuStreamSynchronize", s)
			d.broken(s)
		}
	}},
	{"begin", func(d *driver) {
		d.is(900, "cuStreamBeginCapture", 0, global)
		s := d.capturing(global, 1)
		d.is(401, "cuStreamBeginCapture", s, global)
		d.ends(s)
		d.is(401, "cuStreamEndCapture", s, d.out())
		d.is(400, "cuStreamBeginCapture", 12345, global)
		d.is(401, "cuStreamUpdateCaptureDependencies", s, 0, 0, 0, 1)
	}},
	{"end on another stream or thread", func(d *driver) {
		s, side, fork := d.capturing(global, 1), d.stream(1), d.event()
		d.is(0, "cuEventRecord", fork, s)
		d.is(0, "cuStreamWaitEvent", side, fork, 0)
		d.is(903, "cuStreamEndCapture", side, d.out())
		d.broken(s)
		for mode, want := range map[uint64]int{global: 908, relaxed: 0} {
			s = d.capturing(mode, 1)
			codes := make(chan int)
			go func() {
				runtime.LockOSThread()
				cell := emulator.NewCell(d.t)
				d.e.Call("cuDevicePrimaryCtxRetain", cell.Address(0), 0)
				d.e.Call("cuCtxSetCurrent", cell.Word(0))
				codes <- d.e.Call("cuStreamEndCapture", s, cell.Address(1))
			}()
			require.Equal(d.t, want, <-codes)
		}
	}},
	{"forks", func(d *driver) {
		s, side, fork := d.capturing(global, 1), d.stream(1), d.event()
		d.fill(0, s)
		d.is(0, "cuEventRecord", fork, s)
		d.is(0, "cuStreamWaitEvent", side, fork, 0)
		d.fill(0, side)
		d.is(904, "cuStreamEndCapture", s, d.out())
		require.Zero(d.t, d.result())
		require.Zero(d.t, d.status(side), "the joined stream is free")
	}},
	{"events of another capture and from outside", func(d *driver) {
		a, b, event, outside := d.capturing(global, 1), d.capturing(global, 1), d.event(), d.event()
		d.is(0, "cuStreamWaitEvent", a, outside, 0) // never recorded
		d.is(0, "cuEventRecord", event, a)
		d.is(902, "cuStreamWaitEvent", b, event, 0)
		d.broken(b)
		require.Equal(d.t, 1, d.status(a), "the other capture survives")
		d.is(0, "cuEventRecord", outside, d.stream(1))
		d.is(905, "cuStreamWaitEvent", a, outside, 0)
		d.broken(a)
		relaxing := d.capturing(relaxed, 1)
		d.is(0, "cuEventRecord", event, relaxing)
		d.is(907, "cuEventQuery", event)
		d.is(901, "cuStreamEndCapture", relaxing, d.out())
	}},
	{"the legacy stream", func(d *driver) {
		s := d.capturing(global, 0)
		d.is(906, "cuStreamIsCapturing", 0, d.out())
		require.Equal(d.t, 1, d.status(s))
		d.fill(906, 0)
		d.broken(s)
		s = d.capturing(global, 1)
		d.fill(0, 0) // runs without an error and is not recorded
		require.Contains(d.t, d.e.Complaint(), "legacy stream")
		d.ends(s)
	}},
	{"graphs that are being captured", func(d *driver) {
		s := d.capturing(global, 1)
		graph := d.graphOf(s)
		d.is(401, "cuGraphDestroy", graph)
		_, _ = d.instantiate(1, graph)
		require.Equal(d.t, 1, d.status(s))
		d.is(0, "cuGraphDestroy", d.ends(s))
	}},
	{"memory", func(d *driver) {
		s := d.stream(1)
		d.is(1, "cuMemFree", d.memory+4)
		d.is(1, "cuMemsetD32Async", d.memory+4, 0, 16, s)
		d.is(1, "cuMemcpyDtoDAsync", d.memory, d.memory+32, 33, s)
		d.e.Complaint()
		d.is(1, "cuMemcpyHtoDAsync", d.memory, d.cell.Address(0), 8, s)
		require.Contains(d.t, d.e.Complaint(), "pageable")
		d.is(2, "cuMemAlloc", d.out(), 1<<50)
		d.is(1, "cuMemAlloc", d.out(), 0)
	}},
	{"memory freed before a replay", func(d *driver) {
		s := d.capturing(relaxed, 1)
		d.fill(0, s)
		exec, _ := d.instantiate(0, d.ends(s))
		d.is(0, "cuGraphLaunch", exec, s)
		d.is(0, "cuMemFree", d.memory)
		d.is(0, "cuGraphLaunch", exec, s)
		d.is(700, "cuStreamSynchronize", s)
		d.is(700, "cuMemAlloc", d.out(), 64)
		require.Contains(d.t, d.e.Complaint(), "outside live memory")
	}},
	{"captures into a body", func(d *driver) {
		s, inner := d.capturing(global, 1), d.stream(1)
		d.fill(0, s)
		body, _ := d.conditional(0, d.graphOf(s), 0, 1)
		d.toGraph(401, s, body) // the stream is capturing
		d.toGraph(900, 0, body)
		d.toGraph(400, 12345, body)
		d.toGraph(1, inner, 12345)
		d.is(1, "cuStreamBeginCaptureToGraph", inner, body, 0, 0, 0, 3)
		d.is(1, "cuStreamBeginCaptureToGraph", inner, body, d.frontier(s), 0, 1, relaxed) // node of another graph
		d.toGraph(0, inner, body)
		require.Equal(d.t, body, d.graphOf(inner))
		require.NotEqual(d.t, d.identity(s), d.identity(inner), "a body has an identity of its own")
		d.fill(0, inner)
		nested, _ := d.conditional(0, body, 1, 1) // a handle of the same root graph
		third := d.stream(1)
		d.toGraph(0, third, nested)
		d.fill(0, third)
		require.Equal(d.t, nested, d.ends(third))
		require.Equal(d.t, body, d.ends(inner))
		d.toGraph(0, inner, body) // a second capture adds to the body
		d.fill(0, inner)
		d.ends(inner)
		require.Equal(d.t, 1, d.status(s))
		exec, _ := d.instantiate(0, d.ends(s))
		require.NotZero(d.t, exec)
	}},
	{"a capture that ends before a body of it", func(d *driver) {
		s, inner := d.capturing(global, 1), d.stream(1)
		body, _ := d.conditional(0, d.graphOf(s), 0, 1)
		d.toGraph(0, inner, body)
		d.is(999, "cuStreamEndCapture", s, d.out())
		require.Contains(d.t, d.e.Complaint(), "was being captured")
	}},
	{"a body that is invalidated", func(d *driver) {
		s, inner := d.capturing(global, 1), d.stream(1)
		body, _ := d.conditional(0, d.graphOf(s), 0, 1)
		d.toGraph(0, inner, body)
		d.is(900, "cuStreamSynchronize", inner)
		d.broken(inner)
		require.Equal(d.t, 1, d.status(s))
		d.toGraph(1, inner, body) // the graph is gone
		d.is(999, "cuStreamEndCapture", s, d.out())
		require.Contains(d.t, d.e.Complaint(), "drivers crash")
	}},
	{"captures into a graph", func(d *driver) {
		graph, s := d.made("cuGraphCreate", d.out(), 0), d.stream(1)
		d.toGraph(0, s, graph)
		d.fill(0, s)
		d.is(401, "cuGraphDestroy", graph)
		_, _ = d.instantiate(1, graph)
		require.Equal(d.t, graph, d.ends(s))
		_, _ = d.instantiate(0, graph)
		d.toGraph(0, s, graph)
		d.is(900, "cuStreamSynchronize", s)
		d.broken(s)
		d.is(1, "cuGraphDestroy", graph)
		require.Contains(d.t, d.e.Complaint(), "drivers crash")
	}},
	{"events between a body and its parent", func(d *driver) {
		s, inner, event := d.capturing(global, 1), d.stream(1), d.event()
		d.is(0, "cuEventRecord", event, s)
		body, _ := d.conditional(0, d.graphOf(s), 0, 1)
		d.toGraph(0, inner, body)
		d.is(902, "cuStreamWaitEvent", inner, event, 0)
		d.broken(inner)
		require.Equal(d.t, 1, d.status(s))

		s, inner = d.capturing(global, 1), d.stream(1)
		body, _ = d.conditional(0, d.graphOf(s), 0, 1)
		d.toGraph(0, inner, body)
		d.is(0, "cuEventRecord", event, inner)
		d.is(902, "cuStreamWaitEvent", s, event, 0)
		d.fill(0, inner)
		d.ends(inner)
		d.broken(s)
	}},
	{"a fork in a body", func(d *driver) {
		s, inner, side, fork := d.capturing(global, 1), d.stream(1), d.stream(1), d.event()
		body, _ := d.conditional(0, d.graphOf(s), 0, 1)
		d.toGraph(0, inner, body)
		d.is(0, "cuEventRecord", fork, inner)
		d.is(0, "cuStreamWaitEvent", side, fork, 0)
		d.fill(0, side)
		d.is(904, "cuStreamEndCapture", inner, d.out())
		require.Zero(d.t, d.status(side), "the joined stream is free")
	}},
	{"dependencies of what comes next", func(d *driver) {
		s, other := d.capturing(global, 1), d.capturing(global, 1)
		d.fill(0, other)
		stranger := d.frontier(other)
		d.fill(0, s)
		first := d.frontier(s)
		d.is(1, "cuStreamUpdateCaptureDependencies", s, stranger, 0, 1, 1)
		d.is(1, "cuStreamUpdateCaptureDependencies", s, first, 0, 1, 2)
		d.is(0, "cuStreamUpdateCaptureDependencies", s, 0, 0, 0, 1)
		require.Empty(d.t, d.after(s), "none")
		d.fill(0, s)
		second := d.frontier(s)
		d.is(0, "cuStreamUpdateCaptureDependencies", s, first, 0, 1, 0)
		require.Len(d.t, d.after(s), 2, "one more")
		d.is(0, "cuStreamUpdateCaptureDependencies", s, first, 0, 1, 1)
		require.Len(d.t, d.after(s), 1, "no others")
		d.is(0, "cuStreamUpdateCaptureDependencies", s, second, 0, 1, 1)
		graph := d.ends(s) // the first node is no unjoined fork, although nothing depends on it
		exec, _ := d.instantiate(0, graph)
		require.NotZero(d.t, exec)
		d.ends(other)
	}},
	{"conditional handles", func(d *driver) {
		s := d.capturing(global, 1)
		graph := d.graphOf(s)
		d.is(0, "cuDevicePrimaryCtxRetain", d.out(), 0)
		context := d.result()
		d.is(1, "cuGraphConditionalHandleCreate", d.out(), graph, context, 0, 2)
		d.is(1, "cuGraphConditionalHandleCreate", d.out(), graph, 0, 0, 1)
		d.is(400, "cuGraphConditionalHandleCreate", d.out(), 12345, context, 0, 1)
		d.is(0, "cuGraphConditionalHandleCreate", d.out(), graph, context, 0, 1)
		_, result := d.instantiate(1, d.ends(s))
		require.Equal(d.t, 5, result, "an unused handle")
	}},
	{"user objects", func(d *driver) {
		d.is(1, "cuUserObjectCreate", d.out(), 0, 0, 1, 0)
		d.is(1, "cuUserObjectRelease", 12345, 1)
		d.is(1, "cuGraphRetainUserObject", 12345, 12345, 1, 1)
	}},
}

func TestMisuse(t *testing.T) {
	for _, version := range []int{12040, 12080, 13000} {
		for _, tc := range misuse {
			t.Run(fmt.Sprintf("%d %s", version, tc.name), func(t *testing.T) { tc.run(open(t, version)) })
		}
	}
}

// conditional adds a conditional node to a graph and returns its body.
func (d *driver) conditional(code int, graph uint64, kind, size uint32) (body, handle uint64) {
	d.t.Helper()
	d.is(0, "cuDevicePrimaryCtxRetain", d.out(), 0)
	context := d.result()
	d.is(0, "cuGraphConditionalHandleCreate", d.out(), graph, context, 0, 1)
	handle = d.result()
	block := emulator.NewCell(d.t)
	block.Set(0, 13)
	block.Set(2, handle)
	block.Set(3, uint64(kind)|uint64(size)<<32)
	block.Set(5, context)
	d.is(code, "cuGraphAddNode", d.out(), graph, 0, 0, 0, block.Address(0))
	if code != 0 {
		return 0, handle
	}
	return block.Follow(4), handle
}

// A body holds kernels, copies, fills and conditionals. Other nodes are accepted when they are added, and refused when
// the graph is instantiated.
func TestBodyKinds(t *testing.T) {
	d := open(t, 12080)
	for kind, code := range map[uint64]int{3: 1, 5: 0, 6: 1, 7: 1, 10: 1, 11: 1} {
		graph := d.made("cuGraphCreate", d.out(), 0)
		body, _ := d.conditional(0, graph, 0, 1)
		node := emulator.NewCell(t)
		node.Set(0, kind)
		d.is(0, "cuGraphAddNode", d.out(), body, 0, 0, 0, node.Address(0))
		_, _ = d.instantiate(code, graph)
	}
}

// Conditional nodes: the number of bodies by version, one use of each handle, one executable at a time, empty bodies.
func TestConditionalRules(t *testing.T) {
	for version, elseCode := range map[int]int{12040: 1, 12080: 1, 13000: 0} {
		d := open(t, version)
		graph := d.made("cuGraphCreate", d.out(), 0)
		body, _ := d.conditional(0, graph, 0, 1)
		require.NotZero(t, body)
		_, _ = d.instantiate(801, body)
		d.is(1, "cuGraphDestroy", body)
		if version < 12080 {
			_, _ = d.instantiate(999, graph)
			require.Contains(t, d.e.Complaint(), "empty body")
		} else {
			exec, _ := d.instantiate(0, graph)
			_, _ = d.instantiate(801, graph)
			s := d.capturing(global, 1)
			d.is(801, "cuGraphLaunch", exec, s)
			d.is(0, "cuGraphExecDestroy", exec)
			_, _ = d.instantiate(0, graph)
		}
		other := d.made("cuGraphCreate", d.out(), 0)
		d.conditional(1, other, 1, 2) // a WHILE has one body
		d.conditional(elseCode, d.made("cuGraphCreate", d.out(), 0), 0, 2)
		d.e.Complaint()
	}
}

// The driver describes every address inside an allocation, and gives null values for any other.
func TestPointerAttributes(t *testing.T) {
	d := open(t, 12080)
	const contextOf, kind, managed, ordinal, start, size, mapped = 1, 2, 8, 9, 11, 12, 13
	attributes, pointers, values := emulator.NewCell(t), emulator.NewCell(t), emulator.NewCell(t)
	asked := []uint64{contextOf, kind, managed, ordinal, start, size, mapped}
	for i, a := range asked {
		word := attributes.Word(i/2) | a<<(32*(i%2))
		attributes.Set(i/2, word)
		pointers.Set(i, values.Address(i))
	}
	of := func(address uint64) map[uint64]uint64 {
		found := make(map[uint64]uint64)
		for i := range asked {
			values.Set(i, 0)
		}
		d.is(0, "cuPointerGetAttributes", uint64(len(asked)), attributes.Address(0), pointers.Address(0), address)
		for i, a := range asked {
			found[a] = values.Word(i)
		}
		return found
	}
	inside := of(d.memory + 63)
	require.NotZero(t, inside[contextOf])
	delete(inside, contextOf)
	require.Equal(t, map[uint64]uint64{kind: 2, managed: 0, ordinal: 0, start: d.memory, size: 64, mapped: 1}, inside)
	for _, address := range []uint64{0, 16, d.memory - 1, d.memory + 64, 1 << 63} {
		outside := of(address)
		require.Equal(t, uint64(1<<32-2), outside[ordinal])
		delete(outside, ordinal)
		require.Equal(t, map[uint64]uint64{contextOf: 0, kind: 0, managed: 0, start: 0, size: 0, mapped: 0}, outside)
	}
	host := d.made("cuMemHostAlloc", d.out(), 64, 0)
	require.EqualValues(t, 1, of(host)[kind])
	d.is(0, "cuMemFreeHost", host)
	unified := d.made("cuMemAllocManaged", d.out(), 64, 1)
	require.EqualValues(t, 1, of(unified)[managed])
	d.is(0, "cuMemFree", unified)
	pool := d.made("cuMemAllocAsync", d.out(), 64, 0)
	require.Zero(t, of(pool)[contextOf], "memory of a pool belongs to no context")
	require.EqualValues(t, 2, of(pool)[kind])
	d.is(0, "cuMemFreeAsync", pool, 0)
	d.is(0, "cuStreamSynchronize", 0)
	require.Zero(t, of(pool)[kind], "freed")
	s := d.capturing(global, 1)
	require.EqualValues(t, 64, of(d.memory)[size], "asking breaks no capture")
	require.Equal(t, 1, d.status(s))
	d.is(0, "cuStreamEndCapture", s, d.out())
	d.is(0, "cuGraphDestroy", d.result())
}
