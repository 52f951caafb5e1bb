package vehicle

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// BodyColumns are where the vehicles are and how they move in space, [E*A]. Vehicle a of env e is element e*A + a.
type BodyColumns[V3, Q, V2 any] struct {
	Position    V3 `column:"position,agent,length,vehicle" doc:"centre of mass, which is that of the box of the body"`
	Velocity    V3 `column:"velocity,agent,length,vehicle" doc:"velocity of the centre of mass, in the world, per second"`
	Orientation Q  `column:"orientation,agent,none,vehicle" doc:"orientation (x, y, z, w); that of a car is its yaw"`
	HalfExtents V2 `column:"half_extents,agent,length,vehicle" doc:"half of the length and of the width of the body"`
}

// HostBody are the columns of bodies in host memory.
type HostBody = BodyColumns[[]kernel.Vec3, []kernel.Quat, []kernel.Vec2]

// DeviceBody are the columns of bodies in device memory.
type DeviceBody = BodyColumns[exec.Array[kernel.Vec3], exec.Array[kernel.Quat], exec.Array[kernel.Vec2]]

// BodySchema lists the columns of bodies.
var BodySchema = column.NewSchema[HostBody, DeviceBody]()

// CarColumns are how cars move, [E*A].
type CarColumns[F any] struct {
	Steering F `column:"steering,agent,none,vehicle" doc:"angle of the front wheel in rad, to the left above 0"`
	Speed    F `column:"speed,agent,length,vehicle" doc:"speed of the centre of mass per second, below 0 backwards"`
	Yaw      F `column:"yaw,agent,none,vehicle" doc:"angle of the body from the x axis, from -pi to pi"`
	YawRate  F `column:"yaw_rate,agent,none,vehicle" doc:"rate of the yaw in rad/s"`
	Slip     F `column:"slip,agent,none,vehicle" doc:"angle from the body to the way of the centre of mass, from -pi to pi"`
}

// HostCar are the columns of cars in host memory.
type HostCar = CarColumns[[]float32]

// DeviceCar are the columns of cars in device memory.
type DeviceCar = CarColumns[exec.Array[float32]]

// CarSchema lists the columns of cars.
var CarSchema = column.NewSchema[HostCar, DeviceCar]()

// DroneColumns are how drones move, [E*A].
type DroneColumns[F any] struct {
	Thrust    F `column:"thrust,agent,none,vehicle" doc:"collective thrust along the z axis of the body in N"`
	RollRate  F `column:"roll_rate,agent,none,vehicle" doc:"rate about the x axis of the body in rad/s"`
	PitchRate F `column:"pitch_rate,agent,none,vehicle" doc:"rate about the y axis of the body in rad/s"`
	YawRate   F `column:"yaw_rate,agent,none,vehicle" doc:"rate about the z axis of the body in rad/s"`
}

// HostDrone are the columns of drones in host memory.
type HostDrone = DroneColumns[[]float32]

// DeviceDrone are the columns of drones in device memory.
type DeviceDrone = DroneColumns[exec.Array[float32]]

// DroneSchema lists the columns of drones.
var DroneSchema = column.NewSchema[HostDrone, DeviceDrone]()

// State is the state of the vehicles in device memory. A Simulator changes the same State in every step; Clone makes a
// copy that no step changes. A program that writes poses itself calls Reset for their envs then, because how a vehicle
// moves is in the other columns.
type State struct {
	Envs, Agents int // E, A

	DeviceBody
	Car   DeviceCar   // absent for drones
	Drone DeviceDrone // absent for cars

	place  component.Place
	packed column.Packed   // of a Simulator
	memory []column.Memory // of a clone
}

// HostState is a state in host memory.
type HostState struct {
	Envs, Agents int // E, A

	HostBody
	Car   HostCar   // absent for drones
	Drone HostDrone // absent for cars
}

// newState allocates the columns.
func newState(place component.Place, c Config) (_ *State, err error) {
	s := &State{Envs: c.NumEnvs, Agents: c.Agents, place: place}
	columns := CarSchema.Device(&s.Car)
	if c.Model == Drone {
		columns = DroneSchema.Device(&s.Drone)
	}
	columns = append(columns, BodySchema.Device(&s.DeviceBody)...)
	s.packed, err = column.Pack(place.Device, columns, s.number())
	return s, err
}

// number returns the number of vehicles in all envs.
func (s *State) number() int { return s.Envs * s.Agents }

// check refuses a state that no Simulator has made.
func (s *State) check(op string) error {
	if s == nil || s.place.Device == nil {
		return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil,
			Allowed: "the State of a Simulator"}
	}
	return nil
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the state to host memory. It
// returns exec.ErrCapture inside a capture.
func (s *State) Read(ctx context.Context) (*HostState, error) {
	if err := s.check("read"); err != nil {
		return nil, err
	}
	host := &HostState{Envs: s.Envs, Agents: s.Agents}
	err := component.Read(ctx, s.place, BodySchema, &s.DeviceBody, &host.HostBody)
	if err == nil {
		err = component.Read(ctx, s.place, CarSchema, &s.Car, &host.Car)
	}
	if err == nil {
		err = component.Read(ctx, s.place, DroneSchema, &s.Drone, &host.Drone)
	}
	if err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the state to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone. It returns exec.ErrCapture inside a capture.
func (s *State) Clone(ctx context.Context) (*State, error) {
	if err := s.check("clone"); err != nil {
		return nil, err
	}
	clone := &State{Envs: s.Envs, Agents: s.Agents, place: s.place}
	body, err := component.Clone(ctx, s.place, BodySchema, &s.DeviceBody, &clone.DeviceBody)
	if err != nil {
		return nil, err
	}
	car, err := component.Clone(ctx, s.place, CarSchema, &s.Car, &clone.Car)
	if err != nil {
		return nil, errors.Join(err, body.Close())
	}
	drone, err := component.Clone(ctx, s.place, DroneSchema, &s.Drone, &clone.Drone)
	if err != nil {
		return nil, errors.Join(err, body.Close(), car.Close())
	}
	clone.memory = []column.Memory{body, car, drone}
	return clone, nil
}

// Close releases the memory of a clone. The State of a Simulator belongs to it.
func (s *State) Close() (err error) {
	if s == nil {
		return nil
	}
	for i := range s.memory {
		err = errors.Join(err, s.memory[i].Close())
	}
	return err
}
