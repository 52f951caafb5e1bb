//go:build cgo && linux

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// Other libraries read an array through its address, which is the address that the driver returned.
func TestAddresses(t *testing.T) {
	start(t, 12080, 1)
	d := openTest(t)
	a, err := exec.NewArray[float32](d, 8)
	require.NoError(t, err)
	part, err := a.Slice(3, 5)
	require.NoError(t, err)
	buffer := a.View().Buffer
	require.NotZero(t, a.Address())
	require.Equal(t, a.Address()+12, part.Address())
	require.Equal(t, a.Address(), buffer.(backend.Addresser).Address())
	require.NoError(t, a.Close())
	require.Zero(t, a.Address(), "after Close")
}
