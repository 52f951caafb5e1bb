package twin

import "fmt"

// atomicKind is which atomic touched an element; different ones do not commute.
type atomicKind uint8

const (
	atomicAdd atomicKind = iota + 1
	atomicMax
	atomicOr
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
	kind                   atomicKind
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

func (c *record) read(who, site int32) *conflict {
	switch {
	case c.writer.byOther(who):
		return &conflict{&c.writer, "reads what the other wrote"}
	case c.atomic.byOther(who):
		return &conflict{&c.atomic, "reads what the other changes by an atomic"}
	}
	c.reader.set(who, site)
	return nil
}

func (c *record) write(who, site int32) *conflict {
	switch {
	case c.writer.byOther(who):
		return &conflict{&c.writer, "writes what the other wrote"}
	case c.reader.byOther(who):
		return &conflict{&c.reader, "writes what the other read"}
	case c.atomic.byOther(who):
		return &conflict{&c.atomic, "writes what the other changes by an atomic"}
	}
	c.writer.set(who, site)
	return nil
}

func (c *record) combine(who, site int32, kind atomicKind) *conflict {
	switch {
	case c.writer.byOther(who):
		return &conflict{&c.writer, "changes by an atomic what the other wrote"}
	case c.reader.byOther(who):
		return &conflict{&c.reader, "changes by an atomic what the other read"}
	case c.kind != 0 && c.kind != kind && c.atomic.byOther(who):
		return &conflict{&c.atomic, "changes by an atomic what the other changes by another atomic"}
	}
	c.atomic.set(who, site)
	c.kind = kind
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

// memory is the records of the elements of a slice: of the items of the current phase, and of the groups or threads of the
// launch. Either is nil where no race is possible.
type memory struct {
	items []phased
	units []record
}

// check applies an access to element i to both records.
func (r *Run) check(m memory, i, site int32, access func(*record, int32) *conflict) {
	if m.items != nil && r.item != Unknown {
		element := &m.items[i]
		if element.phase != r.phase {
			*element = phased{phase: r.phase}
		}
		if c := access(&element.record, r.item); c != nil {
			r.raced(c, "items", r.item, site)
		}
	}
	if m.units != nil {
		if c := access(&m.units[i], r.unit); c != nil {
			r.raced(c, r.between, r.unit, site)
		}
	}
}

func (r *Run) bounds(i int32, length int, site int32) {
	r.last = site
	if i < 0 || int(i) >= length {
		r.stop(r.finding(OutOfBounds, site, fmt.Sprintf("index %d, length %d", i, length)))
	}
}
