package vehicle

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// CarParameterColumns are the parameters of the cars of each env, [E]: see CarConfig.
type CarParameterColumns[F any] struct {
	Mass           F `column:"mass,env,none,vehicle" doc:"mass in kg"`
	Inertia        F `column:"inertia,env,none,vehicle" doc:"moment of inertia about the vertical axis in kg m^2"`
	Friction       F `column:"friction,env,none,vehicle" doc:"coefficient of friction"`
	StiffnessFront F `column:"stiffness_front,env,none,vehicle" doc:"cornering stiffness of the front axle in 1/rad"`
	StiffnessRear  F `column:"stiffness_rear,env,none,vehicle" doc:"cornering stiffness of the rear axle in 1/rad"`
	DistanceFront  F `column:"distance_front,env,length,vehicle" doc:"from the centre of mass to the front axle"`
	DistanceRear   F `column:"distance_rear,env,length,vehicle" doc:"from the centre of mass to the rear axle"`
	Height         F `column:"height,env,length,vehicle" doc:"height of the centre of mass"`
	SteeringMax    F `column:"steering_max,env,none,vehicle" doc:"largest steering angle in rad"`
	SteeringRate   F `column:"steering_rate,env,none,vehicle" doc:"largest rate of the steering angle in rad/s"`
	Acceleration   F `column:"acceleration,env,length,vehicle" doc:"largest acceleration, per s^2"`
	SwitchSpeed    F `column:"switch_speed,env,length,vehicle" doc:"speed above which power is the limit, per second"`
	SpeedMin       F `column:"speed_min,env,length,vehicle" doc:"lowest speed, per second"`
	SpeedMax       F `column:"speed_max,env,length,vehicle" doc:"top speed, per second"`
	HalfLength     F `column:"half_length,env,length,vehicle" doc:"half of the length of the body"`
	HalfWidth      F `column:"half_width,env,length,vehicle" doc:"half of the width of the body"`
}

// HostCarParameters are the parameters of cars in host memory.
type HostCarParameters = CarParameterColumns[[]float32]

// DeviceCarParameters are the parameters of cars in device memory.
type DeviceCarParameters = CarParameterColumns[exec.Array[float32]]

// CarParameterSchema lists the parameters of cars.
var CarParameterSchema = column.NewSchema[HostCarParameters, DeviceCarParameters]()

// DroneParameterColumns are the parameters of the drones of each env, [E]: see DroneConfig.
type DroneParameterColumns[F any] struct {
	Mass       F `column:"mass,env,none,vehicle" doc:"mass in kg"`
	ThrustMax  F `column:"thrust_max,env,none,vehicle" doc:"largest collective thrust in N"`
	TiltRate   F `column:"tilt_rate,env,none,vehicle" doc:"largest rate about the x and y axes in rad/s"`
	TurnRate   F `column:"turn_rate,env,none,vehicle" doc:"largest rate about the z axis in rad/s"`
	ThrustLag  F `column:"thrust_lag,env,none,vehicle" doc:"time constant of the thrust in s"`
	RateLag    F `column:"rate_lag,env,none,vehicle" doc:"time constant of the body rates in s"`
	DragSide   F `column:"drag_side,env,none,vehicle" doc:"drag across the z axis in N s/m"`
	DragUp     F `column:"drag_up,env,none,vehicle" doc:"drag along the z axis in N s/m"`
	HalfLength F `column:"half_length,env,length,vehicle" doc:"half of the length of the body"`
	HalfWidth  F `column:"half_width,env,length,vehicle" doc:"half of the width of the body"`
}

// HostDroneParameters are the parameters of drones in host memory.
type HostDroneParameters = DroneParameterColumns[[]float32]

// DeviceDroneParameters are the parameters of drones in device memory.
type DeviceDroneParameters = DroneParameterColumns[exec.Array[float32]]

// DroneParameterSchema lists the parameters of drones.
var DroneParameterSchema = column.NewSchema[HostDroneParameters, DeviceDroneParameters]()

// Parameters are what the envs have drawn, in device memory. Each reset draws those of its envs again. A program may
// write them between steps, for instance to those of a real vehicle; it then keeps them in the ranges of the fields of
// CarConfig or DroneConfig.
type Parameters struct {
	Envs int // E

	Car   DeviceCarParameters   // absent for drones
	Drone DeviceDroneParameters // absent for cars

	place  component.Place
	packed column.Packed
}

// HostParameters are parameters in host memory.
type HostParameters struct {
	Envs int // E

	Car   HostCarParameters   // absent for drones
	Drone HostDroneParameters // absent for cars
}

// newParameters allocates the columns.
func newParameters(place component.Place, c Config) (_ *Parameters, err error) {
	p := &Parameters{Envs: c.NumEnvs, place: place}
	columns := CarParameterSchema.Device(&p.Car)
	if c.Model == Drone {
		columns = DroneParameterSchema.Device(&p.Drone)
	}
	p.packed, err = column.Pack(place.Device, columns, c.NumEnvs)
	return p, err
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the parameters to host
// memory. It returns exec.ErrCapture inside a capture.
func (p *Parameters) Read(ctx context.Context) (*HostParameters, error) {
	if p == nil || p.place.Device == nil {
		return nil, &backend.ArgumentError{Op: prefix + "read", Argument: "receiver", Value: nil,
			Allowed: "the Parameters of a Simulator"}
	}
	host := &HostParameters{Envs: p.Envs}
	if err := component.Read(ctx, p.place, CarParameterSchema, &p.Car, &host.Car); err != nil {
		return nil, err
	}
	if err := component.Read(ctx, p.place, DroneParameterSchema, &p.Drone, &host.Drone); err != nil {
		return nil, err
	}
	return host, nil
}
