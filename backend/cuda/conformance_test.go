//go:build cgo && linux

package cuda

import (
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
)

func TestConformance(t *testing.T) { // R166
	for _, version := range versions {
		t.Run(versionText(version), func(t *testing.T) {
			start(t, version, uint64(version))
			backendtest.Run(t, backendtest.Config{Open: func(t testing.TB, options ...backend.Option) backend.Device {
				return openDevice(t, options...)
			}})
		})
	}
}
