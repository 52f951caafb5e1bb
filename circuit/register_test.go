package circuit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/circuit"
)

func TestRegisterFormat(t *testing.T) {
	read := func(data []byte) ([]circuit.TrackLine, error) {
		if len(data) > 8 {
			return nil, errors.New("nine bytes")
		}
		return []circuit.TrackLine{{Env: "4", Name: "Ring", Valid: true, X: []float64{0, 9, 0}, Y: []float64{0, 0, 9}}}, nil
	}
	for want, err := range map[string]error{
		"name":  circuit.RegisterFormat("", "RING", read),
		"magic": circuit.RegisterFormat("rings", "", read),
		"read":  circuit.RegisterFormat("rings", "RING", nil),
	} {
		var argument *backend.ArgumentError
		require.ErrorAs(t, err, &argument)
		assert.Equal(t, want, argument.Argument)
	}
	require.NoError(t, circuit.RegisterFormat("rings", "RING", read))
	require.ErrorContains(t, circuit.RegisterFormat("rings", "OTHER", read),
		`name is "rings": must be a name that is not registered yet`)

	files, err := circuit.ReadAll("a", strings.NewReader("RING...."), circuit.Options{})
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.Equal(t, "Ring", files[0].Name)
	assert.Equal(t, "rings", files[0].Kind)
	assert.Equal(t, []float64{0, 9, 0}, files[0].X)
	_, err = circuit.ReadAll("a", strings.NewReader("RING....."), circuit.Options{})
	require.ErrorIs(t, err, circuit.ErrFormat)
	require.ErrorContains(t, err, "a: the rings file is wrong: nine bytes: must be tracks as trackgen writes them")
}
