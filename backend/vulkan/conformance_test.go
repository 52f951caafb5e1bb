//go:build cgo && linux

package vulkan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
)

// TestConformance runs the suite under the validation layer: with what the device is, with corrected arithmetic, with
// another number of lanes, and where no view of the suite lies at an offset that can be bound.
func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*settings){
		"native":             func(*settings) {},
		"corrected":          func(s *settings) { s.corrected = true },
		"8 lanes":            func(s *settings) { s.lanes = 8 },
		"offset alignment":   func(s *settings) { s.alignment = granule },
		"without validation": func(s *settings) { s.validation = false },
	} {
		t.Run(name, func(t *testing.T) {
			needDriver(t)
			backendtest.Run(t, backendtest.Config{Open: func(t testing.TB) backend.Device {
				s, err := readSettings()
				require.NoError(t, err)
				change(&s)
				d, err := openIndex(0, backend.Options{}, s)
				require.NoError(t, err)
				return d
			}})
			require.Empty(t, ValidationMessages())
		})
	}
}
