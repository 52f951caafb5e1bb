package exec

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSerialLock(t *testing.T) { // R78
	l := newSerialLock(10 * time.Millisecond)
	require.NoError(t, l.acquire(t.Context(), "a", "first"))
	require.NoError(t, l.acquire(t.Context(), "b", "again"), "the same goroutine")
	elsewhere := func(ctx context.Context) error {
		failed := make(chan error)
		go func() { failed <- l.acquire(ctx, "c", "second") }()
		return <-failed
	}
	var held *LegacyLockError
	require.ErrorAs(t, elsewhere(t.Context()), &held)
	assert.Equal(t, "first", held.Holder)
	assert.GreaterOrEqual(t, held.Held, 10*time.Millisecond)
	require.NoError(t, held.Cause, "its patience ended")
	assert.ErrorContains(t, held, "c: the lock of legacy producers is held by first")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(assert.AnError)
	require.ErrorIs(t, elsewhere(ended), assert.AnError)

	l.release()
	require.Error(t, elsewhere(t.Context()), "still held")
	l.release()
	require.NoError(t, elsewhere(t.Context()))
	go l.release() // not by the goroutine that took it
	patient, cancelPatient := context.WithTimeout(t.Context(), time.Minute)
	defer cancelPatient()
	require.NoError(t, l.acquire(patient, "d", "third"))
	l.release()

	var wait sync.WaitGroup
	inside := 0
	for range 8 {
		wait.Go(func() {
			for range 50 {
				if !assert.NoError(t, l.acquire(patient, "e", "many")) {
					return
				}
				inside++ // unsynchronised, for the race detector
				l.release()
			}
		})
	}
	wait.Wait()
	assert.Equal(t, 400, inside)
}
