//go:build cgo && linux && slow

package cuda

import (
	"fmt"
	"math"
	"testing"

	"github.com/trackgen-go/trackgen/track"
)

// Like TestEveryCallFailsOnceInALife, with every single call, more error codes, all driver versions and all generators.
func TestEveryCallFailsInALife(t *testing.T) {
	t.Run("every call", func(t *testing.T) { sweep(t, 13000, lifeConfig("bezier"), math.MaxInt, 999, 1) })
	for _, version := range versions {
		for _, code := range []int{999, codeOutOfMemory, 700} {
			t.Run(fmt.Sprintf("%s code %d", versionText(version), code), func(t *testing.T) {
				sweep(t, version, lifeConfig("bezier"), 20, code, 10)
			})
		}
	}
	for _, generator := range track.Generators() {
		t.Run(generator, func(t *testing.T) {
			sweep(t, 13000, lifeConfig(generator), 20, 999, 10)
		})
	}
}
