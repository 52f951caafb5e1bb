package vehicle

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/vehicle"
)

// Models of Config.
const (
	Kinematic   = "kinematic"    // a kinematic single-track car: its tyres do not slip
	SingleTrack = "single_track" // the dynamic single-track car of CommonRoad
	Drone       = "drone"        // a point mass with an attitude, collective thrust and body rates
)

// What the steering action of a car means: see Config.Control.
const (
	Target = "target"
	Rate   = "rate"
)

// Tyres of Config.
const (
	Linear         = "linear"
	FrictionCircle = "friction_circle"
)

// Integrators of Config.
const (
	RK4               = "rk4"
	SemiImplicitEuler = "semi_implicit_euler"
)

// Config describes a batch of vehicles. Make one with DefaultConfig and change fields of it. Lengths are in metres,
// which are the units of the tracks. Each env draws its parameters from the ranges, uniformly, by its seed and its
// epoch (L-9); all vehicles of an env are alike.
type Config struct {
	// NumEnvs: number of envs, E. Default: 1; a whole number >= 1 and <= 16777216.
	NumEnvs int
	// Agents: vehicles of each env, A. Default: 1; a whole number >= 1 and <= 1048576.
	Agents int
	// Model: how vehicles move. Default: single_track; one of kinematic, single_track, drone.
	Model string
	// Control: whether the steering action of a car is the angle to steer to, or how fast the angle changes. Default:
	// target; one of target, rate.
	Control string
	// Tyres: whether the forces of the tyres of a single-track car grow with the slip angle without end, as in
	// CommonRoad's model, or end at the friction circle. Default: linear; one of linear, friction_circle.
	Tyres string
	// TimeStep: duration of a step in seconds. Default: 0.02; a number > 0 and <= 1.
	TimeStep float64
	// Substeps: equal parts into which the integration divides a step. Default: 1; a whole number >= 1 and <= 64.
	Substeps int
	// Integrator: method of integration. Default: rk4; one of rk4, semi_implicit_euler.
	Integrator string
	// StartSpeed: range from which each vehicle draws its speed along the body at a reset, in m/s. Default: [0, 0]; a
	// pair [min, max] with min <= max, each >= -1000 and <= 1000.
	StartSpeed Range
	// StartVelocity: whether vehicles begin with the velocity that the State holds, as package spawn writes it, and not
	// with a drawn speed. Default: false; true or false.
	StartVelocity bool
	// Seed: seed of env 0 if there are no seeds of a source; env e has the seed after e others. Default: 0; a whole
	// number >= -2147483647 and <= 2147483647.
	Seed int

	Car   CarConfig
	Drone DroneConfig
}

// CarConfig has the ranges of the parameters of cars. CarNamed returns those of known cars.
type CarConfig struct {
	// Mass: mass in kg. Default: [3.74, 3.74]; a pair [min, max] with min <= max, each > 0 and <= 1000000.
	Mass Range
	// Inertia: moment of inertia about the vertical axis in kg m^2. Default: [0.04712, 0.04712]; a pair [min, max] with
	// min <= max, each > 0 and <= 100000000.
	Inertia Range
	// Friction: coefficient of friction between tyre and road. Default: [1.0489, 1.0489]; a pair [min, max] with min <=
	// max, each >= 0 and <= 10.
	Friction Range
	// StiffnessFront: cornering stiffness of the front axle for each unit of load and friction, in 1/rad. Default:
	// [4.718, 4.718]; a pair [min, max] with min <= max, each >= 0 and <= 1000.
	StiffnessFront Range
	// StiffnessRear: that of the rear axle. Default: [5.4562, 5.4562]; a pair [min, max] with min <= max, each >= 0 and
	// <= 1000.
	StiffnessRear Range
	// DistanceFront: distance from the centre of mass to the front axle in m. Default: [0.15875, 0.15875]; a pair [min,
	// max] with min <= max, each > 0 and <= 1000.
	DistanceFront Range
	// DistanceRear: that to the rear axle. Default: [0.17145, 0.17145]; a pair [min, max] with min <= max, each > 0 and
	// <= 1000.
	DistanceRear Range
	// Height: height of the centre of mass in m, for the load transfer. Default: [0.074, 0.074]; a pair [min, max] with
	// min <= max, each >= 0 and <= 1000.
	Height Range
	// SteeringMax: largest steering angle to either side in rad. Default: [0.4189, 0.4189]; a pair [min, max] with min
	// <= max, each >= 0 and <= 1.5.
	SteeringMax Range
	// SteeringRate: largest rate of the steering angle in rad/s. Default: [3.2, 3.2]; a pair [min, max] with min <= max,
	// each >= 0 and <= 1000.
	SteeringRate Range
	// Acceleration: largest acceleration, and deceleration, in m/s^2. Default: [9.51, 9.51]; a pair [min, max] with min
	// <= max, each >= 0 and <= 1000.
	Acceleration Range
	// SwitchSpeed: speed in m/s above which the power of the motor limits the acceleration. Default: [7.319, 7.319]; a
	// pair [min, max] with min <= max, each >= 0 and <= 1000.
	SwitchSpeed Range
	// SpeedMin: lowest speed in m/s; below 0 backwards. Default: [-5, -5]; a pair [min, max] with min <= max, each >=
	// -1000 and <= 0.
	SpeedMin Range
	// SpeedMax: top speed in m/s. Default: [20, 20]; a pair [min, max] with min <= max, each >= 0 and <= 1000.
	SpeedMax Range
	// Length: length of the body in m. Default: [0.58, 0.58]; a pair [min, max] with min <= max, each > 0 and <= 1000.
	Length Range
	// Width: width of the body in m. Default: [0.31, 0.31]; a pair [min, max] with min <= max, each > 0 and <= 1000.
	Width Range
}

