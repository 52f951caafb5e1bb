package generation

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/noop"
)

// MostIterations is the limit of the loop iterations of a lane in one launch, on every device. A group of 128 lanes
// with as many takes about half an hour on a core of a processor, and a minute on a GPU.
const MostIterations = 1 << 33

// LoopsError reports a configuration whose kernels may need longer loops than a device allows, or than any device may
// run. A device with a limit would end the loops without an error, which changes the results; without one, a generation
// would take hours. It matches backend.ErrUnsupported.
type LoopsError struct {
	Device     string // empty for MostIterations
	Kernel     string // name in its definition
	Iterations int64  // bound on the total iterations of all loops of one lane in a launch
	Limit      int64
}

func (e *LoopsError) Error() string {
	if e.Device == "" {
		return fmt.Sprintf("the loops of kernel %s may make %d iterations, which would take hours; the limit is %d", e.Kernel,
			e.Iterations, e.Limit)
	}
	return fmt.Sprintf("%s: the loops of kernel %s may make %d iterations, and the device ends them after %d",
		e.Device, e.Kernel, e.Iterations, e.Limit)
}

// OnDevice returns the end of a sentence, after an optional comma, that names the device if the limit is its own.
func (e *LoopsError) OnDevice(comma string) string {
	if e.Device == "" {
		return ""
	}
	return comma + " on the device " + e.Device
}

// Is matches backend.ErrUnsupported.
func (e *LoopsError) Is(target error) bool { return target == backend.ErrUnsupported }

// RefusedLoops compares the kernel with the longest loops with the limit of a device, or with MostIterations if the
// device has none. It returns nil if the loops run to their end. mayTakeHours says that the loops may exceed
// MostIterations; if not, RefusedLoops does not call longest for a device without a limit, because that takes as long
// as a small generation.
func RefusedLoops(device backend.Device, mayTakeHours bool, longest func() (noop.Kernel, error)) (*LoopsError, error) {
	refused := LoopsError{Device: device.Info().Name, Limit: device.Caps().LoopIterations}
	if refused.Limit <= 0 {
		refused = LoopsError{Limit: MostIterations}
		if !mayTakeHours {
			return nil, nil
		}
	}
	k, err := longest()
	if err != nil || k.Iterations <= refused.Limit {
		return nil, err
	}
	refused.Kernel, refused.Iterations = k.Name, k.Iterations
	return &refused, nil
}

// CheckLoops compares the longest loops of a generation, which take no hours, with the limit of a device. It returns
// nil if the device runs them to their end.
func CheckLoops(device backend.Device, build Build, envs int) (*LoopsError, error) {
	return RefusedLoops(device, false, func() (noop.Kernel, error) { return LongestLoops(build, envs) })
}

// LongestLoopsOf returns the kernel with the largest bound on loop iterations of all that a noop device was asked to
// run.
func LongestLoopsOf(idle backend.Device) (longest noop.Kernel, err error) {
	report, err := noop.Of(idle)
	for _, k := range report.Kernels {
		if k.Iterations > longest.Iterations {
			longest = k
		}
	}
	return longest, err
}

// LongestLoops returns the kernel with the largest bound on loop iterations in a generation or a regeneration.
func LongestLoops(build Build, envs int) (longest noop.Kernel, err error) {
	err = onNoop(build, envs, func(g *Generation) (err error) {
		if err := new(Demand).record(g); err != nil {
			return err
		}
		longest, err = LongestLoopsOf(g.device)
		return err
	})
	return longest, err
}
