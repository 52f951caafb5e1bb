package trackgen

import (
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/flight"
	"github.com/trackgen-go/trackgen/race/pursuit"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// RaceConfig describes a race: tracks or gate courses, vehicles, observations, rewards and ends of episodes. Make one
// with DefaultRaceConfig, set Course.Tracks or Course.Gates, and change its fields. docs/racing.md explains them.
type RaceConfig = race.Config

// RaceField describes one field of RaceConfig by its name in configuration files, such as "ends.laps".
type RaceField = race.Field

// Race runs vehicles on a batch of tracks or gate courses, all on the device: a step moves them by the actions of their
// drivers, rewards them, ends episodes and begins new ones, and observes. It can run eagerly, be recorded into a
// capture, or replay graphs. Only one goroutine at a time may use a Race; different races are independent. The caller
// closes it.
type Race = race.Race

// RaceTotals are what the agents of a Race have done in all episodes. RaceTotals.Read copies it to host memory.
type RaceTotals = race.Totals

// PursuitConfig has the settings of the reference driver, which Race.NewPursuit makes.
type PursuitConfig = pursuit.Config

// Pursuit drives the cars of a Race along the lines of its tracks. The caller closes it.
type Pursuit = pursuit.Controller

// FlightConfig has the settings of the reference driver of drones, which Race.NewFlight makes.
type FlightConfig = flight.Config

// Flight flies the drones of a Race along the lines through gates, or along those of tracks. The caller closes it.
type Flight = flight.Controller

// RaceDriver is a Pursuit or a Flight, as fits the vehicles: Race.NewDriver makes it.
type RaceDriver = race.Driver

// SpeedConfig has the limits of speed profiles along lines.
type SpeedConfig = speed.Config

// CarConfig has the ranges of the parameters of the cars of a Race.
type CarConfig = vehicle.CarConfig

// DroneConfig has the ranges of the parameters of the drones of a Race.
type DroneConfig = vehicle.DroneConfig

// Agilicious is the name of the drone whose parameters are known: those of DefaultRaceConfig.
const Agilicious = vehicle.Agilicious

// Values of RaceConfig.Follow: the line that reference drivers of cars follow.
const (
	CentreLine = race.Centre // the centreline, or the line through the gates
	RacingLine = race.Racing // the racing line, of minimum curvature
)

// Values of RaceConfig.Vehicle.Model.
const (
	KinematicCar   = vehicle.Kinematic   // a car whose tyres do not slip
	SingleTrackCar = vehicle.SingleTrack // a car whose tyres slip
	Drone          = vehicle.Drone       // a drone that flies
)

// EndReason says why the episode of an agent of a Race has ended, with one bit for each reason.
type EndReason = reward.Reason

// Reasons for the ends of episodes.
const (
	EndOffRoad   = reward.OffRoad   // it has left the road
	EndWrongWay  = reward.WrongWay  // it has gone against the line
	EndStuck     = reward.Stuck     // it has made no progress
	EndCollision = reward.Collision // it has touched something
	EndLapsDone  = reward.LapsDone  // it has driven all laps
	EndTimeOut   = reward.TimeOut   // the episode was cut off
)

// Values of RaceConfig.Autoreset.
const (
	RaceRegenerate = race.Regenerate // an env whose episode is over gets a new track
	RaceRestart    = race.Restart    // it begins anew on the same track
	RaceNever      = race.Never      // it waits until the program calls Race.Reset
)

// DefaultRaceConfig returns the default configuration of races: F1TENTH cars, one in each env, without observations.
func DefaultRaceConfig() RaceConfig { return race.DefaultConfig() }

// DefaultDroneRaceConfig is DefaultRaceConfig for drones on gate courses.
func DefaultDroneRaceConfig() RaceConfig { return race.DefaultDroneConfig() }

// RaceFields lists the fields of RaceConfig, in the order of configuration files, without those of the tracks or gates
// and of the observations.
func RaceFields() []RaceField { return race.Fields() }

// RaceConfigKind describes RaceConfig to programs that read or write configurations of several kinds.
func RaceConfigKind() config.Kind[RaceConfig] { return race.Kind() }

// CarNames lists the cars whose parameters are known.
func CarNames() []string { return vehicle.CarNames() }

// CarNamed returns the parameters of a known car, such as "f1tenth". It returns a *ConfigError for another name.
func CarNamed(name string) (CarConfig, error) { return vehicle.CarNamed(name) }

// DriverFor returns the limits of a speed profile and the settings of a reference driver for cars.
func DriverFor(car CarConfig) (SpeedConfig, PursuitConfig) { return race.DriverFor(car) }

// PilotFor returns the limits of a speed profile and the settings of a reference driver for drones.
func PilotFor(drone DroneConfig) (SpeedConfig, FlightConfig) { return race.PilotFor(drone) }

// DefaultFlightConfig returns the default configuration of the reference driver of drones.
func DefaultFlightConfig() FlightConfig { return flight.DefaultConfig() }

// DefaultPursuitConfig returns the default configuration of the reference driver.
func DefaultPursuitConfig() PursuitConfig { return pursuit.DefaultConfig() }

// NewRace makes the tracks or gate courses, the vehicles and all that belongs to them, and puts all vehicles to their
// start. Its options are those of NewGenerator.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, an *ArgumentError (ErrInvalid) for options that
// do not fit, ErrCapture inside a capture, ErrUnsupported for a configuration that the device cannot run,
// ErrOutOfMemory, or another error of the device.
func NewRace(device Device, config RaceConfig, options ...Option) (*Race, error) {
	return race.New(device, config, options...)
}

// NewRaceOver makes a Race on a batch of the caller, such as imported circuits, whose Tracks or Sequence must stay
// open. Of the options, WithSeed, WithSeeds, WithStream and WithWarnings apply.
//
// It returns the errors of NewRace.
func NewRaceOver(device Device, source CourseSource, config RaceConfig, options ...Option) (*Race, error) {
	return race.Over(device, source, config, options...)
}
