package references

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLastUser(t *testing.T) {
	var c Count
	require.False(t, c.Retain(), "nobody has begun")
	c.Begin()
	require.True(t, c.Retain())
	require.False(t, c.Release())
	require.True(t, c.Release())
	require.False(t, c.Retain(), "a released resource cannot be revived")
}

// If many users come and go concurrently, exactly one of them is the last.
func TestOneIsTheLast(t *testing.T) {
	for range 100 {
		var c Count
		var last atomic.Int32
		c.Begin()
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for c.Retain() {
					if c.Release() {
						last.Add(1)
					}
				}
			})
		}
		if c.Release() {
			last.Add(1)
		}
		group.Wait()
		require.Equal(t, int32(1), last.Load())
	}
}
