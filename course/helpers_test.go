package course_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
)

func openCPU(t testing.TB, options ...backend.Option) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}
