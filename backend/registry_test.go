package backend

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeDriver has devices that record how they were opened.
type fakeDriver struct {
	priority int
	devices  []Info
	listErr  error
	openErr  error
	flushes  bool
}

func (f fakeDriver) Priority() int { return f.priority }

func (f fakeDriver) Devices() ([]Info, error) { return f.devices, f.listErr }

func (f fakeDriver) Open(index int, options Options) (Device, error) {
	if f.openErr != nil {
		return nil, f.openErr
	}
	return fakeDevice{info: f.devices[index], options: options, flushes: f.flushes}, nil
}

type fakeDevice struct {
	Device
	info    Info
	options Options
	flushes bool
}

func (f fakeDevice) Info() Info { return f.info }

func (f fakeDevice) Caps() Caps { return Caps{Denormals: !f.flushes} }

func (f fakeDevice) Close() error { return nil }

func withDrivers(entries map[string]Driver) *registry {
	r := new(registry)
	for name, driver := range entries {
		r.register(name, driver)
	}
	return r
}

var (
	processor = fakeDriver{priority: PriorityCPU, devices: []Info{{Name: "cpu"}}}
	gpus      = fakeDriver{priority: PriorityNative, devices: []Info{{Name: "cuda:0"}, {Name: "cuda:1"}}}
	portable  = fakeDriver{priority: PriorityPortable, devices: []Info{{Name: "vulkan:0", Software: true},
		{Name: "vulkan:1"}}}
	software = fakeDriver{priority: PriorityPortable, devices: []Info{{Name: "vulkan:0", Software: true}}}
	missing  = fakeDriver{priority: PriorityNative, listErr: &UnavailableError{"cuda", "libcuda.so.1 is missing", nil}}
	broken   = fakeDriver{priority: PriorityNative, devices: []Info{{Name: "cuda:0"}},
		openErr: &OutOfMemoryError{"cuda:0", 2, 1}}
	flushing = fakeDriver{priority: PriorityPortable, devices: []Info{{Name: "vulkan:0", Driver: "phone 1"}},
		flushes: true}
	inexact = fakeDriver{priority: PriorityNative, devices: []Info{{Name: "cuda:0"}},
		openErr: &UnsupportedError{"cuda:0", "exact float", ""}}
)

func TestAutoPrefersByPriority(t *testing.T) {
	t.Setenv(DeviceVariable, "")
	for want, drivers := range map[string]map[string]Driver{
		"cuda:0":   {"cpu": processor, "cuda": gpus, "vulkan": portable},
		"vulkan:1": {"cpu": processor, "cuda": missing, "vulkan": portable},
		"cpu":      {"cpu": processor, "cuda": inexact, "vulkan": software},
	} {
		device, err := withDrivers(drivers).open("auto", nil)
		require.NoError(t, err)
		require.Equal(t, want, device.Info().Name)
	}
}

// The name gpu never means the CPU or a software device, and the environment does not change it.
func TestGPU(t *testing.T) {
	t.Setenv(DeviceVariable, "cpu")
	for want, drivers := range map[string]map[string]Driver{
		"cuda:0":   {"cpu": processor, "cuda": gpus, "vulkan": portable},
		"vulkan:1": {"cpu": processor, "cuda": missing, "vulkan": portable},
	} {
		device, err := withDrivers(drivers).open("gpu", nil)
		require.NoError(t, err)
		require.Equal(t, want, device.Info().Name)
	}
	r := withDrivers(map[string]Driver{"cpu": processor, "cuda": missing, "vulkan": software})
	_, err := r.open("gpu", nil)
	require.ErrorIs(t, err, ErrUnavailable)
	require.EqualError(t, err, "gpu is unavailable: this machine has no GPU that can be used: cuda is unavailable: "+
		"libcuda.so.1 is missing; vulkan:0 is unavailable: a software device is opened by name only")

	t.Setenv(DeviceVariable, "gpu")
	_, err = r.open("auto", nil)
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, DeviceVariable)
	device, err := withDrivers(map[string]Driver{"cpu": processor, "cuda": gpus}).open("auto", nil)
	require.NoError(t, err)
	require.Equal(t, "cuda:0", device.Info().Name)

	_, err = withDrivers(map[string]Driver{"cpu": processor}).open("gpu", nil)
	require.ErrorContains(t, err, "gpu is unavailable: no backend of GPUs is registered")
}

