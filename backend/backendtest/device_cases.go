package backendtest

import (
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/kernel"
)

var deviceCases = []testCase{
	{"device/info and caps", func(c *check) {
		info, caps := c.device.Info(), c.device.Caps()
		c.that(info.Name != "" && info.Backend != "" && info.Description != "", "the information has empty names: %+v", info)
		c.that(caps.MaxBufferBytes > 0, "MaxBufferBytes is %d", caps.MaxBufferBytes)
		c.that(caps.MaxItems > 0, "MaxItems is %d", caps.MaxItems)
		c.that(!caps.CaptureConditionals || caps.Capture, "CaptureConditionals without Capture")
		c.that(!caps.OwnGraphs || caps.Capture, "OwnGraphs without Capture")
		c.that(!caps.WhileNodes || caps.CaptureConditionals, "WhileNodes without CaptureConditionals")
	}},
	{"device/exact floats", func(c *check) {
		c.that(c.device.Caps().ExactFloat, "the device cannot hold the promise of equal bits")
	}},
	{"device/load", func(c *check) {
		c.ok(c.device.Load(), "load nothing")
		c.ok(c.device.Load(kernels.Defs...), "load")
		c.ok(c.device.Load(kernels.Defs...), "load again")
		c.refused(c.device.Load(nil), "load a nil kernel", backend.ErrInvalid)
		c.refused(c.device.Load(&kernel.Def{Name: "backendtest.empty"}), "load a kernel without code", backend.ErrUnsupported)
	}},
	{"device/streams", func(c *check) {
		base := c.device.DefaultStream()
		if base == nil {
			c.fatalf("there is no default stream")
		}
		c.that(base == c.device.DefaultStream(), "the default stream changes")
		c.that(base.Device() == c.device, "the default stream belongs to another device")
		c.that(c.device.CurrentStream() == base, "the current stream is not the default stream at first")
		s := c.stream()
		c.that(s.Device() == c.device, "a new stream belongs to another device")
		c.ok(c.device.SetCurrentStream(s), "set the current stream")
		c.that(c.device.CurrentStream() == s, "SetCurrentStream has no effect")
		c.ok(c.device.SetCurrentStream(nil), "set no current stream")
		c.that(c.device.CurrentStream() == base, "no stream does not mean the default stream (D13)")
		c.refused(base.Close(), "close the default stream", backend.ErrInvalid)
	}},
	{"device/current stream closed", func(c *check) {
		s, err := c.device.NewStream()
		c.ok(err, "new stream")
		c.ok(c.device.SetCurrentStream(s), "set the current stream")
		c.ok(s.Close(), "close it")
		c.that(c.device.CurrentStream() == c.device.DefaultStream(), "a closed stream is still the current one")
		c.refused(c.device.SetCurrentStream(s), "set a closed stream", backend.ErrClosed)
	}},
	{"device/foreign streams", func(c *check) {
		s, err := c.device.AdoptStream(0)
		if !c.device.Caps().ForeignStreams {
			c.refused(err, "adopt a stream without ForeignStreams", backend.ErrUnsupported)
			return
		}
		c.ok(err, "adopt the null stream")
		c.ok(s.Sync(), "sync")
		c.ok(s.Close(), "close")
	}},
	{"device/two devices", func(c *check) {
		other := c.open()
		c.later(other.Close)
		foreign, err := other.Alloc(64)
		c.ok(err, "allocate")
		c.later(foreign.Close)
		stream, err := other.NewStream()
		c.ok(err, "new stream")
		c.later(stream.Close)
		s := c.device.DefaultStream()
		c.refused(s.Fill(backend.View{Buffer: foreign, Bytes: 64}, 1), "fill a buffer of another device", backend.ErrInvalid)
		c.refused(c.device.SetCurrentStream(stream), "set a stream of another device", backend.ErrInvalid)
		if !other.Caps().Capture {
			return
		}
		c.ok(stream.BeginCapture(), "begin capture")
		g, err := stream.EndCapture()
		c.ok(err, "end capture")
		c.later(g.Close)
		c.refused(s.Replay(g), "replay a graph of another device", backend.ErrInvalid)
	}},
	{"device/close", func(c *check) {
		d := c.open()
		b, err := d.Alloc(64)
		c.ok(err, "allocate")
		s, err := d.NewStream()
		c.ok(err, "new stream")
		c.ok(b.Close(), "close the buffer")
		c.ok(s.Close(), "close the stream")
		c.ok(d.Close(), "close the device")
		c.ok(d.Close(), "close the device again")
		_, err = d.Alloc(64)
		c.refused(err, "allocate on a closed device", backend.ErrClosed)
		_, err = d.AllocHost(64)
		c.refused(err, "allocate host memory on a closed device", backend.ErrClosed)
		_, err = d.NewStream()
		c.refused(err, "new stream on a closed device", backend.ErrClosed)
		_, err = d.NewEvent()
		c.refused(err, "new event on a closed device", backend.ErrClosed)
		c.refused(d.Load(kernels.Defs...), "load on a closed device", backend.ErrClosed)
		c.refused(d.DefaultStream().Sync(), "sync on a closed device", backend.ErrClosed)
		c.refused(d.DefaultStream().Launch(&kernels.StampDef, backend.Launch{}), "launch on a closed device",
			backend.ErrClosed, backend.ErrInvalid)
		c.ok(b.Close(), "close the buffer after the device")
		c.ok(s.Close(), "close the stream after the device")
	}},
	{"device/leak report", func(c *check) {
		d := c.open()
		b, err := d.Alloc(100)
		c.ok(err, "allocate")
		h, err := d.AllocHost(28)
		c.ok(err, "allocate host memory")
		s, err := d.NewStream()
		c.ok(err, "new stream")
		e, err := d.NewEvent()
		c.ok(err, "new event")
		err = d.Close()
		c.refused(err, "close with resources open", backend.ErrLeak)
		var leak *backend.LeakError
		if !errors.As(err, &leak) {
			c.fatalf("the error is %T, want *backend.LeakError", err)
		}
		var kinds []string
		var bytes int64
		for _, l := range leak.Leaks {
			kinds, bytes = append(kinds, l.Kind), bytes+l.Bytes
		}
		c.that(slices.Equal(kinds, []string{"buffer", "host buffer", "stream", "event"}), "the leaks are %q", kinds)
		c.that(bytes == 128, "the leaks have %d bytes, want 128", bytes)
		for _, err := range []error{b.Close(), h.Close(), s.Close(), e.Close()} {
			c.ok(err, "close after the device")
		}
	}},
}
