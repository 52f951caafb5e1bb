package seedsfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadTooManySeeds(t *testing.T) {
	seeds, err := read("seeds.txt", strings.NewReader("1 2\n3"), 3, 100)
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 2, 3}, seeds)
	_, err = read("seeds.txt", strings.NewReader("1 2\n3 4"), 3, 100)
	assert.EqualError(t, err, "seeds.txt:2: more than 3 seeds")
}

// endless is an infinite file of empty lines.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

func TestReadTooLong(t *testing.T) {
	_, err := read("seeds.txt", endless{}, 3, 1<<20)
	assert.EqualError(t, err, "seeds.txt: longer than 1048576 bytes")
	seeds, err := read("seeds.txt", strings.NewReader("12 34"), 3, 5)
	require.NoError(t, err)
	assert.Equal(t, []int32{12, 34}, seeds)
}
