//go:build !race

package circuit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
)

// A file with more points than the limit is refused before all of it is read. With the race detector this takes ten
// seconds.
func TestTooManyPoints(t *testing.T) {
	_, err := circuit.Read("ring.csv", &endless{text: "0,0\n1,1\n"}, circuit.Options{})
	require.ErrorIs(t, err, circuit.ErrFormat)
	assert.ErrorContains(t, err, "ring.csv:1048577: the number of points is more than 1048576: must be at most that")
}
