//go:build !cgo || !(linux || darwin)

package vulkan

import "github.com/trackgen-go/trackgen/backend"

func init() { backend.Register(name, absent{}) }

// absent is the registration in a build that cannot load Vulkan.
type absent struct{}

func (absent) Priority() int { return backend.PriorityPortable }

func (absent) Devices() ([]backend.Info, error) {
	return nil, &backend.UnavailableError{Name: name,
		Reason: "this program was built without Vulkan, which needs cgo (CGO_ENABLED=1) and Linux or macOS"}
}

func (a absent) Open(int, backend.Options) (backend.Device, error) {
	_, err := a.Devices()
	return nil, err
}

// ValidationMessages returns nothing: there is no Vulkan in this build.
func ValidationMessages() []string { return nil }
