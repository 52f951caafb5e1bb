package vehicle

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/vehicle"
)

// Inputs are the arrays, in device memory, that steps read.
type Inputs struct {
	// Actions has the actions of each vehicle beside each other, [E*A*C], C as Channels has it: of a car, steering (to the
	// left above 0) and drive; of a drone, collective thrust (-1 is none) and the rates about the axes of its body. Each
	// counts as -1 to 1, which is the limit of the vehicle, and a NaN as 0 (L-1).
	Actions exec.Array[float32]
	// Hold says which envs do not move in a step: those whose number is not 0, [E]. The zero array holds none.
	Hold exec.Array[int32]
	// Ground puts cars to the height of the line that they drive along. The zero value leaves their height as it is.
	Ground Ground
}

// Ground is a line for each env, as localise.Localiser.Arrays has it, and where the cars were on it (L-8).
type Ground struct {
	Index     exec.Array[kernel.Quat] // one line per env: see package kernels/polyline
	Segment   exec.Array[int32]       // [E*A] segment that is nearest to each car, -1 for none
	MaxPoints int                     // stride of the points of the line
}

// isNone reports whether there is no ground.
func (g Ground) isNone() bool { return g.Index.IsZero() && g.Segment.IsZero() && g.MaxPoints == 0 }

// check refuses inputs that are missing, on another device or of another length.
func (s *Simulator) check(op string, in Inputs) error {
	device, n := s.component.Device(), s.number()
	err := in.Actions.Check(op, "actions", device, n*Channels(s.config.Model))
	if err == nil && !in.Hold.IsZero() {
		err = in.Hold.Check(op, "hold", device, s.config.NumEnvs)
	}
	if err == nil && !in.Ground.isNone() && s.config.Model == Drone {
		err = &backend.ArgumentError{Op: op, Argument: "ground", Value: "a line", Allowed: "none for drones, which fly"}
	}
	if err == nil && !in.Ground.isNone() {
		err = in.Ground.check(op, device, s.config.NumEnvs, n)
	}
	return err
}

// check refuses a ground whose arrays do not fit.
func (g Ground) check(op string, device backend.Device, envs, number int) error {
	if g.MaxPoints < 1 || g.MaxPoints > exec.MaxElements/4 {
		return &backend.ArgumentError{Op: op, Argument: "ground max points", Value: g.MaxPoints,
			Allowed: "the stride of the line, above 0"}
	}
	return errors.Join(g.Segment.Check(op, "ground segment", device, number),
		g.Index.Check(op, "ground index", device, envs*int(polyline.Size(int32(g.MaxPoints)))))
}

// Bind makes in the arrays that all later calls of Step read. A later Bind replaces them, and warns if a capture has
// recorded the earlier ones (R97).
//
// It returns a *backend.ArgumentError for an array that is missing or does not fit.
func (s *Simulator) Bind(in Inputs) error {
	const op = "bind"
	if err := s.open(op); err != nil {
		return err
	}
	if err := s.check(prefix+op, in); err != nil {
		return err
	}
	s.inputs = in
	s.component.Bind(exec.InputOf("actions", in.Actions), exec.InputOf("hold", in.Hold),
		exec.InputOf("ground index", in.Ground.Index), exec.InputOf("ground segment", in.Ground.Segment))
	return nil
}

// Step moves all vehicles by one step with the bound inputs, which it reads on the device. Vehicles whose position has
// a NaN are paused: nothing of them changes. Inside a capture of the stream that ctx resolves to, the work is recorded,
// not run.
func (s *Simulator) Step(ctx context.Context) error {
	const op = "step"
	if err := s.open(op); err != nil {
		return err
	}
	if err := s.component.CheckBound(op, true); err != nil {
		return err
	}
	return s.component.Run(ctx, op, s.bound.Get(s.inputs))
}

// StepAt is Step for the inputs of the call, if none are bound (C-90). On an eager CPU device, only the first call with
// the same arrays allocates.
func (s *Simulator) StepAt(ctx context.Context, in Inputs) error {
	const op = "step at"
	if err := s.checkAt(op, in); err != nil {
		return err
	}
	return s.component.Run(ctx, op, s.perCall.Get(in))
}

