package backendtest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
)

// refusalCases hold every backend to the same checks, with the same types and texts of errors, in the same order where
// two things are wrong.
var refusalCases = []testCase{
	{"refusal/devices", func(c *check) { c.refuses(deviceRefusals) }},
	{"refusal/arguments", func(c *check) { c.refuses(argumentRefusals) }},
	{"refusal/events and graphs", func(c *check) { c.refuses(eventRefusals) }},
	{"refusal/captures", func(c *check) { c.refuses(captureRefusals) }},
	{"refusal/bodies", func(c *check) {
		if c.conditionals() {
			c.refuses(bodyRefusals)
		}
	}},
	{"refusal/loops", func(c *check) {
		if c.device.Caps().WhileNodes {
			c.refuses(loopRefusals)
		}
	}},
	{"refusal/closed", func(c *check) { c.refuses(closedRefusals) }},
}

// refusal is a call with something wrong, and the type and the text of its error, in which DEVICE and KERNEL are names.
type refusal struct {
	call func(p *props) error
	want string
}

// refuses makes calls that must fail, each on props of its own.
func (c *check) refuses(list []refusal) {
	theirs := c.open()
	c.later(theirs.Close)
	names := strings.NewReplacer(c.device.Info().Name, "DEVICE", incrementDef.Name, "KERNEL", "*backend.", "")
	for i, r := range list {
		p := c.props(theirs)
		err := r.call(p)
		got := names.Replace(fmt.Sprintf("%T: %v", err, err))
		c.that(got == r.want, "call %d: the error is\n%s, want\n%s", i, got, r.want)
	}
}

// props are what the calls of refusals are made with.
type props struct {
	c      *check
	device backend.Device
	stream backend.Stream
	side   backend.Stream // another one
	view   backend.View   // 40 bytes of a buffer of 64
	host   backend.HostBuffer
	event  backend.Event
	graph  backend.Graph
	upload backend.Graph // of an upload
	theirs resources     // of another device
	closed resources
}

// resources is one of everything.
type resources struct {
	stream backend.Stream
	view   backend.View
	host   backend.HostBuffer
	event  backend.Event
	graph  backend.Graph
}

func (c *check) props(theirs backend.Device) *props {
	p := &props{c: c, device: c.device, side: c.stream(), theirs: c.resources(theirs), closed: c.resources(c.device)}
	c.ok(errors.Join(p.closed.view.Buffer.Close(), p.closed.host.Close(), p.closed.event.Close(),
		p.closed.graph.Close(), p.closed.stream.Close()), "close")
	own := c.resources(c.device)
	p.stream, p.view, p.host, p.event, p.graph = own.stream, own.view, own.host, own.event, own.graph
	p.upload = c.capture(p.stream, func() { c.ok(p.stream.Upload(p.view, p.host, 0), "upload") })
	return p
}

// resources makes one of everything on a device, which is closed after the case.
func (c *check) resources(d backend.Device) resources {
	stream, err := d.NewStream()
	c.ok(err, "new stream")
	c.later(stream.Close)
	buffer, err := d.Alloc(64)
	c.ok(err, "allocate")
	c.later(buffer.Close)
	host, err := d.AllocHost(64)
	c.ok(err, "allocate host memory")
	c.later(host.Close)
	event, err := d.NewEvent()
	c.ok(err, "new event")
	c.later(event.Close)
	graph := c.capture(stream, func() {})
	return resources{stream, backend.View{Buffer: buffer, Bytes: 40}, host, event, graph}
}

// part is a range of the buffer of the view.
func (p *props) part(offset, bytes int64) backend.View {
	return backend.View{Buffer: p.view.Buffer, Offset: offset, Bytes: bytes}
}

// increment launches over a view.
func (p *props) increment(s backend.Stream, x backend.View) error {
	return s.Launch(incrementDef, backend.Launch{N: 1, Buffers: []backend.View{x}})
}

// inside returns the error of a call in the body of a conditional in a capture, which both go on.
func (p *props) inside(call func(inner backend.Stream) error) (err error) {
	p.c.capture(p.stream, func() {
		p.c.ok(p.stream.If(p.part(0, 4), func(inner backend.Stream) error {
			err = call(inner)
			return nil
		}), "if")
	})
	return err
}

// captured returns the error of a call in a capture, which goes on.
func (p *props) captured(call func(s backend.Stream) error) (err error) {
	p.c.capture(p.stream, func() { err = call(p.stream) })
	return err
}

