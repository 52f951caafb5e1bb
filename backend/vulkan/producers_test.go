//go:build cgo && linux

package vulkan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/track"
)

// Whole generations have the bits of the CPU, under the validation layer, in every way in which a device can run them.
func TestProducers(t *testing.T) {
	reference, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, reference.Close()) }()
	for variant, change := range map[string]func(*settings){
		"native":           func(*settings) {},
		"corrected":        func(s *settings) { s.corrected = true },
		"offset alignment": func(s *settings) { s.alignment = granule },
	} {
		t.Run(variant, func(t *testing.T) {
			d := openTest(t, backend.Options{}, change)
			for _, generator := range track.Generators() {
				config := track.Config{Generator: generator, NumEnvs: 7}
				comparisons, err := parity.Compare(t.Context(), []backend.Device{reference, d}, config, 3, parity.Modes(), nil)
				require.NoError(t, err)
				for _, c := range comparisons {
					require.Nil(t, c.First, "%s on %s, %s: %v", generator, c.Device, c.Mode, c.First)
				}
			}
		})
	}
}
