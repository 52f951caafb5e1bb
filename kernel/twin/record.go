package twin

import "fmt"

// operation is what is done to an element. Different atomics do not commute.
type operation uint8

const (
	opRead operation = iota
	opWrite
	opAdd
	opMax
	opOr
)

// mark says who accessed an element in one way.
type mark struct {
	who     int32 // the last one
	site    int32 // where, the last time
	present bool
	several bool // others than who did too
}

// byOther says whether anyone else than who is marked.
func (m *mark) byOther(who int32) bool { return m.present && (m.several || m.who != who) }

func (m *mark) set(who, site int32) {
	m.several = m.byOther(who)
	m.who, m.site, m.present = who, site, true
}

// record says who touched an element since it was last reset. Who is an item of a phase, a group or a thread.
type record struct {
	writer, reader, atomic mark
	applied                uint8 // the atomics, a bit each; one only where several sides applied them
}

// phased is a record of the items of one phase.
type phased struct {
	record
	phase uint32
}

// conflict is the earlier one of two accesses that race.
type conflict struct {
	with   *mark
	detail string
}

// apply records an operation, or returns what it races with.
func (c *record) apply(op operation, who, site int32) *conflict {
	switch op {
	case opRead:
		switch {
		case c.writer.byOther(who):
			return &conflict{&c.writer, "reads what the other wrote"}
		case c.atomic.byOther(who):
			return &conflict{&c.atomic, "reads what the other changes by an atomic"}
		}
		c.reader.set(who, site)
	case opWrite:
		switch {
		case c.writer.byOther(who):
			return &conflict{&c.writer, "writes what the other wrote"}
		case c.reader.byOther(who):
			return &conflict{&c.reader, "writes what the other read"}
		case c.atomic.byOther(who):
			return &conflict{&c.atomic, "writes what the other changes by an atomic"}
		}
		c.writer.set(who, site)
	default:
		switch {
		case c.writer.byOther(who):
			return &conflict{&c.writer, "changes by an atomic what the other wrote"}
		case c.reader.byOther(who):
			return &conflict{&c.reader, "changes by an atomic what the other read"}
		case c.applied != 1<<op && c.atomic.byOther(who):
			return &conflict{&c.atomic, "changes by an atomic what the other changes by another atomic"}
		}
		c.atomic.set(who, site)
		c.applied |= 1 << op
	}
	return nil
}

// raced stops the run with a race between the current item, group or thread and an earlier one.
func (r *Run) raced(c *conflict, between string, who, site int32) {
	f := r.finding(Race, site, c.detail)
	f.Between = between
	f.Earlier = r.site(c.with.site)
	f.Items = [2]int32{c.with.who, who}
	if c.with.who == who {
		f.Items[0] = Unknown
	}
	r.stop(f)
}

// memory has the records of the elements of a slice. items is nil where items of a phase cannot race, and units where
// groups or threads cannot. traffic is what moves between the kernel and the memory of the device, nil where nothing
// moves or nobody counts.
type memory struct {
	items   []phased
	units   []record
	traffic *traffic
}

// bounds checks an index.
func (r *Run) bounds(i int32, length int, site int32) {
	r.last = site
	if i < 0 || int(i) >= length {
		r.stop(r.finding(OutOfBounds, site, fmt.Sprintf("index %d, length %d", i, length)))
	}
}

// check records an operation on element i, whose index is good.
func (r *Run) check(m memory, op operation, i, site int32) {
	if m.traffic != nil {
		m.traffic.touch(op, i)
	}
	if m.items != nil && r.item != Unknown {
		element := &m.items[i]
		if element.phase != r.phase {
			*element = phased{phase: r.phase}
		}
		if c := element.apply(op, r.item, site); c != nil {
			r.raced(c, "items", r.item, site)
		}
	}
	if m.units != nil {
		if c := m.units[i].apply(op, r.unit, site); c != nil {
			r.raced(c, r.between, r.unit, site)
		}
	}
}
