package generation

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/noop"
)

// LoopsError reports a configuration whose kernels may need longer loops than a device allows. The device would end the
// loops without an error, which changes the results. It matches backend.ErrUnsupported.
type LoopsError struct {
	Device     string
	Kernel     string // name in its definition
	Iterations int64  // bound on the total iterations of all loops of one lane in a launch
	Limit      int64  // of the device
}

func (e *LoopsError) Error() string {
	return fmt.Sprintf("%s: the loops of kernel %s may make %d iterations, and the device ends them after %d",
		e.Device, e.Kernel, e.Iterations, e.Limit)
}

// Is matches backend.ErrUnsupported.
func (e *LoopsError) Is(target error) bool { return target == backend.ErrUnsupported }

// RefusedLoops compares the kernel with the longest loops with the limit of a device. It returns nil if the device runs
// these loops to their end, and does not call longest for a device without a limit.
func RefusedLoops(device backend.Device, longest func() (noop.Kernel, error)) (*LoopsError, error) {
	limit := device.Caps().LoopIterations
	if limit <= 0 {
		return nil, nil
	}
	k, err := longest()
	if err != nil || k.Iterations <= limit {
		return nil, err
	}
	return &LoopsError{Device: device.Info().Name, Kernel: k.Name, Iterations: k.Iterations, Limit: limit}, nil
}

// CheckLoops compares the longest loops of a generation with the limit of a device. It returns nil if the device runs
// them to their end.
func CheckLoops(device backend.Device, build Build, envs int) (*LoopsError, error) {
	return RefusedLoops(device, func() (noop.Kernel, error) { return LongestLoops(build, envs) })
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
