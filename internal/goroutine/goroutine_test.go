package goroutine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/internal/goroutine"
)

func TestID(t *testing.T) {
	own := goroutine.ID()
	assert.NotZero(t, own)
	assert.Equal(t, own, goroutine.ID())
	other := make(chan uint64)
	go func() { other <- goroutine.ID() }()
	assert.NotEqual(t, own, <-other)
}
