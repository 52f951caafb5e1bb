//go:build cgo && linux

package cuda

// recorder is what the driver captures graphs on, one at a time: a stream for graphs of our own, and for each depth of
// conditionals inside each other a stream for the bodies there. Nobody else sees these streams, so that none can be
// capturing already, and nothing but recording is ever emitted on them.
type recorder struct {
	private streamHandle
	bodies  []streamHandle // by depth
}

// handles returns the streams that have been made.
func (r *recorder) handles() []streamHandle {
	if r.private == 0 {
		return nil
	}
	return append([]streamHandle{r.private}, r.bodies...)
}

// grow makes the streams that are missing for conditionals of a depth.
func (r *recorder) grow(c context, depth int) (f failure) {
	if r.private == 0 {
		if r.private, f = c.createStream(); f.failed() {
			return f
		}
	}
	for len(r.bodies) < depth {
		handle, f := c.createStream()
		if f.failed() {
			return f
		}
		r.bodies = append(r.bodies, handle)
	}
	return failure{}
}

// recording calls record with a recorder that nobody else uses, which has streams for conditionals of a depth before
// anything is recorded. A recorder that has failed is not used again.
func (d *device) recording(op string, depth int, record func(r *recorder) failure) error {
	d.mu.Lock()
	r := new(recorder)
	if last := len(d.recorders) - 1; last >= 0 {
		r, d.recorders = d.recorders[last], d.recorders[:last]
	}
	d.mu.Unlock()
	f := r.grow(d.context, depth)
	if !f.failed() {
		f = record(r)
	}
	if f.failed() {
		d.discardRecorder(r)
		return f.as(d.info.Name, op)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recorders = append(d.recorders, r)
	return nil
}

func (d *device) discardRecorder(r *recorder) {
	for _, handle := range r.handles() {
		d.discard(disposal{disposeStream, uint64(handle), 0})
	}
}

// discardRecorders gives up all recorders. No stream of the device records any more.
func (d *device) discardRecorders() {
	d.mu.Lock()
	recorders := d.recorders
	d.recorders = nil
	d.mu.Unlock()
	for _, r := range recorders {
		d.discardRecorder(r)
	}
}
