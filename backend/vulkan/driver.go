//go:build cgo && (linux || darwin)

package vulkan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

func init() { backend.Register(name, driver{}) }

// driver is the registration. Each Open creates another device.
type driver struct{}

func (driver) Priority() int { return backend.PriorityPortable }

func (driver) Devices() ([]backend.Info, error) {
	s, err := readSettings()
	if err != nil {
		return nil, err
	}
	instance, devices, err := list(s)
	if err != nil {
		return nil, err
	}
	infos := make([]backend.Info, len(devices))
	for i, p := range devices {
		what := instance.describe(p)
		infos[i] = describe(i, &what)
	}
	return infos, nil
}

func (driver) Open(index int, options backend.Options) (backend.Device, error) {
	s, err := readSettings()
	if err != nil {
		return nil, err
	}
	d, err := openIndex(index, options, s)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func openIndex(index int, options backend.Options, s settings) (*device, error) {
	instance, devices, err := list(s)
	if err != nil {
		return nil, err
	}
	if index >= len(devices) {
		return nil, unavailable("the device is no longer there", nil)
	}
	return open(instance, devices[index], index, options, s)
}

// instances are created on first use, one with the validation layer and one without, and are never destroyed: drivers
// do not cope well with being loaded and unloaded repeatedly.
var instances struct {
	mu   sync.Mutex
	made map[bool]instanceHandle // by validation
}

// list returns the physical devices: discrete GPUs first and those that compute on the CPU last. Devices of one type
// keep the order of the loader, which its environment variables and layers can change, except those that compute on the
// CPU: the loader's order of these is arbitrary, so they are ordered by the names of their drivers.
func list(s settings) (instanceHandle, []physicalDevice, error) {
	instance, err := instanceFor(s.validation)
	if err != nil {
		return instance, nil, err
	}
	devices, result := instance.devices()
	if result != vk.Success {
		return instance, nil, unavailable("the drivers list no devices",
			resultError(name, "enumerate physical devices", result))
	}
	if len(devices) == 0 {
		return instance, nil, unavailable("no Vulkan driver found a device", nil)
	}
	places := make(map[physicalDevice]place, len(devices))
	for _, p := range devices {
		what := instance.describe(p)
		places[p] = placeOf(&what)
	}
	slices.SortStableFunc(devices, func(a, b physicalDevice) int { return places[a].compare(places[b]) })
	return instance, devices, nil
}

// place is what the order of the devices depends on.
type place struct {
	rank   int    // of the type
	driver string // name in lower-case letters, empty if it does not matter
}

func placeOf(d *description) place {
	p := place{rank: rank(d.properties.DeviceType)}
	if d.properties.DeviceType == vk.PhysicalDeviceTypeCpu {
		p.driver = strings.ToLower(d.driverName)
	}
	return p
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.rank, q.rank), strings.Compare(p.driver, q.driver))
}

// rank orders the types of devices.
func rank(t vk.PhysicalDeviceType) int {
	order := []vk.PhysicalDeviceType{vk.PhysicalDeviceTypeDiscreteGpu, vk.PhysicalDeviceTypeIntegratedGpu,
		vk.PhysicalDeviceTypeVirtualGpu, vk.PhysicalDeviceTypeOther, vk.PhysicalDeviceTypeCpu}
	if i := slices.Index(order, t); i >= 0 {
		return i
	}
	return len(order) - 2
}

func instanceFor(validation bool) (instanceHandle, error) {
	instances.mu.Lock()
	defer instances.mu.Unlock()
	if instance, ok := instances.made[validation]; ok {
		return instance, nil
	}
	if err := loadLibrary(); err != nil {
		return instanceHandle{}, unavailable("the Vulkan loader cannot be loaded (Debian: libvulkan1; macOS: "+
			"Homebrew's vulkan-loader and molten-vk)", err)
	}
	if validation && !layerPresent() {
		return instanceHandle{},
			unavailable(validationVariable+" is set, and the layer VK_LAYER_KHRONOS_validation is not installed "+
				"(Debian: vulkan-validationlayers)", nil)
	}
	instance, result := createInstance(validation)
	switch result {
	case vk.Success:
	case vk.ErrorIncompatibleDriver:
		return instance, unavailable("no Vulkan driver is installed (Debian: mesa-vulkan-drivers)", nil)
	default:
		return instance, unavailable("Vulkan does not start", fmt.Errorf("create instance: %w", vk.Error(result)))
	}
	if instances.made == nil {
		instances.made = make(map[bool]instanceHandle)
	}
	instances.made[validation] = instance
	return instance, nil
}

func unavailable(reason string, err error) error {
	return &backend.UnavailableError{Name: name, Reason: reason, Err: err}
}