func TestAutoWithoutDevice(t *testing.T) {
	t.Setenv(DeviceVariable, "")
	_, err := new(registry).open("auto", nil)
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "import")

	_, err = withDrivers(map[string]Driver{"cuda": missing, "vulkan": software}).open("auto", nil)
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "libcuda.so.1 is missing")
	require.ErrorContains(t, err, "vulkan:0")
}

// A device that does not keep denormals is opened by name only, with one warning.
func TestDeviceWithoutDenormals(t *testing.T) {
	var warnings []Warning
	options := []Option{Warnings(func(w Warning) { warnings = append(warnings, w) })}
	r := withDrivers(map[string]Driver{"cpu": processor, "vulkan": flushing})
	t.Setenv(DeviceVariable, "")
	device, err := r.open("auto", options)
	require.NoError(t, err)
	require.Equal(t, "cpu", device.Info().Name)
	_, err = r.open("gpu", options)
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "vulkan:0 is unavailable: a device that does not keep denormals is opened by name only")
	require.Empty(t, warnings)

	for i, name := range []string{"vulkan:0", "vulkan", "auto"} {
		t.Setenv(DeviceVariable, "vulkan:0")
		device, err = r.open(name, options)
		require.NoError(t, err)
		require.Equal(t, "vulkan:0", device.Info().Name)
		require.Len(t, warnings, i+1)
		require.Equal(t, DenormalsWarning{Device: "vulkan:0", Driver: "phone 1"}, warnings[i])
	}
	require.Contains(t, warnings[0].Warning(), "vulkan:0 (phone 1)")
	_, err = r.open("cpu", options)
	require.NoError(t, err)
	require.Len(t, warnings, 3)

	var text strings.Builder
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	defer slog.SetDefault(old)
	_, err = r.open("vulkan:0", nil)
	require.NoError(t, err)
	require.Contains(t, text.String(), "level=WARN")
	require.Contains(t, text.String(), "denormals")
}

// A device that is available but fails is not replaced by a slower one.
func TestAutoReportsFailure(t *testing.T) {
	t.Setenv(DeviceVariable, "")
	_, err := withDrivers(map[string]Driver{"cpu": processor, "cuda": broken}).open("auto", nil)
	require.ErrorIs(t, err, ErrOutOfMemory)
	require.ErrorContains(t, err, "open cuda:0")
}

func TestEnvironmentOverridesAuto(t *testing.T) {
	r := withDrivers(map[string]Driver{"cpu": processor, "cuda": gpus, "vulkan": software})
	for value, want := range map[string]string{"cpu": "cpu", "cuda:1": "cuda:1", "vulkan:0": "vulkan:0", "auto": "cuda:0",
		"": "cuda:0"} {
		t.Setenv(DeviceVariable, value)
		device, err := r.open("auto", nil)
		require.NoError(t, err)
		require.Equal(t, want, device.Info().Name)
		device, err = r.open("cpu", nil)
		require.NoError(t, err)
		require.Equal(t, "cpu", device.Info().Name, "a name beats the environment")
	}
	t.Setenv(DeviceVariable, "cdua")
	_, err := r.open("auto", nil)
	require.ErrorIs(t, err, ErrInvalid)
	require.ErrorContains(t, err, DeviceVariable)
	require.ErrorContains(t, err, `did you mean "cuda"?`)
}

func TestOpenByName(t *testing.T) {
	r := withDrivers(map[string]Driver{"cpu": processor, "cuda": gpus, "vulkan": missing})
	for name, want := range map[string]string{"cpu": "cpu", "cpu:0": "cpu", "cuda": "cuda:0", "cuda:0": "cuda:0",
		"cuda:1": "cuda:1", "cuda:0001": "cuda:1"} {
		device, err := r.open(name, nil)
		require.NoError(t, err)
		require.Equal(t, want, device.Info().Name)
	}
	_, err := r.open("vulkan:3", nil)
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "missing")
}

