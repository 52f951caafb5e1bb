package kernel_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/kernel"
)

func TestAtomicsCombineAllItems(t *testing.T) {
	const workers, items = 8, 1000
	buffer := []int32{7, math.MaxInt32, 0, math.MinInt32, 7}
	var wait sync.WaitGroup
	for w := range int32(workers) {
		wait.Go(func() {
			for i := range int32(items) {
				kernel.AtomicAdd(buffer, 1, 1)
				kernel.AtomicOr(buffer, 2, 1<<(i%32))
				kernel.AtomicMax(buffer, 3, w*items+i-5000)
			}
		})
	}
	wait.Wait()
	wrapped := int64(math.MaxInt32) + workers*items
	assert.Equal(t, []int32{7, int32(wrapped), -1, workers*items - 1 - 5000, 7}, buffer)
}

func TestAtomicMaxLeavesLargerValues(t *testing.T) {
	buffer := []int32{-3}
	kernel.AtomicMax(buffer, 0, math.MinInt32)
	kernel.AtomicMax(buffer, 0, -4)
	assert.Equal(t, []int32{-3}, buffer)
}

func TestAtomicsCheckTheIndex(t *testing.T) {
	for _, index := range []int32{-1, 1, math.MaxInt32, math.MinInt32} {
		assert.Panics(t, func() { kernel.AtomicAdd(make([]int32, 1), index, 1) })
		assert.Panics(t, func() { kernel.AtomicOr(make([]int32, 1), index, 1) })
		assert.Panics(t, func() { kernel.AtomicMax(make([]int32, 1), index, 1) })
	}
}
