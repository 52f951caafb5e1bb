package track

import (
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/noop"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// LoopsError reports a configuration whose kernels may need longer loops than a device allows, or than any device may
// run. A device with a limit would end the loops without an error, which changes the tracks; without one, a generation
// would take hours. It matches backend.ErrUnsupported.
type LoopsError = generation.LoopsError

// CheckDevice reports whether a device can run a configuration, without running anything. It returns nil, a
// *ConfigError for each wrong field, or a *LoopsError.
//
// If a single field is the cause, a *ConfigError wraps the *LoopsError and names the field and the nearest value with
// which the device can run the configuration. Each launch is checked again when it is emitted.
func (c Config) CheckDevice(device backend.Device) error {
	if device == nil {
		return &backend.ArgumentError{Op: prefix + "check device", Argument: "device", Value: nil,
			Allowed: "an open backend.Device"}
	}
	if err := c.Validate(); err != nil {
		return err
	}
	return c.Resolved().checkLoops(device)
}

// checkLoops is CheckDevice for a valid and resolved configuration.
func (c Config) checkLoops(device backend.Device) error {
	loops, err := generation.RefusedLoops(device, c.mayTakeHours(), c.longestLoops)
	if err != nil || loops == nil {
		return err
	}
	return c.blame(loops)
}

// mayTakeHours reports whether a kernel of this library may need more iterations than generation.MostIterations. The
// longest loops are those over all pairs of points, in each sweep or for each candidate of a loop.
func (c Config) mayTakeHours() bool {
	most := func(loop FirstLoop) float64 { return float64(max(1, c.Relax.Sweeps, loop.Checkpoint.BestOf)) }
	times := most(c.FirstLoop)
	for _, component := range c.Mix {
		times = max(times, most(component.FirstLoop))
	}
	points := float64(max(c.Output.LoopPoints, c.Output.MaxPoints))
	return points*points*times > generation.MostIterations
}

// longestLoops returns the kernel with the largest bound on loop iterations in a generation or a regeneration.
func (c Config) longestLoops() (noop.Kernel, error) {
	return generation.LongestLoops(c.build, c.NumEnvs)
}

// blame finds the field that makes loops too long, and returns a *ConfigError that names it. c is resolved.
func (c Config) blame(loops *LoopsError) error {
	for k, component := range c.Components() {
		var wrong *ConfigError
		longest, err := component.longestLoops()
		if err == nil && longest.Iterations > loops.Limit && errors.As(component.blame(loops), &wrong) {
			wrong.Field = generation.InComponent(k, wrong.Field)
			return wrong
		}
	}
	nearest, fewest := (*ConfigError)(nil), loops.Iterations
	for _, f := range Fields() {
		if is := f.Value(c); f.Name == generatorField || f.Default == nil || is == f.Default {
			continue
		}
		if allowed := c.allowedBy(f, loops); allowed != "" {
			return &ConfigError{Field: f.Name, Value: f.Text(c), Err: loops, Allowed: allowed + loops.OnDevice("")}
		}
		if made := c.iterationsWith(f, f.Default); made < fewest {
			fewest = made
			nearest = &ConfigError{Field: f.Name, Value: f.Text(c), Err: loops,
				Allowed: fmt.Sprintf("nearer to %v, and other fields too%s", f.Default, loops.OnDevice(","))}
		}
	}
	if nearest == nil {
		return loops
	}
	return nearest
}

// iterationsWith returns the largest bound on loop iterations with another value of a field, or the largest int64 if
// the configuration is not valid with it.
func (c Config) iterationsWith(f Field, value any) int64 {
	if f.Set(&c, value) != nil || c.Validate() != nil {
		return math.MaxInt64
	}
	longest, err := c.Resolved().longestLoops()
	if err != nil {
		return math.MaxInt64
	}
	return longest.Iterations
}

// allowedBy returns the values of a field, between its value and the default, with which the device can run the
// configuration, or "" if there are none.
func (c Config) allowedBy(f Field, loops *LoopsError) string {
	fits := func(value any) bool { return c.iterationsWith(f, value) <= loops.Limit }
	is, isNumber := f.Value(c).(int)
	standard, hasDefault := f.Default.(int)
	if !isNumber || !hasDefault {
		if fits(f.Default) {
			return fmt.Sprint(f.Default)
		}
		return ""
	}
	// The default may be invalid with the other fields, so the search for a value that fits proceeds in steps.
	const steps = 16
	bad, good := is, is
	for step := 1; step <= steps && good == is; step++ {
		if value := is + (standard-is)*step/steps; fits(value) {
			good = value
		} else {
			bad = value
		}
	}
	if good == is {
		return ""
	}
	for good != bad-1 && good != bad+1 {
		if middle := good + (bad-good)/2; fits(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	if good > is {
		return fmt.Sprintf("at least %d", good)
	}
	return fmt.Sprintf("at most %d", good)
}

// checkLoops refuses circuits whose kernels may need longer loops than the device allows, as Config.CheckDevice does.
// No circuit takes hours.
func (p *measuredCircuit) checkLoops(device backend.Device) error {
	loops, err := generation.RefusedLoops(device, false, p.longestLoops)
	if err != nil || loops == nil {
		return err
	}
	return loops
}

// longestLoops returns the kernel with the largest bound on loop iterations in the import of a circuit.
func (p *measuredCircuit) longestLoops() (longest noop.Kernel, err error) {
	idle, err := noop.Open()
	if err != nil {
		return longest, err
	}
	defer func() { err = errors.Join(err, idle.Close()) }()
	t, err := newTrack(idle, 1, p.config.Output.MaxPoints, func(c column.Device) bool {
		return p.config.isBanked() || c.Name != bankColumn
	})
	if err != nil {
		return longest, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	lc, err := exec.OnCurrentStream(idle)
	if err != nil {
		return longest, err
	}
	if err := p.build(lc, t, 0); err != nil {
		return longest, err
	}
	return generation.LongestLoopsOf(idle)
}
