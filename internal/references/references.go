// Package references counts who needs something that is given back when nobody does.
package references

import "sync/atomic"

// Count is the number of users of one thing. All methods may be called from any goroutine.
type Count struct{ users atomic.Int64 }

// Begin makes the caller the only user. It comes before every other call.
func (c *Count) Begin() { c.users.Store(1) }

// Retain adds a user, or tells that there is none left: what is gone does not come back.
func (c *Count) Retain() bool {
	for {
		n := c.users.Load()
		if n == 0 {
			return false
		}
		if c.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release removes a user, and tells whether it was the last one.
func (c *Count) Release() bool { return c.users.Add(-1) == 0 }
