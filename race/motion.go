package race

import (
	"context"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernels/race"
	kernelvehicle "github.com/trackgen-go/trackgen/kernels/vehicle"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// Channels of ObserveConfig.Motion. The axes are those of the body: x forward, y to the left, z up.
const (
	VelocityX = "velocity_x" // velocity of the centre of mass, times speed_scale
	VelocityY = "velocity_y"
	VelocityZ = "velocity_z"
	UpX       = "up_x" // unit vector upwards in the world
	UpY       = "up_y"
	UpZ       = "up_z"

	Speed    = "speed"    // of a car, times speed_scale, below 0 backwards
	Steering = "steering" // angle of the front wheel of a car in rad, to the left above 0
	Slip     = "slip"     // angle from the body of a car to the way of its centre of mass in rad

	YawRate   = "yaw_rate"   // in rad/s, of cars and drones
	RollRate  = "roll_rate"  // of a drone in rad/s
	PitchRate = "pitch_rate" // of a drone in rad/s
	Thrust    = "thrust"     // collective thrust of a drone in N
)

// motionChannel is a channel of what agents know of their own motion.
type motionChannel struct {
	name       string
	car, drone int32 // number in the kernel for either, -1 where vehicles have it not
	speed      bool  // is multiplied by speed_scale
}

// motionChannels lists the channels in the order of the documentation.
var motionChannels = []motionChannel{
	{VelocityX, race.VelocityX, race.VelocityX, true},
	{VelocityY, race.VelocityY, race.VelocityY, true},
	{VelocityZ, race.VelocityZ, race.VelocityZ, true},
	{UpX, race.UpX, race.UpX, false},
	{UpY, race.UpY, race.UpY, false},
	{UpZ, race.UpZ, race.UpZ, false},
	{Speed, kernelvehicle.Speed, -1, true},
	{Steering, kernelvehicle.Steering, -1, false},
	{Slip, kernelvehicle.Slip, -1, false},
	{YawRate, kernelvehicle.YawRate, kernelvehicle.DroneYawRate, false},
	{RollRate, -1, kernelvehicle.RollRate, false},
	{PitchRate, -1, kernelvehicle.PitchRate, false},
	{Thrust, -1, kernelvehicle.Thrust, false},
}

// MotionChannels lists the channels of ObserveConfig.Motion that vehicles of a model have.
func MotionChannels(model string) []string {
	var list []string
	for _, c := range motionChannels {
		if c.of(model) >= 0 {
			list = append(list, c.name)
		}
	}
	return list
}

// allMotionChannels lists those of all models.
func allMotionChannels() []string {
	list := make([]string, len(motionChannels))
	for i, c := range motionChannels {
		list[i] = c.name
	}
	return list
}

// MotionColumns are the arrays of what agents know of their own motion.
type MotionColumns[F any] struct {
	// Values are [E*A, C]: value c of agent a of env e is element (e*A + a)*C + c.
	Values F `column:"motion,agent,none,race" doc:"what each agent knows of its motion [E*A, C]; NaN if it does not see"`
}

// MotionSchema lists the columns of Motion.
var MotionSchema = column.NewSchema[MotionColumns[[]float32], MotionColumns[exec.Array[float32]]]()

// Motion is what agents know of their own motion, in device memory. Every step fills the same Motion.
type Motion struct {
	Envs, Agents int      // E, A
	Channels     []string // names of the C values of each agent

	MotionColumns[exec.Array[float32]]

	result component.Result[MotionColumns[[]float32], MotionColumns[exec.Array[float32]]]
}

// HostMotion is Motion in host memory.
type HostMotion struct {
	Envs, Agents int
	Channels     []string

	MotionColumns[[]float32]
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the values to host memory. It
// returns exec.ErrCapture inside a capture.
func (m *Motion) Read(ctx context.Context) (*HostMotion, error) {
	if m == nil {
		return nil, noReceiver("read", "the Motion of a Race")
	}
	host := &HostMotion{Envs: m.Envs, Agents: m.Agents, Channels: slices.Clone(m.Channels)}
	if err := m.result.Read(ctx, &m.MotionColumns, &host.MotionColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// motionSense fills a Motion.
type motionSense struct {
	of      *Motion
	arrays  vehicle.Arrays
	channel exec.Array[int32]   // [C] numbers in the kernel
	scale   exec.Array[float32] // [C]
}

// of returns the number of a channel in the kernel for a model, -1 if its vehicles have it not.
func (c motionChannel) of(model string) int32 {
	if model == vehicle.Drone {
		return c.drone
	}
	return c.car
}

// buildMotion makes what senses the motion of the agents.
func (p *parts) buildMotion(device backend.Device, c Config, place component.Place) (err error) {
	s := motionSense{arrays: p.simulator.Arrays(), of: &Motion{Envs: c.Vehicle.NumEnvs, Agents: c.Vehicle.Agents,
		Channels: slices.Clone(c.Observe.Motion)}}
	var numbers []int32
	var scales []float32
	for _, name := range s.of.Channels {
		i := slices.IndexFunc(motionChannels, func(of motionChannel) bool { return of.name == name })
		scale := float32(1)
		if motionChannels[i].speed {
			scale = float32(c.Observe.SpeedScale)
		}
		numbers, scales = append(numbers, motionChannels[i].of(c.Vehicle.Model)), append(scales, scale)
	}
	if s.channel, err = exec.FromSlice(device, numbers); err != nil {
		return err
	}
	p.closers = append(p.closers, s.channel.Close)
	if s.scale, err = exec.FromSlice(device, scales); err != nil {
		return err
	}
	p.closers = append(p.closers, s.scale.Close)
	s.of.result, err = component.NewResult(place, MotionSchema, &s.of.MotionColumns, func(column.Column) int {
		return s.of.Envs * s.of.Agents * len(numbers)
	})
	if err != nil {
		return err
	}
	p.motion = s.of
	p.closers = append(p.closers, s.of.result.Close)
	p.observers = append(p.observers, observer{"motion", s.emit})
	return nil
}

// emit launches the kernel.
func (s motionSense) emit(lc *exec.LaunchContext) {
	race.Sense(lc, s.of.Values.Len(), race.SenseArgs{Number: int32(s.of.Envs * s.of.Agents),
		Channels: int32(len(s.of.Channels)), Channel: s.channel, Scale: s.scale, Velocity: s.arrays.Place,
		Orientation: s.arrays.Orientation, Motion: s.arrays.Motion, Out: s.of.Values})
}
