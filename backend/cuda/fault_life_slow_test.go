//go:build cgo && linux && slow

package cuda

import (
	"fmt"
	"math"
	"testing"

	"github.com/trackgen-go/trackgen/track"
)

// The same for every single call, every code of a kind of its own, all drivers and all generators.
func TestEveryCallFailsInALife(t *testing.T) {
	for _, version := range versions {
		for _, code := range []int{999, codeOutOfMemory, 700} {
			t.Run(fmt.Sprintf("%s code %d", versionText(version), code), func(t *testing.T) {
				newFaults(t, version, lifeConfig("bezier")).sweep(math.MaxInt, code)
			})
		}
	}
	for _, generator := range track.Generators() {
		t.Run(generator, func(t *testing.T) {
			newFaults(t, 13000, lifeConfig(generator)).sweep(40, 999)
		})
	}
}
