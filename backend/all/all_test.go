package all

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

func TestAllAreRegistered(t *testing.T) {
	var names []string
	for _, b := range backend.Devices() {
		names = append(names, b.Name)
	}
	require.Equal(t, []string{"cuda", "vulkan", "cpu"}, names)
}
