//go:build slow

package vehicle_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/required"
)

// The table is what the script prints with the package commonroad-vehicle-models.
func TestCommonRoadTable(t *testing.T) {
	script, err := os.ReadFile("testdata/commonroad.py")
	require.NoError(t, err)
	require.Equal(t, string(commonRoadTable), required.Python(t, "vehiclemodels,yaml", string(script)))
}
