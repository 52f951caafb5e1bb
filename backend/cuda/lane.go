//go:build cgo && linux

package cuda

// lane is a set of streams on which the driver captures graphs, one at a time: one stream for graphs of our own, and
// one for the bodies of conditionals at each depth of nesting. Nobody else sees these streams, so none of them can be
// capturing already, and nothing is ever emitted on them except to record it.
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

// grow makes the missing streams for conditionals nested depth levels deep.
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

// recording calls record with a lane that nobody else uses. The lane has the streams for conditionals nested depth
// levels deep before anything is recorded. A lane is not used again after a failure.
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
		d.discard(disposal{kind: disposeStream, handle: uint64(handle)})
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
