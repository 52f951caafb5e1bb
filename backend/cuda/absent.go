//go:build !cgo || !linux

package cuda

import "github.com/trackgen-go/trackgen/backend"

func init() { backend.Register(name, absent{}) }

// absent is the registration of a build that cannot load the driver.
type absent struct{}

func (absent) Priority() int { return backend.PriorityNative }

func (absent) Devices() ([]backend.Info, error) {
	return nil,
		&backend.UnavailableError{Name: name,
			Reason: "this program was built without it: it needs Linux and cgo (CGO_ENABLED=1)"}
}

func (a absent) Open(int, backend.Options) (backend.Device, error) {
	_, err := a.Devices()
	return nil, err
}