// checkAt checks the inputs of a call.
func (s *Simulator) checkAt(op string, in Inputs) error {
	if err := s.open(op); err != nil {
		return err
	}
	if err := s.component.CheckBound(op, false); err != nil {
		return err
	}
	if s.check(op, in) == nil { // makes no text
		return nil
	}
	return s.check(prefix+op, in)
}

// EnqueueStep emits one Step on lc without any policy, for callers that record it as a part of their own work.
func (s *Simulator) EnqueueStep(lc *exec.LaunchContext) {
	const op = "enqueue step"
	err := s.open(op)
	if err == nil {
		err = s.component.CheckBound(op, true)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	s.component.Recorded(lc)
	s.step(lc, s.inputs)
}

// EnqueueStepAt emits one StepAt on lc without any policy.
func (s *Simulator) EnqueueStepAt(lc *exec.LaunchContext, in Inputs) {
	if err := s.checkAt("enqueue step at", in); err != nil {
		lc.Fail(err)
		return
	}
	s.step(lc, in)
}

// step launches a step of every vehicle.
func (s *Simulator) step(lc *exec.LaunchContext, in Inputs) {
	held, hold := int32(1), in.Hold
	if hold.IsZero() {
		held, hold = 0, s.zeros // is not read
	}
	if s.config.Model == Drone {
		vehicle.StepDrones(lc, s.number(), vehicle.StepDronesArgs{
			Agents: int32(s.config.Agents), Number: int32(s.number()), Envs: int32(s.config.NumEnvs), Held: held,
			Method: s.settings.Method, Substeps: s.settings.Substeps, Duration: s.settings.Duration, Actions: in.Actions,
			Hold: hold, Parameters: s.parameters.packed.Floats, Place: s.state.packed.Vec3,
			Orientation: s.state.packed.Quat, Motion: s.state.packed.Floats,
		})
		return
	}
	grounded, ground := int32(1), in.Ground
	if ground.isNone() {
		grounded, ground = 0, Ground{Index: s.noLine, Segment: s.zeros} // are not read
	}
	vehicle.StepCars(lc, s.number(), vehicle.StepCarsArgs{
		Agents: int32(s.config.Agents), Number: int32(s.number()), Envs: int32(s.config.NumEnvs), Held: held,
		Grounded: grounded, MaxPoints: int32(ground.MaxPoints), Model: s.settings.Model, Control: s.settings.Control,
		Method: s.settings.Method, Tyres: s.settings.Tyres, Substeps: s.settings.Substeps, Duration: s.settings.Duration,
		Actions: in.Actions, Hold: hold, Parameters: s.parameters.packed.Floats, Index: ground.Index,
		Segment: ground.Segment, Place: s.state.packed.Vec3, Orientation: s.state.packed.Quat,
		Motion: s.state.packed.Floats,
	})
}

// Reset begins anew with the vehicles of the envs whose mask is not 0: they draw their parameters (see Source), and
// stand at the poses that the State holds, or have a start speed along the body (L-9); with Config.StartVelocity they
// keep the velocity that the State holds, of which that of a car is the part along its body. Of the orientation of a
// car only the yaw stays. mask has one int32 per env and is read on the device; the zero array stands for all envs.
// Other envs keep every bit. On an eager CPU device, only the first call with a mask allocates.
func (s *Simulator) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := s.open(op); err != nil {
		return err
	}
	mask, err := s.component.Mask(op, mask)
	if err != nil {
		return err
	}
	return s.component.Run(ctx, op, s.resets.Get(mask))
}

// EnqueueReset emits one Reset on lc without any policy.
func (s *Simulator) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := s.open(op)
	if err == nil {
		mask, err = s.component.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	s.reset(lc, mask)
}

// reset begins the next epoch of own seeds, and starts the vehicles.
func (s *Simulator) reset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if s.own != nil {
		s.own.AdvanceMasked(lc, mask)
	}
	s.start(lc, mask)
}
