//go:build slow

package gate_test

import (
	"testing"

	"github.com/trackgen-go/trackgen/gate"
)

// TestRandomConfigurations for a hundred thousand envs.
func TestManyRandomConfigurations(t *testing.T) {
	device := openCPU(t)
	checkRandom(t, 2500, func(c gate.Config) *gate.Batch { return generate(t, device, c) })
}