// nothing is the body of a conditional.
func nothing(backend.Stream) error { return nil }

// second is the error of a call that returns something besides.
func second[T any](_ T, err error) error { return err }

var deviceRefusals = []refusal{
	{func(p *props) error { return second(p.device.Alloc(0)) },
		"ArgumentError: allocate: bytes is 0: must be 1 or more"},
	{func(p *props) error { return second(p.device.Alloc(-4)) },
		"ArgumentError: allocate: bytes is -4: must be 1 or more"},
	{func(p *props) error { return second(p.device.AllocHost(0)) },
		"ArgumentError: allocate host memory: bytes is 0: must be 1 or more"},
	{func(p *props) error { return p.device.SetCurrentStream(p.theirs.stream) },
		"ArgumentError: set current stream: stream is nil or of another device: must be a stream of this device"},
	{func(p *props) error { return p.device.SetCurrentStream(p.closed.stream) },
		"ClosedError: set current stream: the stream is closed"},
	{func(p *props) error { return p.device.Load(incrementDef, nil) },
		"ArgumentError: load: kernel 1 is nil: must be a definition"},
	{func(p *props) error { return p.device.DefaultStream().Close() },
		"ArgumentError: close stream: stream is the default stream or that of a conditional body: " +
			"must be a stream made by NewStream"},
}

var argumentRefusals = []refusal{
	{func(p *props) error { return p.stream.Launch(nil, backend.Launch{}) },
		"ArgumentError: launch: kernel is nil: must be a definition"},
	{func(p *props) error { return p.stream.Launch(incrementDef, backend.Launch{N: -1}) },
		"OperationError: launch KERNEL: arguments: N, Block or MaxBlocks is -1, 0, 0: must be 0 or more"},
	{func(p *props) error { return p.stream.Launch(incrementDef, backend.Launch{N: 1}) },
		"OperationError: launch KERNEL: arguments: count is 0 buffers and 0 scalars: must be 1 buffers and 0 scalars"},
	{func(p *props) error { return p.increment(p.stream, backend.View{Bytes: 4}) },
		"OperationError: launch KERNEL: arguments: x is a view of 4 bytes at 0 without a buffer: must be a buffer"},
	{func(p *props) error { return p.increment(p.stream, p.theirs.view) },
		"OperationError: launch KERNEL: arguments: x is nil or of another device: must be a buffer of this device"},
	{func(p *props) error { return p.increment(p.stream, p.closed.view) },
		"OperationError: launch KERNEL: arguments: the x buffer is closed"},
	{func(p *props) error { return p.increment(p.stream, p.part(0, 6)) },
		"OperationError: launch KERNEL: arguments: x is 6 bytes: must be whole elements of 4 bytes"},
	{func(p *props) error { return p.increment(p.stream, p.part(2, 4)) },
		"OperationError: launch KERNEL: arguments: x is 4 bytes at offset 2: must be a range at a " +
			"multiple of 4 within the 64 bytes of the buffer"},
	{func(p *props) error { return p.increment(p.stream, p.part(60, 8)) },
		"OperationError: launch KERNEL: arguments: x is 8 bytes at offset 60: must be a range at a " +
			"multiple of 4 within the 64 bytes of the buffer"},
	{func(p *props) error { return p.stream.Copy(p.part(0, 8), p.part(8, 4)) },
		"ArgumentError: copy: destination is 8 bytes: must be the 4 bytes of the source"},
	{func(p *props) error { return p.stream.Copy(p.part(0, 8), p.part(4, 8)) },
		"ArgumentError: copy: source is 8 bytes at offset 4: must be a range that does not overlap the " +
			"destination at offset 0"},
	{func(p *props) error { return p.stream.Copy(p.view, p.theirs.view) },
		"ArgumentError: copy: source is nil or of another device: must be a buffer of this device"},
	{func(p *props) error { return p.stream.Copy(p.closed.view, p.view) },
		"ClosedError: copy: the destination buffer is closed"},
	{func(p *props) error { return p.stream.Fill(p.part(0, 6), 1) },
		"ArgumentError: fill: destination is 6 bytes: must be a multiple of 4 bytes"},
	{func(p *props) error { return p.stream.Fill(p.part(-4, 8), 1) },
		"ArgumentError: fill: destination is 8 bytes at offset -4: must be a range at a multiple of 4 " +
			"within the 64 bytes of the buffer"},
	{func(p *props) error { return p.stream.Upload(p.view, nil, 0) },
		"ArgumentError: upload: host buffer is nil: must be a host buffer of this device"},
	{func(p *props) error { return p.stream.Upload(p.view, p.theirs.host, 0) },
		"ArgumentError: upload: host buffer is nil or of another device: must be a host buffer of this device"},
	{func(p *props) error { return p.stream.Upload(p.view, p.closed.host, 0) },
		"ClosedError: upload: the host buffer is closed"},
	{func(p *props) error { return p.stream.Upload(p.part(60, 8), p.host, 0) },
		"ArgumentError: upload: view is 8 bytes at offset 60: must be a range at a multiple of 4 " +
			"within the 64 bytes of the buffer"},
	{func(p *props) error { return p.stream.Download(p.host, 32, p.view) },
		"ArgumentError: download: offset is 32 with 40 bytes: must be a range within the 64 bytes of the host buffer"},
	{func(p *props) error { return p.stream.Download(p.host, -1, p.view) },
		"ArgumentError: download: offset is -1 with 40 bytes: must be a range within the 64 bytes of the host buffer"},
	{func(p *props) error { return p.stream.If(p.part(0, 8), nothing) },
		"ArgumentError: if: flag is 8 bytes: must be one int32"},
	{func(p *props) error { return p.stream.If(p.closed.view, nothing) }, "ClosedError: if: the flag buffer is closed"},
	{func(p *props) error { return p.stream.If(p.part(0, 4), nil) },
		"ArgumentError: if: body is nil: must be a function"},
}

