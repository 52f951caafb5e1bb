package identity_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/internal/identity"
)

func TestHas(t *testing.T) {
	type box struct{ content any }
	for _, v := range []any{1, "a", new(int), (*int)(nil), box{}, box{1}, [2]any{1, box{new(int)}}, make(chan int),
		math.Inf(1)} {
		assert.True(t, identity.Has(v), "%#v", v)
	}
	for _, v := range []any{
		[]int{1}, map[int]int{}, func() {}, box{[]int{1}}, box{box{func() {}}}, [2]any{1, map[int]int{}},
		math.NaN(), float32(math.NaN()), complex(math.NaN(), 0), box{math.NaN()},
	} {
		assert.False(t, identity.Has(v), "%T", v)
	}
}
