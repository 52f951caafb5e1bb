package registry_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/registry"
)

func TestRegister(t *testing.T) {
	r := registry.New[int]("thing")
	assert.NoError(t, r.Register("b", 1))
	assert.NoError(t, r.Register("a.b-c_2", 2))
	err := r.Register("b", 3)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	assert.EqualError(t, err, `register thing: name is "b": must be a name that is not registered yet`)
	value, ok := r.Lookup("b")
	assert.True(t, ok)
	assert.Equal(t, 1, value, "a refused name changes nothing")
	assert.Equal(t, []string{"b", "a.b-c_2"}, r.Names(), "in order")
	r.Remove("b")
	_, ok = r.Lookup("b")
	assert.False(t, ok)
	assert.NoError(t, r.Register("b", 4))
}

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "bezier", "clothoid-2", "my.polar", "x_y", strings.Repeat("a", 64)} {
		assert.NoError(t, registry.CheckName("register", name))
	}
	for _, name := range []string{"", "A", "2d", "-a", "a-", "a--b", "a b", "a\n", "ä", "a/b", strings.Repeat("a", 65)} {
		assert.ErrorIs(t, registry.CheckName("register", name), backend.ErrInvalid, "%q", name)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		if registry.CheckName("register", name) == nil {
			assert.LessOrEqual(t, len(name), 64)
			assert.Equal(t, strings.ToLower(strings.TrimSpace(name)), name)
		}
	})
}

// If several goroutines register the same name, exactly one succeeds.
func TestConcurrentUse(t *testing.T) {
	r := registry.New[int]("thing")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for k := range 50 {
				_ = r.Register(fmt.Sprint("n", k), i)
				r.Lookup("n7")
				r.Names()
			}
		})
	}
	group.Wait()
	assert.Len(t, r.Names(), 50)
}
