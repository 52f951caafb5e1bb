package track

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// A circuit whose points need longer loops than the device allows is refused before any work. A long real circuit is
// accepted.
func TestMeasuredLoopsTooLongForTheDevice(t *testing.T) {
	opened, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	device := shortLoops{opened}
	var circle Circuit
	for i := range 4000 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 4000)
		circle.X, circle.Y = append(circle.X, 3000*cos), append(circle.Y, 3000*sin)
	}
	for name, options := range map[string]ImportOptions{"points": {HalfWidth: 5, MaxPoints: 40000},
		"relaxation": {HalfWidth: 5, Relax: true}} {
		_, err := Import(context.Background(), device, options, circle)
		assert.ErrorIs(t, err, backend.ErrUnsupported, name)
		assert.ErrorContains(t, err, "ends them after 65535", name)
	}
	p, err := newMeasuredCircuit(ImportOptions{HalfWidth: 5, Spacing: 1}, &circle, 0)
	require.NoError(t, err)
	p.setRoom(ImportOptions{}, p.needed)
	assert.Greater(t, p.needed, 18000)
	assert.NoError(t, p.checkLoops(device))
	assert.NoError(t, p.checkLoops(opened), "the CPU ends no loop")
}