func TestHostileNames(t *testing.T) {
	r := withDrivers(map[string]Driver{"cpu": processor, "cuda": gpus})
	for name, part := range map[string]string{
		"":                         "empty",
		"cuda:-1":                  `did you mean "cuda"?`,
		"cuda:2":                   "allowed: cuda:0, cuda:1",
		"cpu:1":                    "allowed: cpu",
		"cpu:99999999999":          "0 to 9999",
		"cuda:":                    "0 to 9999",
		"cuda:1:2":                 "0 to 9999",
		"cuda:+1":                  "0 to 9999",
		"cuda: 1":                  "0 to 9999",
		"cuda:٣":                   "0 to 9999",
		":0":                       "lower-case letters",
		"CPU ":                     `did you mean "cpu"?`,
		"CUDA:0":                   `did you mean "cuda"?`,
		"cpü":                      `"cp\u00fc"`,
		"cpu\x00":                  `"cpu\x00"`,
		"\xff\xfe":                 `"\xff\xfe"`,
		"rocm":                     "allowed: auto, gpu, cuda, cpu",
		"auto:0":                   `did you mean "auto"?`,
		"gpu:0":                    `did you mean "gpu"?`,
		strings.Repeat("x", 1<<20): `"...: no such`,
	} {
		_, err := r.open(name, nil)
		require.ErrorIs(t, err, ErrInvalid, "%.20q", name)
		var nameError *NameError
		require.ErrorAs(t, err, &nameError)
		require.ErrorContains(t, err, part)
		require.Less(t, len(err.Error()), 500)
	}
}

func TestRegisterReportsMistakes(t *testing.T) {
	r := withDrivers(map[string]Driver{"cpu": processor, "CUDA": gpus, "none": nil, "auto": gpus, "gpu": gpus})
	r.register("cpu", gpus)
	_, err := r.open("cpu", nil)
	require.ErrorIs(t, err, ErrInvalid)
	require.ErrorContains(t, err, "not registered yet")
	_, err = r.open("none", nil)
	require.ErrorContains(t, err, "nil")
	for _, b := range r.list() {
		require.ErrorIs(t, b.Err, ErrInvalid, b.Name)
		require.Empty(t, b.Devices)
	}
}

func TestDevicesListsAll(t *testing.T) {
	list := withDrivers(map[string]Driver{"cpu": processor, "cuda": missing, "vulkan": software}).list()
	require.Len(t, list, 3)
	require.Equal(t, []string{"cuda", "vulkan", "cpu"}, []string{list[0].Name, list[1].Name, list[2].Name})
	require.ErrorIs(t, list[0].Err, ErrUnavailable)
	require.True(t, list[1].Devices[0].Software)
	require.NoError(t, list[2].Err)
}

func TestOptions(t *testing.T) {
	r := withDrivers(map[string]Driver{"cpu": processor})
	device, err := r.open("cpu", []Option{Workers(3), Debug(true), DebugSeed(9), MemoryLimit(1 << 20), Workers(4)})
	require.NoError(t, err)
	require.Equal(t, Options{Workers: 4, Debug: true, DebugSeed: 9, MemoryLimit: 1 << 20}, device.(fakeDevice).options)
	for part, option := range map[string]Option{
		"option 0 is nil":    nil,
		"Workers is -1":      Workers(-1),
		"Workers is 1025":    Workers(MaxWorkers + 1),
		"MemoryLimit is -5:": MemoryLimit(-5),
	} {
		_, err := r.open("cpu", []Option{option})
		require.ErrorIs(t, err, ErrInvalid)
		require.ErrorContains(t, err, part)
	}
}

func FuzzOpenName(f *testing.F) {
	r := withDrivers(map[string]Driver{"cpu": processor, "cuda": gpus})
	for _, seed := range []string{"cpu", "cuda:1", "cuda:-1", "", "CPU ", "vulkan:0", "cpu:99999999999", "cpü"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name == auto || name == gpu {
			return
		}
		device, err := r.open(name, nil)
		switch {
		case err == nil && !strings.HasPrefix(name, strings.TrimRight(device.Info().Name, ":01")):
			t.Errorf("%q opens %s", name, device.Info().Name)
		case err != nil && !errors.Is(err, ErrInvalid):
			t.Errorf("%q: %v does not match ErrInvalid", name, err)
		case err != nil && len(err.Error()) > 1000:
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
	})
}
