package recorder

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// span checks a view. Offsets and kernel arguments are multiples of 4 bytes on every device, so that every backend can
// bind them.
func (d *Device) span(op, arg string, view backend.View) (Span, error) {
	if view.Buffer == nil {
		if view.Bytes == 0 && view.Offset == 0 {
			return Span{}, nil
		}
		return Span{}, &backend.ArgumentError{Op: op, Argument: arg,
			Value:   fmt.Sprintf("a view of %d bytes at %d without a buffer", view.Bytes, view.Offset),
			Allowed: "a buffer"}
	}
	b, ok := view.Buffer.(*Buffer)
	if !ok || b == nil || b.device != d {
		return Span{}, &backend.ArgumentError{Op: op, Argument: arg, Value: Stranger(view.Buffer),
			Allowed: "a buffer of this device"}
	}
	inside := view.Offset >= 0 && view.Bytes >= 0 && view.Offset <= b.bytes && view.Bytes <= b.bytes-view.Offset
	if !inside || view.Offset%4 != 0 {
		return Span{}, &backend.ArgumentError{Op: op, Argument: arg,
			Value:   fmt.Sprintf("%d bytes at offset %d", view.Bytes, view.Offset),
			Allowed: fmt.Sprintf("a range at a multiple of 4 within the %d bytes of the buffer", b.bytes)}
	}
	if b.closed.Load() {
		return Span{}, &backend.ClosedError{Op: op, What: arg + " buffer"}
	}
	return Span{Memory: b.memory, Offset: view.Offset, Bytes: view.Bytes}, nil
}

// flag checks the view of an int32.
func (d *Device) flag(op string, view backend.View) (Span, error) {
	span, err := d.span(op, "flag", view)
	if err == nil && span.Bytes != 4 {
		err = &backend.ArgumentError{Op: op, Argument: "flag", Value: fmt.Sprintf("%d bytes", span.Bytes),
			Allowed: "one int32"}
	}
	return span, err
}

// checkBranch checks the arguments of a conditional, or of a loop of at most limit iterations. It adds a reference to
// the memory of the flag, because the body may close the flag's buffer.
func (d *Device) checkBranch(op string, flag backend.View, limit int32, body func(backend.Stream) error) (Span, error) {
	if limit < 1 {
		return Span{}, &backend.ArgumentError{Op: op, Argument: "limit", Value: fmt.Sprint(limit), Allowed: "1 or more"}
	}
	span, err := d.flag(op, flag)
	if err != nil {
		return Span{}, err
	}
	if body == nil {
		return Span{}, &backend.ArgumentError{Op: op, Argument: "body", Value: "nil", Allowed: "a function"}
	}
	if !span.Memory.Retain() {
		return Span{}, &backend.ClosedError{Op: op, What: "buffer"}
	}
	return span, nil
}

// copySpans checks the views of a copy on the device and stores them in spans[0] and spans[1].
func (d *Device) copySpans(op string, dst, src backend.View, spans *[kernel.MaxBuffers]Span) error {
	to, err := d.span(op, "destination", dst)
	if err != nil {
		return err
	}
	from, err := d.span(op, "source", src)
	if err != nil {
		return err
	}
	if to.Bytes != from.Bytes {
		return &backend.ArgumentError{Op: op, Argument: "destination", Value: fmt.Sprintf("%d bytes", to.Bytes),
			Allowed: fmt.Sprintf("the %d bytes of the source", from.Bytes)}
	}
	if to.overlaps(from) {
		return &backend.ArgumentError{Op: op, Argument: "source",
			Value:   fmt.Sprintf("%d bytes at offset %d", from.Bytes, from.Offset),
			Allowed: fmt.Sprintf("a range that does not overlap the destination at offset %d", to.Offset)}
	}
	spans[0], spans[1] = to, from
	return nil
}

// fillSpan checks the view of a fill.
func (d *Device) fillSpan(op string, dst backend.View) (Span, error) {
	to, err := d.span(op, "destination", dst)
	if err == nil && to.Bytes%4 != 0 {
		err = &backend.ArgumentError{Op: op, Argument: "destination", Value: fmt.Sprintf("%d bytes", to.Bytes),
			Allowed: "a multiple of 4 bytes"}
	}
	return to, err
}

