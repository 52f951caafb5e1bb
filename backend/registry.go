package backend

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// DeviceVariable names the environment variable that overrides "auto".
const DeviceVariable = "TRACKGEN_DEVICE"

// Device names that stand for the best available device. Backends cannot have them.
const (
	auto = "auto" // the best of all devices
	gpu  = "gpu"  // the best that is not the CPU
)

// Driver opens the devices of one backend. Its methods are safe for concurrent use.
type Driver interface {
	// Priority ranks the backend for "auto"; the highest comes first.
	Priority() int
	// Devices lists the current devices by index. If a library is missing it returns an *UnavailableError.
	Devices() ([]Info, error)
	// Open opens the device with that index.
	Open(index int, options Options) (Device, error)
}

// Priorities of drivers.
const (
	PriorityCPU      = 100 // always available
	PriorityPortable = 200 // GPUs of any vendor
	PriorityNative   = 300 // a vendor's own interface to its GPUs
)

// Register registers a driver under a name of lower-case letters and digits, such as "cuda". Init functions call it and
// cannot handle an error, so every Open and Devices of that name reports an invalid or repeated registration instead.
func Register(name string, driver Driver) { drivers.register(name, driver) }

// Open opens a device:
//
//	"auto"      the value of TRACKGEN_DEVICE if it is set, else the best device there is: by driver priority, GPUs
//	            that are really software, and devices that do not keep denormals (Caps), left out
//	"gpu"       the same without the CPU, and without TRACKGEN_DEVICE
//	"cpu"       the first device of a backend
//	"cuda:1"    a device by its index
//
// The error names the value and what is allowed. It matches ErrInvalid for an unknown name, and ErrUnavailable if the
// backend is known but its library or device is missing.
func Open(name string, options ...Option) (Device, error) { return drivers.open(name, options) }

// OpenAll opens the devices of a list of names with commas between them. A name is one of Open, or a backend with
// ":all", such as "cuda:all", for all of its devices, without software devices if there are others. The devices are in
// the order of the list, and none comes twice. After an error, no device stays open.
//
// The error is a *NameError for a name that is wrong or comes twice, and else one of Open, or an *UnavailableError if a
// backend has no device.
func OpenAll(names string, options ...Option) ([]Device, error) {
	return drivers.openAll(names, options)
}

// Backend is a registered backend with its devices, or the reason why it has none.
type Backend struct {
	Name    string
	Devices []Info
	Err     error
}

// Devices lists the registered backends in the order in which "auto" prefers them.
func Devices() []Backend { return drivers.list() }

// drivers holds the registrations by the backends' init functions.
var drivers registry

// registry maps names to drivers.
type registry struct {
	mu      sync.Mutex
	entries map[string]entry
}

// entry is a registered driver, or the error of its registration.
type entry struct {
	name   string
	driver Driver
	err    error
}

func (r *registry) register(name string, driver Driver) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries == nil {
		r.entries = make(map[string]entry)
	}
	e := entry{name: name, driver: driver}
	switch _, twice := r.entries[name]; {
	case twice:
		e.err = &ArgumentError{"register backend", "name", quote(name), "a name that is not registered yet"}
	case !validName(name) || name == auto || name == gpu:
		e.err = &ArgumentError{"register backend", "name", quote(name),
			`lower-case letters and digits, not "auto" or "gpu"`}
	case driver == nil:
		e.err = &ArgumentError{"register backend", "driver of " + quote(name), "nil", "a Driver"}
	}
	r.entries[name] = e
}

// ranked returns the entries by descending priority, and by name for equal priorities.
func (r *registry) ranked() []entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	entries := make([]entry, 0, len(r.entries))
	for _, e := range r.entries {
		entries = append(entries, e)
	}
	priority := func(e entry) int {
		if e.err != nil {
			return 0
		}
		return e.driver.Priority()
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(priority(b), priority(a)), cmp.Compare(a.name, b.name))
	})
	return entries
}

func (r *registry) list() []Backend {
	var backends []Backend
	for _, e := range r.ranked() {
		b := Backend{Name: e.name, Err: e.err}
		if e.err == nil {
			b.Devices, b.Err = e.driver.Devices()
		}
		backends = append(backends, b)
	}
	return backends
}

func (r *registry) open(name string, options []Option) (Device, error) {
	o, err := OptionsOf(options...)
	if err != nil {
		return nil, err
	}
	if name == auto {
		if value := os.Getenv(DeviceVariable); value != "" && value != auto {
			device, err := r.openNamed(value, o)
			if err != nil {
				return nil, fmt.Errorf("environment variable %s: %w", DeviceVariable, err)
			}
			return device, nil
		}
		return r.openBest(auto, o)
	}
	return r.openNamed(name, o)
}

// all is the index that stands for every device of a backend.
const all = "all"

