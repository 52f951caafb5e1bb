//go:build cgo && linux

package cuda

// lane is what the driver captures graphs on, one at a time: a stream for graphs of our own, and for each depth of
// conditionals inside each other a stream for the bodies there. Nobody else sees these streams, so that none can be
// capturing already, and nothing but recording is ever emitted on them.
type lane struct {
	private streamHandle
	bodies  []streamHandle // by depth
}

// handles returns the streams that have been made.
func (r *lane) handles() []streamHandle {
	if r.private == 0 {
		return nil
	}
	return append([]streamHandle{r.private}, r.bodies...)
}

// grow makes the streams that are missing for conditionals of a depth.
func (r *lane) grow(c context, depth int) (f failure) {
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

// recording calls record with a lane that nobody else uses, which has streams for conditionals of a depth before
// anything is recorded. A lane that has failed is not used again.
func (d *device) recording(op string, depth int, record func(r *lane) failure) error {
	d.mu.Lock()
	r := new(lane)
	if last := len(d.lanes) - 1; last >= 0 {
		r, d.lanes = d.lanes[last], d.lanes[:last]
	}
	d.mu.Unlock()
	f := r.grow(d.context, depth)
	if !f.failed() {
		f = record(r)
	}
	if f.failed() {
		d.discardLane(r)
		return f.as(d.info.Name, op)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lanes = append(d.lanes, r)
	return nil
}

func (d *device) discardLane(r *lane) {
	for _, handle := range r.handles() {
		d.discard(disposal{disposeStream, uint64(handle), 0})
	}
}

// discardLanes gives up all lanes. No stream of the device records any more.
func (d *device) discardLanes() {
	d.mu.Lock()
	lanes := d.lanes
	d.lanes = nil
	d.mu.Unlock()
	for _, r := range lanes {
		d.discardLane(r)
	}
}