var eventRefusals = []refusal{
	{func(p *props) error { return p.stream.Record(nil) },
		"ArgumentError: record event: event is nil: must be an event of this device"},
	{func(p *props) error { return p.stream.Record(p.theirs.event) },
		"ArgumentError: record event: event is nil or of another device: must be an event of this device"},
	{func(p *props) error { return p.stream.Record(p.closed.event) }, "ClosedError: record event: the event is closed"},
	{func(p *props) error { return p.stream.Wait(nil) },
		"ArgumentError: wait for event: event is nil: must be an event of this device"},
	{func(p *props) error { return p.stream.Wait(p.theirs.event) },
		"ArgumentError: wait for event: event is nil or of another device: must be an event of this device"},
	{func(p *props) error { return p.stream.Wait(p.closed.event) }, "ClosedError: wait for event: the event is closed"},
	{func(p *props) error { return p.closed.event.Sync() }, "ClosedError: sync event: the event is closed"},
	{func(p *props) error { return p.stream.Replay(nil) },
		"ArgumentError: replay: graph is nil: must be a graph of this device"},
	{func(p *props) error { return p.stream.Replay(p.theirs.graph) },
		"ArgumentError: replay: graph is nil or of another device: must be a graph of this device"},
	{func(p *props) error { return p.stream.Replay(p.closed.graph) }, "ClosedError: replay: the graph is closed"},
}

