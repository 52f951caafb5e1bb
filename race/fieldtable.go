package race

import (
	"slices"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

var groups = []config.Group{
	{Name: "", Title: "Race"},
	{Name: "checkpoints", Title: "Checkpoints of tracks"},
	{Name: "collision", Title: "Collision"},
	{Name: "posts", Title: "Posts of gates"},
	{Name: "frames", Title: "Frames of gates"},
	{Name: "line", Title: "Line through gates"},
	{Name: "localize", Title: "Localisation"},
	{Name: "ground", Title: "Ground"},
	{Name: "vehicle", Title: "Vehicles"},
	{Name: "car", Title: "Cars"},
	{Name: "drone", Title: "Drones"},
	{Name: "spawn", Title: "Begin of episodes"},
	{Name: "grid", Title: "Grid of agents at the begin"},
	{Name: "speed", Title: "Speed profile"},
	{Name: "raceline", Title: "Racing line"},
	{Name: "reward", Title: "Reward"},
	{Name: "weights", Title: "Weights of the reward"},
	{Name: "ends", Title: "Ends of episodes"},
	{Name: "observe", Title: "Observations"},
}

// common are the fields of parts that a race fills in.
var common = []string{"agents", "num_envs", "channels", "time_step", "seed"}

// observeFields are the fields of ObserveConfig.
var observeFields = []config.Field[Config]{
	{Name: "observe.motion", Derived: "nothing", Choices: allMotionChannels(),
		Doc: "what agents know of their own motion"},
	{Name: "observe.vector", Default: false, Doc: "whether there is a vector of all observations of an agent"},
	{Name: "observe.places", Derived: "none", Min: 1, Max: 4096, Doc: "places of the way ahead that agents see"},
	{Name: "observe.spacing", Unit: config.Length, Default: 0.5, MinOpen: true, Max: 1e6,
		Doc: "distance from one place to the next, and from the agent to the first"},
	{Name: "observe.distances", Unit: config.Length, Derived: "places of them, spacing apart", Min: -1e6, Max: 1e6,
		Doc: "distances of the places along the line, below 0 behind the agent"},
	{Name: "observe.channels", Choices: preview.Channels(), Doc: "what agents see of each place",
		Derived: "points of centre and borders in plan view with the curvature, for drones points in space with the speed"},
	{Name: "observe.length_scale", Default: 1.0, MinOpen: true, Max: 1e6,
		Doc: "factor of the lengths that agents see of places and gates"},
	{Name: "observe.curvature_scale", Default: 1.0, MinOpen: true, Max: 1e6, Doc: "factor of curvatures"},
	{Name: "observe.speed_scale", Default: 1.0, MinOpen: true, Max: 1e6, Doc: "factor of speeds and velocities"},
	{Name: "observe.gates", Derived: "none", Min: 1, Max: 4096, Doc: "next gates that agents see"},
	{Name: "observe.beams", Derived: "none", Min: 1, Max: 65536, Doc: "beams of the range finder of each agent"},
	{Name: "observe.range", Unit: config.Length, Default: 30.0, MinOpen: true, Max: 1e6,
		Doc: "largest distance that a beam measures"},
}

// fields describes the fields of Config that files may have: all but the tracks or gates, and the configurations of
// observations that only programs set, in whose place there are those of Observe.
var fields = config.NewTable(groups, "", standards(slices.Concat(
	[]config.Field[Config]{
		{Name: "autoreset", Default: Regenerate, Choices: []string{Regenerate, Restart, Never},
			Doc: "what the next step does with an env whose episode is over: a new track, a new begin on the same track, or " +
				"nothing"},
		{Name: "bridges", Default: false,
			Doc: "whether tracks may cross themselves: then an agent is off the road where it is farther beside the line than " +
				"the border, because a box on a bridge crosses the borders of the other road"},
	},
	config.Part[Config]("course", "", course.Fields(), func(string) bool { return false }),
	config.Part[Config]("vehicle", "vehicle", vehicle.Fields(), func(name string) bool {
		return name != "time_step" && slices.Contains(common, name)
	}),
	config.Part[Config]("spawn", "spawn", spawn.Fields(), func(name string) bool {
		return name == "speed" || isCommon(name) // the speed is that of vehicles
	}),
	config.Part[Config]("speed", "speed", speed.Fields(), isCommon),
	[]config.Field[Config]{{Name: "follow", Default: Centre, Choices: []string{Centre, Racing},
		Doc: "which line reference drivers of cars follow: the centreline, or the racing line"}},
	config.Part[Config]("raceline", "raceline", raceline.Fields(), func(name string) bool {
		return !slices.Contains([]string{"margin", "power", "rounds"}, name) // the others are those of speed and of the car
	}),
	config.Part[Config]("reward", "reward", reward.Fields(), isCommon),
	observeFields,
)))

func isCommon(name string) bool { return slices.Contains(common, name) }

// own are the defaults of a race where they are not those of its parts.
var own = map[string]any{
	"checkpoints.spacing": 2.0, "collision.method": course.Segments, "localize.enabled": true,
	"ends.off_road": true, "ends.wrong_way_time": 2.0, "ends.stuck_time": 5.0, "ends.paused": true,
	"speed.max_speed": 20.0, "speed.lateral_acceleration": 5.0, "speed.acceleration": 5.0, "speed.braking": 2.5,
	"raceline.margin": 0.36,
}

// standards returns the fields with the defaults of a race.
func standards(list []config.Field[Config]) []config.Field[Config] {
	for i := range list {
		if standard, ok := own[list[i].Name]; ok {
			list[i].Default = standard
		}
	}
	return list
}

// Field describes a field of a Config: see package config.
type Field = config.Field[Config]

// Fields lists the fields in the order of the documentation, without those of the tracks or gates and of the
// observations.
func Fields() []Field { return fields.Fields() }

// DefaultConfig returns the configuration with every field at its default: F1TENTH cars, one in each env, without
// observations. Course.Tracks and Course.Gates are nil.
func DefaultConfig() Config { return fields.Default() }

// DefaultDroneConfig is DefaultConfig for drones on gate courses: nothing ends an episode off a road, because there is
// none, and the speed profile is that of PilotFor. A line through gates has 16 points for each gate, and agents stay on
// their part of it, because such lines cross themselves and turn around in little room.
func DefaultDroneConfig() Config {
	c := DefaultConfig()
	c.Vehicle.Model = vehicle.Drone
	c.Course.Checkpoints.Spacing, c.Course.Collision.Method = 0, course.None
	c.Course.Localize.Enabled, c.Course.Localize.WarmWindow = false, samplesOfDrones
	c.Course.Line.SamplesPerGate = samplesOfDrones
	c.Reward.Ends.OffRoad = false
	c.Speed, _ = PilotFor(c.Vehicle.Drone)
	return c
}

// samplesOfDrones is the number of points of a line for each gate, of which there must be some where it turns around.
const samplesOfDrones = 16

// Kind describes configurations of races to programs that read or write configurations of several kinds.
func Kind() config.Kind[Config] {
	return config.Kind[Config]{Table: fields, Generators: func() []string { return nil },
		Resolve: func(c Config) Config { return c }, Components: func(Config) []Config { return nil },
		Weights: func(Config) []float64 { return nil }, SetComponents: func(*Config, []float64, []Config) {}}
}
