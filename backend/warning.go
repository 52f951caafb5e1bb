package backend

import (
	"fmt"
	"log/slog"
)

// Warning describes something that works but is probably not intended. Each kind has its own type, so that a program
// can tell them apart.
type Warning interface {
	// Warning returns a text for people.
	Warning() string
}

// LogWarning logs a warning at level warn to the default logger of log/slog.
func LogWarning(w Warning) { slog.Warn(w.Warning()) }

// DenormalsWarning says that a device was opened by name that does not keep denormals (Caps.Denormals). Open issues it
// once for each such device that it opens.
type DenormalsWarning struct {
	Device string // its name, such as "vulkan:1"
	Driver string
}

// Warning says what the device does, and which results depend on it.
func (w DenormalsWarning) Warning() string {
	return fmt.Sprintf("%s (%s) replaces float32 denormals, numbers below 1.2e-38, by zero; tracks of ordinary size have "+
		"the bits of other devices all the same, but those with lengths below about 1e-14, and kernels of your own, may not",
		w.Device, w.Driver)
}