var captureRefusals = []refusal{
	{func(p *props) error { return second(p.stream.EndCapture()) },
		"CaptureError: end capture: no capture has begun on this stream"},
	{func(p *props) error { return p.stream.Anchor(p) },
		"CaptureError: anchor: no graph is being recorded"},
	{func(p *props) error { return p.captured(backend.Stream.BeginCapture) },
		"CaptureError: begin capture: the stream is capturing already (capture state: own)"},
	{func(p *props) error { return p.captured(backend.Stream.Sync) },
		"CaptureError: sync: work that is being recorded does not run (capture state: own)"},
	{func(p *props) error { // an event of outside
		p.c.ok(p.side.Record(p.event), "record")
		return p.captured(func(s backend.Stream) error { return s.Wait(p.event) })
	},
		"CaptureError: wait for event: the event was recorded outside the capture, and a replay could " +
			"not wait for it (capture state: own)"},
	{func(p *props) error { // an event of a capture
		return p.captured(func(s backend.Stream) error { p.c.ok(s.Record(p.event), "record"); return p.event.Sync() })
	}, "CaptureError: sync event: the event was recorded in a capture, whose work does not run"},
	{func(p *props) error { // an event of a capture that has ended
		p.c.ok(p.captured(func(s backend.Stream) error { return s.Record(p.event) }), "record")
		return p.side.Wait(p.event)
	}, "CaptureError: wait for event: the event belongs to a capture that has ended"},
	{func(p *props) error { // an event of another capture
		return p.captured(func(s backend.Stream) (err error) {
			p.c.ok(s.Record(p.event), "record")
			p.c.capture(p.side, func() { err = p.side.Wait(p.event) })
			return err
		})
	}, "CaptureError: wait for event: the event belongs to another capture (capture state: own)"},
	{func(p *props) error { // on a stream that has joined
		return p.captured(func(s backend.Stream) error {
			p.c.ok(errors.Join(s.Record(p.event), p.side.Wait(p.event)), "join")
			return second(p.side.EndCapture())
		})
	}, "CaptureError: end capture: the capture began on another stream (capture state: joined)"},
	{func(p *props) error { // a stream that has joined is not joined back
		p.c.ok(errors.Join(p.stream.BeginCapture(), p.stream.Record(p.event), p.side.Wait(p.event),
			p.increment(p.side, p.view)), "join")
		return second(p.stream.EndCapture())
	},
		"CaptureError: end capture: a stream that joined the capture was not joined back; the capture " +
			"is dropped (capture state: invalidated)"},
	{func(p *props) error { // the stream is closed
		s := p.c.stream()
		p.c.ok(s.BeginCapture(), "begin capture")
		return s.Close()
	}, "*errors.joinError: close stream: the capture that it was recording is dropped (capture state: own)"},
}

var bodyRefusals = []refusal{
	{func(p *props) error {
		return p.inside(func(backend.Stream) error { return p.increment(p.stream, p.view) })
	},
		"CaptureError: launch: a conditional body is open, and its work goes to the stream it received " +
			"(capture state: own)"},
	{func(p *props) error { return p.inside(func(backend.Stream) error { return p.stream.Record(p.event) }) },
		"CaptureError: record event: a conditional body is open, and its work goes to the stream it " +
			"received (capture state: own)"},
	{func(p *props) error {
		return p.inside(func(backend.Stream) error { return second(p.stream.EndCapture()) })
	},
		"CaptureError: end capture: a conditional body is open, and its work goes to the stream it " +
			"received (capture state: own)"},
	{func(p *props) error { return p.inside(func(s backend.Stream) error { return s.Record(p.event) }) },
		"CaptureError: record event: the body of a conditional holds no events: whether it runs is " +
			"known on the device alone (capture state: own)"},
	{func(p *props) error {
		p.c.ok(p.side.Record(p.event), "record")
		return p.inside(func(s backend.Stream) error { return s.Wait(p.event) })
	},
		"CaptureError: wait for event: the body of a conditional holds no events: whether it runs is " +
			"known on the device alone (capture state: own)"},
	{func(p *props) error {
		return p.inside(func(s backend.Stream) error { return s.Upload(p.view, p.host, 0) })
	},
		"UnsupportedError: DEVICE: upload is not supported: the body of a conditional holds launches, " +
			"fills and copies on the device"},
	{func(p *props) error {
		return p.inside(func(s backend.Stream) error { return s.Download(p.host, 0, p.view) })
	},
		"UnsupportedError: DEVICE: download is not supported: the body of a conditional holds launches, " +
			"fills and copies on the device"},
	{func(p *props) error { return p.inside(func(s backend.Stream) error { return s.Replay(p.upload) }) },
		"UnsupportedError: DEVICE: replay of a graph with uploads or downloads is not supported: the " +
			"body of a conditional holds launches, fills and copies on the device"},
	{func(p *props) error { return p.inside(backend.Stream.Sync) },
		"CaptureError: sync: work that is being recorded does not run (capture state: own)"},
	{func(p *props) error { return p.inside(backend.Stream.BeginCapture) },
		"CaptureError: begin capture: the stream is capturing already (capture state: own)"},
	{func(p *props) error { return p.inside(backend.Stream.Close) },
		"ArgumentError: close stream: stream is the default stream or that of a conditional body: " +
			"must be a stream made by NewStream"},
	{func(p *props) error { return p.inside(p.device.SetCurrentStream) },
		"ArgumentError: set current stream: stream is that of a conditional body: must be a stream of this device"},
	{func(p *props) error { // after the body
		var inner backend.Stream
		p.c.ok(p.inside(func(s backend.Stream) error { inner = s; return nil }), "if")
		return p.increment(inner, p.view)
	}, "ClosedError: launch: the stream is closed"},
	{func(p *props) error { // the capture ends meanwhile: its stream is closed
		s := p.c.stream()
		p.c.ok(s.BeginCapture(), "begin capture")
		return s.If(p.part(0, 4), func(inner backend.Stream) error {
			_ = s.Close() // which is refused by name elsewhere
			return p.increment(inner, p.view)
		})
	}, "CaptureError: launch: the capture has ended"},
}

