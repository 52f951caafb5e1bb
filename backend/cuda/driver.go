//go:build cgo && linux

package cuda

import (
	"fmt"
	"os"

	"github.com/trackgen-go/trackgen/backend"
)

func init() { backend.Register(name, driver{}) }

// driver is the registration.
type driver struct{}

func (driver) Priority() int { return backend.PriorityNative }

// The environment variables, which the package comment documents.
const (
	libraryVariable      = "TRACKGEN_LIBCUDA"
	conditionalsVariable = "TRACKGEN_CUDA_CONDITIONALS"
	cacheVariable        = "TRACKGEN_CUDA_CACHE"
)

// minimumVersion is the oldest driver that has all functions of declarations.h.
const minimumVersion = 12030

// minimumMajor is the major number of the oldest compute capability that the PTX can be compiled for, sm_70.
const minimumMajor = 7

// conditionalVersion is the oldest driver whose conditional nodes are probed (decision D21).
const conditionalVersion = 12040

// settings are the values of the environment variables.
type settings struct {
	libraries    []string // the first that works is used
	conditionals bool
	cache        string // directory, "off", or empty for what the option says
}

func readSettings() (settings, error) {
	s := settings{libraries: defaultLibraries(), conditionals: true, cache: os.Getenv(cacheVariable)}
	if path := os.Getenv(libraryVariable); path != "" {
		s.libraries = []string{path}
	}
	switch value := os.Getenv(conditionalsVariable); value {
	case "", "on":
	case "off":
		s.conditionals = false
	default:
		return s, &backend.ArgumentError{Op: "environment", Argument: conditionalsVariable, Value: value,
			Allowed: `"on", "off" or nothing`}
	}
	return s, nil
}

// versionText formats 12040 as 12.4.
func versionText(version int) string { return fmt.Sprintf("%d.%d", version/1000, version%1000/10) }

// deviceName is the canonical name of a device.
func deviceName(index int) string { return fmt.Sprintf("%s:%d", name, index) }

func (driver) Devices() ([]backend.Info, error) {
	s, err := readSettings()
	if err != nil {
		return nil, err
	}
	l, version, count, err := connect(s.libraries)
	if err != nil {
		return nil, err
	}
	devices := make([]backend.Info, count)
	for i := range devices {
		d, err := describe(l, i)
		if err != nil {
			return nil, err
		}
		devices[i] = d.info(version, i)
	}
	return devices, nil
}

// describe returns what the driver says about the device with the given index.
func describe(l *library, index int) (description, error) {
	d, f := l.describe(index)
	return d, f.as(deviceName(index), "describe the device")
}

// info describes the device with the given index.
func (d description) info(version, index int) backend.Info {
	return backend.Info{
		Name:    deviceName(index),
		Backend: name,
		Description: fmt.Sprintf("%s (compute capability %d.%d, %d multiprocessors)", d.name, d.major, d.minor,
			d.multiprocessors),
		Driver:      "CUDA " + versionText(version),
		MemoryBytes: d.bytes,
	}
}

// capable returns an error if the PTX cannot be compiled for the device with the given index.
func (d description) capable(index int) error {
	if d.major < minimumMajor {
		return &backend.UnavailableError{Name: deviceName(index),
			Reason: fmt.Sprintf("its compute capability is %d.%d, at least %d.0 is needed", d.major, d.minor, minimumMajor)}
	}
	return nil
}

func (driver) Open(index int, options backend.Options) (backend.Device, error) {
	s, err := readSettings()
	if err != nil {
		return nil, err
	}
	l, version, _, err := connect(s.libraries)
	if err != nil {
		return nil, err
	}
	about, err := describe(l, index)
	if err != nil {
		return nil, err
	}
	if err := about.capable(index); err != nil {
		return nil, err
	}
	d, err := open(l, version, index, about, options, s)
	if err != nil {
		return nil, err
	}
	return d, nil
}
