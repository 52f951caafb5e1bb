package race

import (
	"github.com/trackgen-go/trackgen/course/speed"
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