// DroneConfig has the ranges of the parameters of drones.
type DroneConfig struct {
	// Mass: mass in kg. Default: [0.752, 0.752]; a pair [min, max] with min <= max, each > 0 and <= 1000000.
	Mass Range
	// ThrustMax: largest collective thrust in N. Default: [49, 49]; a pair [min, max] with min <= max, each >= 0 and <=
	// 1000000.
	ThrustMax Range
	// TiltRate: largest rate about the x and y axes of the body in rad/s. Default: [10, 10]; a pair [min, max] with min
	// <= max, each >= 0 and <= 1000.
	TiltRate Range
	// TurnRate: largest rate about its z axis in rad/s. Default: [4, 4]; a pair [min, max] with min <= max, each >= 0
	// and <= 1000.
	TurnRate Range
	// ThrustLag: time constant in s with which the thrust follows the action. Default: [0.033, 0.033]; a pair [min, max]
	// with min <= max, each >= 0 and <= 1.
	ThrustLag Range
	// RateLag: that of the body rates. Default: [0.04, 0.04]; a pair [min, max] with min <= max, each >= 0 and <= 1.
	RateLag Range
	// DragSide: drag across the z axis of the body for each unit of speed, in N s/m. Default: [0.52, 0.52]; a pair [min,
	// max] with min <= max, each >= 0 and <= 1000000.
	DragSide Range
	// DragUp: drag along that axis. Default: [1.01, 1.01]; a pair [min, max] with min <= max, each >= 0 and <= 1000000.
	DragUp Range
	// Length: length of the body in m. Default: [0.35, 0.35]; a pair [min, max] with min <= max, each > 0 and <= 1000.
	Length Range
	// Width: width of the body in m. Default: [0.4, 0.4]; a pair [min, max] with min <= max, each > 0 and <= 1000.
	Width Range
}

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// Channels returns the number of actions of a vehicle of a model, C: 2 for cars (steering and drive), 4 for drones
// (collective thrust, and the rates about the x, y and z axes of the body), 0 for a model that does not exist.
func Channels(model string) int {
	switch model {
	case Kinematic, SingleTrack:
		return 2
	case Drone:
		return 4
	}
	return 0
}

// Models lists the models of vehicles.
func Models() []string { return []string{Kinematic, SingleTrack, Drone} }

// Validate checks every field against its range. The error joins one *ConfigError for each mistake, in the order of
// Fields.
func (c Config) Validate() error {
	wrong := fields.Check(c)
	if len(wrong) == 0 {
		wrong = append(wrong, c.checkSizes(), c.checkDrag())
	}
	return errors.Join(wrong...)
}

// checkSizes refuses more vehicles than arrays may have.
func (c Config) checkSizes() error {
	const columns = max(vehicle.CarColumns, vehicle.CarParameters, vehicle.DroneColumns, vehicle.DroneParameters)
	if int64(c.NumEnvs)*int64(c.Agents)*columns <= exec.MaxElements {
		return nil
	}
	return &ConfigError{Field: "agents", Value: fmt.Sprint(c.Agents),
		Allowed: fmt.Sprintf("<= %d with %d envs", exec.MaxElements/columns/c.NumEnvs, c.NumEnvs)}
}

// checkDrag refuses a drag under which the integration is not stable (L-11).
func (c Config) checkDrag() error {
	most := 2 * c.Drone.Mass.Min * float64(c.Substeps) / c.TimeStep
	for _, f := range []struct {
		name string
		drag Range
	}{{"drone.drag_side", c.Drone.DragSide}, {"drone.drag_up", c.Drone.DragUp}} {
		if c.Model == Drone && f.drag.Max > most {
			return &ConfigError{Field: f.name, Value: f.drag.String(), Allowed: fmt.Sprintf(
				"at most %s, twice the mass by the duration of a substep", config.Shortest(most))}
		}
	}
	return nil
}

// parameters returns the ranges of the parameters in the order of their columns. Half of a length is a half extent.
func (c Config) parameters() []Range {
	if d := c.Drone; c.Model == Drone {
		return []Range{d.Mass, d.ThrustMax, d.TiltRate, d.TurnRate, d.ThrustLag, d.RateLag, d.DragSide, d.DragUp,
			half(d.Length), half(d.Width)}
	}
	p := c.Car
	return []Range{p.Mass, p.Inertia, p.Friction, p.StiffnessFront, p.StiffnessRear, p.DistanceFront, p.DistanceRear,
		p.Height, p.SteeringMax, p.SteeringRate, p.Acceleration, p.SwitchSpeed, p.SpeedMin, p.SpeedMax, half(p.Length),
		half(p.Width)}
}

func half(r Range) Range { return Range{Min: r.Min / 2, Max: r.Max / 2} }

// settings returns how the kernels move vehicles.
func (c Config) settings() vehicle.Settings {
	s := vehicle.Settings{Substeps: int32(c.Substeps), Duration: float32(c.TimeStep / float64(c.Substeps))}
	if c.Model == SingleTrack {
		s.Model = vehicle.SingleTrack
	}
	if c.Control == Rate {
		s.Control = vehicle.AngleRate
	}
	if c.Integrator == RK4 {
		s.Method = vehicle.RungeKutta
	}
	if c.Tyres == FrictionCircle {
		s.Tyres = vehicle.FrictionCircle
	}
	return s
}
