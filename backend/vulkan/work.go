//go:build cgo && (linux || darwin)

package vulkan

import (
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

// Drivers end a submission that takes too long, and with it the device: after 10 s on amdgpu, after less on a GPU that
// also draws the screen. So a submission holds a limited amount of work. It is estimated from what is known when the
// work is recorded, the iterations of loops that kernels state, because a graph is recorded before anything has run.
// The estimate decides only where work is cut: it changes no result.

// Estimates of work, in loop iterations of one lane.
const (
	// defaultWork is about 0.15 s of repulsive growth, the kernel whose iterations take longest, on an integrated GPU.
	defaultWork = 2e9
	// discreteWork is the same for discrete GPUs, which are about ten times as fast.
	discreteWork = 16e9
	// unstatedWork counts a thread or lane of a kernel that states no iterations.
	unstatedWork = 64
	// maxRanges limits the dispatches of one launch.
	maxRanges = 1024
)

// wordWork estimates a copy or a fill.
func wordWork(bytes int64) float64 { return float64(bytes) }

// launchWork estimates a launch. It assumes that every item is worked on and every loop runs as long as it may.
func (e *encoder) launchWork(o *recorder.Operation) float64 {
	if e.device.maxWork == 0 {
		return 0
	}
	each := float64(unstatedWork)
	if o.Def.Iterations != nil {
		each = max(0, o.Iterations(&e.args)) + 1
	}
	if o.Def.Group {
		each *= float64(max(o.Def.Lanes, 1))
	}
	return float64(o.N) * each
}

// rangeOf returns how many workgroups each dispatch of a launch has, except the last one, which may have fewer. The
// kernel sees the end of the launch only, not that of a dispatch. So only the last dispatch may have more workgroups
// than it needs: the others have one row of workgroups, or full rows.
func (d *device) rangeOf(work float64, groups int64) int64 {
	if d.maxWork == 0 || work <= d.maxWork {
		return groups
	}
	each := max(divideUp(groups, maxRanges), 1)
	if each > maxGroups {
		each = divideUp(each, maxGroups) * maxGroups
	}
	if fit := d.maxWork / work * float64(groups); fit > float64(each) { // false if it is not a number
		each = int64(fit)
		if each > maxGroups {
			each -= each % maxGroups
		}
	}
	return each
}

// full reports whether a command does not fit into a command buffer with so much work. Nothing fits beside work that is
// not a number.
func (d *device) full(work float64, c *command) bool {
	return d.maxWork > 0 && work != 0 && !(work+c.work <= d.maxWork)
}

// workOf returns the most work of a submission to a device of this type, 0 for no limit. Drivers that compute on the
// CPU end nothing.
func workOf(d *description) float64 {
	switch d.properties.DeviceType {
	case vk.PhysicalDeviceTypeCpu:
		return 0
	case vk.PhysicalDeviceTypeDiscreteGpu:
		return discreteWork
	}
	return defaultWork
}
