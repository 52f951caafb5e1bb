// Package references counts the users of a resource that is released with its last user.
package references

import "sync/atomic"

// Count is the number of users of one resource. All methods are safe for concurrent use.
type Count struct{ users atomic.Int64 }

// Begin makes the caller the only user. It must precede every other call.
func (c *Count) Begin() { c.users.Store(1) }

// Retain adds a user. It returns false if there are no users left: a released resource cannot be revived.
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

// Release removes a user and reports whether it was the last one.
func (c *Count) Release() bool { return c.users.Add(-1) == 0 }