func (r *registry) openAll(names string, options []Option) (devices []Device, err error) {
	defer func() {
		if err != nil {
			for _, d := range devices {
				err = errors.Join(err, d.Close())
			}
			devices = nil
		}
	}()
	opened := map[string]bool{}
	open := func(name string) error {
		device, err := r.open(name, options)
		if err != nil {
			return err
		}
		devices = append(devices, device)
		if opened[device.Info().Name] {
			return &NameError{Name: name, Reason: device.Info().Name + " is in the list twice"}
		}
		opened[device.Info().Name] = true
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		backend, index, _ := strings.Cut(name, ":")
		if index != all {
			if err := open(name); err != nil {
				return devices, err
			}
			continue
		}
		found, err := r.namesOf(backend)
		if err != nil {
			return devices, err
		}
		for _, name := range found {
			if err := open(name); err != nil {
				return devices, err
			}
		}
	}
	return devices, nil
}

// namesOf returns the names of the devices of a backend that are not software, or of all if there are only such.
func (r *registry) namesOf(backend string) (names []string, err error) {
	name := backend + ":" + all
	_, infos, err := r.devicesOf(name, backend)
	if err != nil {
		return nil, err
	}
	isSoftware := func(info Info) bool { return info.Software }
	if hardware := slices.DeleteFunc(slices.Clone(infos), isSoftware); len(hardware) > 0 {
		infos = hardware
	}
	for _, info := range infos {
		names = append(names, info.Name)
	}
	if len(names) == 0 {
		return nil, &UnavailableError{name, "the backend has no device", nil}
	}
	return names, nil
}

// devicesOf returns the driver and the devices of a backend, for the name that is to be opened.
func (r *registry) devicesOf(name, backend string) (Driver, []Info, error) {
	r.mu.Lock()
	e, known := r.entries[backend]
	r.mu.Unlock()
	switch {
	case !known:
		return nil, nil, r.nameError(name, "no such backend is registered")
	case e.err != nil:
		return nil, nil, e.err
	}
	devices, err := e.driver.Devices()
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, err)
	}
	return e.driver, devices, nil
}

// openBest opens the first device that is available, is not software and keeps denormals, for the name "auto" or "gpu".
// If opening an available device fails, the search ends: falling back to a slower device would hide the failure.
func (r *registry) openBest(name string, o Options) (Device, error) {
	var reasons []error
	for _, e := range r.ranked() {
		if e.err != nil {
			return nil, e.err
		}
		if name == gpu && e.driver.Priority() <= PriorityCPU {
			continue
		}
		devices, err := e.driver.Devices()
		if err != nil {
			reasons = append(reasons, err)
			continue
		}
		for index, info := range devices {
			if info.Software {
				reasons = append(reasons, &UnavailableError{info.Name, "a software device is opened by name only", nil})
				continue
			}
			device, err := e.driver.Open(index, o)
			if err == nil && !device.Caps().Denormals {
				err = errors.Join(&UnavailableError{info.Name,
					"a device that does not keep denormals is opened by name only", nil}, device.Close())
			}
			if err == nil {
				return device, nil
			}
			if !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrUnsupported) {
				return nil, fmt.Errorf("open %s: %w", info.Name, err)
			}
			reasons = append(reasons, err)
		}
	}
	backends, none := "backend", "no backend has a device"
	if name == gpu {
		backends, none = "backend of GPUs", "this machine has no GPU that can be used"
	}
	if len(reasons) == 0 {
		return nil, &UnavailableError{name, "no " + backends + " is registered (import backend/all or one backend)", nil}
	}
	return nil, &UnavailableError{name, none, errors.Join(reasons...)}
}

func (r *registry) openNamed(name string, o Options) (Device, error) {
	if name == gpu {
		return r.openBest(gpu, o)
	}
	backend, index, err := parseName(name)
	if err != nil {
		return nil, r.nameError(name, err.Error())
	}
	driver, devices, err := r.devicesOf(name, backend)
	if err != nil {
		return nil, err
	}
	if index >= len(devices) {
		found := &NameError{Name: name, Reason: fmt.Sprintf("there is no device %d", index)}
		for _, info := range devices {
			found.Allowed = append(found.Allowed, info.Name)
		}
		return nil, found
	}
	device, err := driver.Open(index, o)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if !device.Caps().Denormals {
		o.Issue(DenormalsWarning{Device: device.Info().Name, Driver: device.Info().Driver})
	}
	return device, nil
}

func (r *registry) nameError(name, reason string) *NameError {
	e := &NameError{Name: name, Reason: reason, Allowed: []string{auto, gpu}}
	for _, known := range r.ranked() {
		e.Allowed = append(e.Allowed, known.name)
	}
	e.Suggestion = nearest(name, e.Allowed)
	return e
}

// NameError reports an unknown device name.
type NameError struct {
	Name       string
	Reason     string
	Allowed    []string
	Suggestion string // the allowed name that was probably intended, may be empty
}

func (e *NameError) Error() string {
	text := "device " + quote(e.Name) + ": " + e.Reason
	if e.Suggestion != "" {
		text += "; did you mean " + quote(e.Suggestion) + "?"
	}
	if len(e.Allowed) > 0 {
		text += " (allowed: " + strings.Join(e.Allowed, ", ") + ")"
	}
	return text
}

// Is matches ErrInvalid.
func (e *NameError) Is(target error) bool { return target == ErrInvalid }
