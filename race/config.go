package race

import (
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// Values of Config.Autoreset: what the next step does with an env whose episode is over.
const (
	Regenerate = "regenerate" // a new track, and a new begin on it
	Restart    = "restart"    // a new begin on the same track
	Never      = "never"      // nothing, until the program calls Reset
)

// Values of Config.Follow.
const (
	Centre = "centre" // the centreline, or the line through the gates
	Racing = "racing" // the racing line, of minimum curvature (package raceline)
)

// Config describes a race: the tracks or gate courses, the vehicles, what they observe, and how they are rewarded. Make
// one with DefaultConfig, set Course.Tracks or Course.Gates, and change fields of it:
//
//	tracks := track.DefaultConfig()
//	tracks.NumEnvs, tracks.Scale, tracks.Road.HalfWidth = 4096, 10, 1
//	config := race.DefaultConfig()
//	config.Course.Tracks, config.Reward.Ends.Laps = &tracks, 2
//
// The parts are the configurations of the packages of the same names. A race fills in what they have in common: the
// number of envs, the agents of an env, which are those of Course, and the duration of a step, which is that of
// Vehicle; what stands in the other parts does not count. Names in configuration files are those of the parts, without
// the part in front of groups: Reward.Ends.Laps is ends.laps, and Vehicle.TimeStep is vehicle.time_step.
type Config struct {
	// Course has the tracks or gate courses, checkpoints and collisions. Default: checkpoints 2 track units apart,
	// segments, localised.
	Course course.Config
	// Vehicle has the model of motion and the parameters of the vehicles.
	Vehicle vehicle.Config
	// Spawn says where the vehicles begin. Their speed there is Vehicle.StartSpeed.
	Spawn spawn.Config
	// Speed has the limits of the speed profile along the lines, which reference drivers and previews follow.
	Speed speed.Config
	// Follow says which line reference drivers of cars follow: Centre or Racing. Default: Centre.
	Follow string
	// Raceline has what the racing line keeps free of the borders, and how it is found, for Follow Racing. Its limits are
	// those of Speed, and its car is as wide as that of Vehicle. Default: margin 0.3, as a
	// driver leaves its line by a part of the width of the car.
	Raceline raceline.Config
	// Reward has the weights of the reward, and what ends an episode. Default: an episode ends off the road, after 2
	// seconds the wrong way, after 5 seconds without progress, and while there is no track.
	Reward reward.Config
	// Autoreset says what the next step does with an env whose episode is over, as Gymnasium's AutoresetMode.NEXT_STEP:
	// Regenerate, Restart or Never.
	Autoreset string
	// Bridges says whether tracks may cross themselves, as measured circuits do: then an agent is off the road where its
	// position is farther beside the line than the border (L-105), because a box on a bridge crosses the borders of the
	// other road. It needs a Course.Localize.WarmWindow, so that agents stay on their road. Default: false.
	Bridges bool

	// Observe makes observations as files can have them; what is set below takes the place of its part.
	Observe ObserveConfig
	// Preview has what agents see of the way ahead; nil for nothing.
	Preview *preview.Config
	// Rangefinder has the beams of a sensor on each agent; nil for none.
	Rangefinder *rangefinder.Config
	// Gates has what agents see of the next gates of a gate course; nil for nothing.
	Gates *preview.GateConfig
}

// ObserveConfig says what agents observe. All else of it is as in the default configurations of the packages.
type ObserveConfig struct {
	// Motion: what agents know of their own motion. Default: []: nothing; a list of different names of velocity_x,
	// velocity_y, velocity_z, up_x, up_y, up_z, speed, steering, slip, yaw_rate, roll_rate, pitch_rate, thrust, or [] for
	// the default.
	Motion []string
	// Vector: whether there is a vector of all observations of an agent. Default: false; true or false.
	Vector bool
	// Places: places of the way ahead that agents see. Default: 0: none; a whole number >= 1 and <= 4096, or 0 for the
	// default.
	Places int
	// Spacing: distance from one place to the next, and from the agent to the first. Default: 0.5; a number > 0 and <=
	// 1000000.
	Spacing float64
	// Distances: distances of the places along the line, below 0 behind the agent. Default: []: places of them, spacing
	// apart; a list of numbers, each >= -1000000 and <= 1000000, or [] for the default.
	Distances []float64
	// Channels: what agents see of each place. Default: []: points of centre and borders in plan view with the curvature,
	// for drones points in space with the speed; a list of different names of center_x, center_y, center_z, left_x,
	// left_y, left_z, right_x, right_y, right_z, width_left, width_right, curvature, heading_cos, heading_sin, tangent_x,
	// tangent_y, tangent_z, height, grade, speed, or [] for the default.
	Channels []string
	// LengthScale: factor of the lengths that agents see of places and gates. Default: 1; a number > 0 and <= 1000000.
	LengthScale float64
	// CurvatureScale: factor of curvatures. Default: 1; a number > 0 and <= 1000000.
	CurvatureScale float64
	// SpeedScale: factor of speeds and velocities. Default: 1; a number > 0 and <= 1000000.
	SpeedScale float64
	// Gates: next gates that agents see. Default: 0: none; a whole number >= 1 and <= 4096, or 0 for the default.
	Gates int
	// Beams: beams of the range finder of each agent. Default: 0: none; a whole number >= 1 and <= 65536, or 0 for the
	// default.
	Beams int
	// Range: largest distance that a beam measures. Default: 30; a number > 0 and <= 1000000.
	Range float64
}
