package race

import (
	"context"
	"math"

	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race/flight"
	"github.com/trackgen-go/trackgen/race/pursuit"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// What a reference driver asks of a car, as parts of what the car can do. With them, it stays on the road on tracks of
// all generators and on real circuits; docs/racing.md has the figures.
const (
	partOfGrip  = 0.5  // of the acceleration at the limit of friction, across the car
	partOfBrake = 0.25 // of the same, along it: a car that brakes hard in a bend at speed spins
	partOfDrive = 0.5  // of the largest acceleration

	gravity = 9.81 // m/s^2
)

// What a reference pilot asks of a drone. With them, it passes the gates of courses of all generators; docs/racing.md
// has the figures.
const (
	partOfThrust = 0.2 // of the acceleration that the thrust leaves across, while the drone hovers
	partAlong    = 0.4 // of that, along the line in the profile: what is left holds the drone on it
	topSpeed     = 15  // m/s
)

// DriverFor returns the limits of a speed profile and the settings of a reference driver for cars. Lengths are those of
// the car. Of a range of parameters, the worst one counts.
func DriverFor(car vehicle.CarConfig) (speed.Config, pursuit.Config) {
	grip := gravity * car.Friction.Min
	profile := speed.DefaultConfig()
	profile.LateralAcceleration = max(partOfGrip*grip, 1e-3)
	profile.Acceleration = partOfDrive * car.Acceleration.Min
	profile.Braking = partOfBrake * min(car.Acceleration.Min, grip)
	profile.MaxSpeed = max(car.SpeedMax.Min, 1e-3)

	driver := pursuit.DefaultConfig()
	base := middle(car.DistanceFront) + middle(car.DistanceRear)
	driver.MinLookahead, driver.MaxLookahead = 1.8*base, 20*base
	driver.LookaheadTime = 0.2 + 0.2/max(car.SteeringRate.Min, 0.1) // a slow steering wheel must turn earlier
	return profile, driver
}

// PilotFor returns the limits of a speed profile and the settings of a reference driver for drones. Lengths are those
// of the drone. Of a range of parameters, the worst one counts.
func PilotFor(drone vehicle.DroneConfig) (speed.Config, flight.Config) {
	most := drone.ThrustMax.Min / drone.Mass.Max
	across := partOfThrust * math.Sqrt(max(most*most-gravity*gravity, 0))
	profile := speed.DefaultConfig()
	profile.LateralAcceleration = max(across, 1e-3)
	profile.Acceleration, profile.Braking, profile.MaxSpeed = partAlong*across, partAlong*across, topSpeed

	pilot := flight.DefaultConfig()
	pilot.Acceleration, pilot.Braking, pilot.Correction = across, across, across
	return profile, pilot
}

// Driver is a reference driver of the vehicles of a race: a *pursuit.Controller or a *flight.Controller.
type Driver interface {
	// Update writes the Actions for where the vehicles are. Inside a capture it is recorded, not run.
	Update(ctx context.Context) error
	// EnqueueUpdate emits one Update on lc without any policy.
	EnqueueUpdate(lc *exec.LaunchContext)
	// Actions returns what every update writes, [E*A*C], for Race.BindActions.
	Actions() exec.Array[float32]
	// Close releases the driver.
	Close() error
}

// NewDriver makes the reference driver that fits the vehicles of the race, with the settings of DriverFor or PilotFor:
// pure pursuit for cars, flight for drones. It wants a part of the speed of the profile, 1 for all of it. The caller
// closes the driver before the race.
//
// It returns the errors of NewPursuit and of NewFlight.
func (r *Race) NewDriver(part float64, with ...Option) (Driver, error) {
	const op = "new driver"
	if err := r.open(op); err != nil {
		return nil, err
	}
	if r.config.Vehicle.Model == vehicle.Drone {
		_, settings := PilotFor(r.config.Vehicle.Drone)
		settings.SpeedFactor = part
		return made(r.NewFlight(settings, with...))
	}
	_, settings := DriverFor(r.config.Vehicle.Car)
	settings.SpeedFactor = part
	return made(r.NewPursuit(settings, with...))
}

// made returns a driver, nil with an error: a nil pointer in an interface is not nil.
func made[D Driver](driver D, err error) (Driver, error) {
	if err != nil {
		return nil, err
	}
	return driver, nil
}