// transferSpan checks a copy from or to the host: the view, and the range of the host buffer, which has as many bytes
// as the view.
func (d *Device) transferSpan(
	op string, view backend.View, host backend.HostBuffer, offset int64,
) (Span, HostMemory, error) {
	device, err := d.span(op, "view", view)
	if err != nil {
		return Span{}, nil, err
	}
	own, ok := host.(*HostBuffer)
	if !ok || own == nil || own.device != d {
		return Span{}, nil, &backend.ArgumentError{Op: op, Argument: "host buffer", Value: Stranger(host),
			Allowed: "a host buffer of this device"}
	}
	if offset < 0 || offset > own.bytes || device.Bytes > own.bytes-offset {
		return Span{}, nil, &backend.ArgumentError{Op: op, Argument: "offset",
			Value:   fmt.Sprintf("%d with %d bytes", offset, device.Bytes),
			Allowed: fmt.Sprintf("a range within the %d bytes of the host buffer", own.bytes)}
	}
	if own.closed.Load() {
		return Span{}, nil, &backend.ClosedError{Op: op, What: "host buffer"}
	}
	return device, own.memory, nil
}

// arguments checks a launch against the parameters of its kernel, stores its buffers in spans and returns their number.
// Package exec checks launches too; these checks keep memory safe for callers that use the backend directly.
func (d *Device) arguments(def *kernel.Def, launch *backend.Launch, spans *[kernel.MaxBuffers]Span) (int, error) {
	const op = "arguments"
	if launch.N < 0 || launch.MaxBlocks < 0 || launch.Block < 0 {
		return 0, &backend.ArgumentError{Op: op, Argument: "N, Block or MaxBlocks",
			Value: fmt.Sprintf("%d, %d, %d", launch.N, launch.Block, launch.MaxBlocks), Allowed: "0 or more"}
	}
	buffers, scalars := 0, 0
	for i := range def.Params {
		param := &def.Params[i]
		if !param.Buffer {
			scalars++
			continue
		}
		if buffers < len(launch.Buffers) && buffers < len(spans) {
			span, err := d.span(op, param.Name, launch.Buffers[buffers])
			if err != nil {
				return 0, err
			}
			size := param.Type.Size()
			elements := span.Bytes / size
			if elements*size != span.Bytes {
				return 0, &backend.ArgumentError{Op: op, Argument: param.Name, Value: fmt.Sprintf("%d bytes", span.Bytes),
					Allowed: fmt.Sprintf("whole elements of %d bytes", size)}
			}
			if d.limits.Elements > 0 && elements > d.limits.Elements {
				return 0, &backend.ArgumentError{Op: op, Argument: param.Name, Value: fmt.Sprintf("%d elements", elements),
					Allowed: fmt.Sprintf("at most %d", d.limits.Elements)}
			}
			spans[buffers] = span
		}
		buffers++
	}
	if buffers > kernel.MaxBuffers || scalars > kernel.MaxScalars {
		return 0, &backend.ArgumentError{Op: "parameters", Argument: "count",
			Value:   fmt.Sprintf("%d buffers and %d scalars", buffers, scalars),
			Allowed: fmt.Sprintf("%d buffers and %d scalars", kernel.MaxBuffers, kernel.MaxScalars)}
	}
	if len(launch.Buffers) != buffers || len(launch.Scalars) != scalars {
		return 0, &backend.ArgumentError{Op: op, Argument: "count",
			Value:   fmt.Sprintf("%d buffers and %d scalars", len(launch.Buffers), len(launch.Scalars)),
			Allowed: fmt.Sprintf("%d buffers and %d scalars", buffers, scalars)}
	}
	return buffers, nil
}

// hostCopyInBody is the error of an upload or download in a body.
func hostCopyInBody(device, op string) error {
	return &backend.UnsupportedError{Device: device, Op: op,
		Reason: "the body of a conditional holds launches, fills and copies on the device"}
}
