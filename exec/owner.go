package exec

import "weak"

// Owner is a weak reference to the owner of a producer's buffers. A capture into which the producer is recorded keeps
// the owner reachable; the runner does not. The zero Owner refers to nothing.
type Owner struct{ get func() any }

// WeakOwner returns a weak reference to the value that p points to.
func WeakOwner[T any](p *T) Owner {
	if p == nil {
		return Owner{}
	}
	reference := weak.Make(p)
	return Owner{get: func() any {
		if value := reference.Value(); value != nil {
			return value
		}
		return nil
	}}
}

// value returns the owner, or nil if there is none or it was collected.
func (o Owner) value() any {
	if o.get == nil {
		return nil
	}
	return o.get()
}