var loopRefusals = []refusal{
	{func(p *props) error { return p.repeat(p.part(0, 4), 0, nothing) },
		"ArgumentError: repeat: limit is 0: must be 1 or more"},
	{func(p *props) error { return p.repeat(p.part(0, 8), 1, nothing) },
		"ArgumentError: repeat: flag is 8 bytes: must be one int32"},
	{func(p *props) error { return p.repeat(p.part(0, 4), 1, nil) },
		"ArgumentError: repeat: body is nil: must be a function"},
	{func(p *props) error { return p.repeat(p.closed.view, 1, nothing) },
		"ClosedError: repeat: the flag buffer is closed"},
}

// repeat returns the error of a loop in a capture, which goes on.
func (p *props) repeat(flag backend.View, limit int32, body func(backend.Stream) error) error {
	return p.captured(func(s backend.Stream) error { return s.(backend.Repeater).Repeat(flag, limit, body) })
}

var closedRefusals = []refusal{
	{func(p *props) error { return p.increment(p.closed.stream, p.view) }, "ClosedError: launch: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Copy(p.part(0, 4), p.part(4, 4)) },
		"ClosedError: copy: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Fill(p.view, 1) }, "ClosedError: fill: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Upload(p.view, p.host, 0) },
		"ClosedError: upload: the stream is closed"},
	{func(p *props) error { return p.closed.stream.If(p.part(0, 4), nothing) },
		"ClosedError: if: the stream is closed"},
	{func(p *props) error { return p.closed.stream.BeginCapture() },
		"ClosedError: begin capture: the stream is closed"},
	{func(p *props) error { return second(p.closed.stream.EndCapture()) },
		"ClosedError: end capture: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Anchor(p) }, "ClosedError: anchor: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Replay(p.graph) }, "ClosedError: replay: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Record(p.event) },
		"ClosedError: record event: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Wait(p.event) },
		"ClosedError: wait for event: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Sync() }, "ClosedError: sync: the stream is closed"},
	{func(p *props) error { // two things are wrong
		return p.increment(p.closed.stream, p.closed.view)
	}, "ClosedError: launch: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Fill(p.closed.view, 1) },
		"ClosedError: fill: the stream is closed"},
	{func(p *props) error { return p.closed.stream.Record(p.closed.event) },
		"ClosedError: record event: the event is closed"},
	{func(p *props) error { return p.closed.stream.Replay(p.closed.graph) },
		"ClosedError: replay: the stream is closed"},
	{func(p *props) error { return p.onClosed(func(d backend.Device) error { return second(d.Alloc(0)) }) },
		"ClosedError: allocate: the device is closed"},
	{func(p *props) error {
		return p.onClosed(func(d backend.Device) error { return second(d.AllocHost(4)) })
	}, "ClosedError: allocate host memory: the device is closed"},
	{func(p *props) error { return p.onClosed(func(d backend.Device) error { return second(d.NewStream()) }) },
		"ClosedError: new stream: the device is closed"},
	{func(p *props) error { return p.onClosed(func(d backend.Device) error { return second(d.NewEvent()) }) },
		"ClosedError: new event: the device is closed"},
	{func(p *props) error {
		return p.onClosed(func(d backend.Device) error { return d.SetCurrentStream(nil) })
	}, "ClosedError: set current stream: the device is closed"},
	{func(p *props) error { return p.onClosed(func(d backend.Device) error { return d.Load(incrementDef) }) },
		"ClosedError: load: the device is closed"},
	{func(p *props) error {
		return p.onClosed(func(d backend.Device) error { return d.DefaultStream().Sync() })
	}, "ClosedError: sync: the device is closed"},
}

// onClosed returns the error of a call on a device that is closed.
func (p *props) onClosed(call func(d backend.Device) error) error {
	d := p.c.open()
	p.c.ok(d.Close(), "close the device")
	return call(d)
}
