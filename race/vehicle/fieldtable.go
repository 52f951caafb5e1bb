package vehicle

import "github.com/trackgen-go/trackgen/config"

// Limits of Config.
const (
	maxEnvs     = 1 << 24
	maxAgents   = 1 << 20
	maxSubsteps = 64
	maxStep     = 1
	maxSteering = 1.5 // rad; the tangent of more is too steep for float32
	maxSize     = 1000
	maxMass     = 1e6
	maxInertia  = 1e8
	maxFriction = 10
	maxRate     = 1000 // rad/s, m/s^2
	maxSpeed    = 1000
	maxSeed     = 1<<31 - 1
)

var groups = []config.Group{
	{Name: "", Title: "Vehicles"},
	{Name: "car", Title: "Cars"},
	{Name: "drone", Title: "Drones"},
}

// fields describes every field of Config.
var fields = config.NewTable(groups, "", []config.Field[Config]{
	{Name: "num_envs", Default: 1, Min: 1, Max: maxEnvs, Doc: "number of envs, E"},
	{Name: "agents", Default: 1, Min: 1, Max: maxAgents, Doc: "vehicles of each env, A"},
	{Name: "model", Default: SingleTrack, Choices: Models(), Doc: "how vehicles move"},
	{Name: "control", Default: Target, Choices: []string{Target, Rate},
		Doc: "whether the steering action of a car is the angle to steer to, or how fast the angle changes"},
	{Name: "tyres", Default: Linear, Choices: []string{Linear, FrictionCircle},
		Doc: "whether the forces of the tyres of a single-track car grow with the slip angle without end, as in " +
			"CommonRoad's model, or end at the friction circle"},
	{Name: "time_step", Default: 0.02, MinOpen: true, Max: maxStep, Doc: "duration of a step in seconds"},
	{Name: "substeps", Default: 1, Min: 1, Max: maxSubsteps,
		Doc: "equal parts into which the integration divides a step"},
	{Name: "integrator", Default: RK4, Choices: []string{RK4, SemiImplicitEuler}, Doc: "method of integration"},
	{Name: "start_speed", Default: Range{}, Min: -maxSpeed, Max: maxSpeed,
		Doc: "range from which each vehicle draws its speed along the body at a reset, in m/s"},
	{Name: "start_velocity", Default: false,
		Doc: "whether vehicles begin with the velocity that the State holds, as package spawn writes it, and not with a " +
			"drawn speed"},
	{Name: "seed", Default: 0, Min: -maxSeed, Max: maxSeed,
		Doc: "seed of env 0 if there are no seeds of a source; env e has the seed after e others"},

	{Name: "car.mass", Default: f1tenth.Mass, MinOpen: true, Max: maxMass, Doc: "mass in kg"},
	{Name: "car.inertia", Default: f1tenth.Inertia, MinOpen: true, Max: maxInertia,
		Doc: "moment of inertia about the vertical axis in kg m^2"},
	{Name: "car.friction", Default: f1tenth.Friction, Max: maxFriction,
		Doc: "coefficient of friction between tyre and road"},
	{Name: "car.stiffness_front", Default: f1tenth.StiffnessFront, Max: maxRate,
		Doc: "cornering stiffness of the front axle for each unit of load and friction, in 1/rad"},
	{Name: "car.stiffness_rear", Default: f1tenth.StiffnessRear, Max: maxRate, Doc: "that of the rear axle"},
	{Name: "car.distance_front", Default: f1tenth.DistanceFront, MinOpen: true, Max: maxSize,
		Doc: "distance from the centre of mass to the front axle in m"},
	{Name: "car.distance_rear", Default: f1tenth.DistanceRear, MinOpen: true, Max: maxSize, Doc: "that to the rear axle"},
	{Name: "car.height", Default: f1tenth.Height, Max: maxSize,
		Doc: "height of the centre of mass in m, for the load transfer"},
	{Name: "car.steering_max", Default: f1tenth.SteeringMax, Max: maxSteering,
		Doc: "largest steering angle to either side in rad"},
	{Name: "car.steering_rate", Default: f1tenth.SteeringRate, Max: maxRate,
		Doc: "largest rate of the steering angle in rad/s"},
	{Name: "car.acceleration", Default: f1tenth.Acceleration, Max: maxRate,
		Doc: "largest acceleration, and deceleration, in m/s^2"},
	{Name: "car.switch_speed", Default: f1tenth.SwitchSpeed, Max: maxSpeed,
		Doc: "speed in m/s above which the power of the motor limits the acceleration"},
	{Name: "car.speed_min", Default: f1tenth.SpeedMin, Min: -maxSpeed, Doc: "lowest speed in m/s; below 0 backwards"},
	{Name: "car.speed_max", Default: f1tenth.SpeedMax, Max: maxSpeed, Doc: "top speed in m/s"},
	{Name: "car.length", Default: f1tenth.Length, MinOpen: true, Max: maxSize, Doc: "length of the body in m"},
	{Name: "car.width", Default: f1tenth.Width, MinOpen: true, Max: maxSize, Doc: "width of the body in m"},

	{Name: "drone.mass", Default: agilicious.Mass, MinOpen: true, Max: maxMass, Doc: "mass in kg"},
	{Name: "drone.thrust_max", Default: agilicious.ThrustMax, Max: maxMass, Doc: "largest collective thrust in N"},
	{Name: "drone.tilt_rate", Default: agilicious.TiltRate, Max: maxRate,
		Doc: "largest rate about the x and y axes of the body in rad/s"},
	{Name: "drone.turn_rate", Default: agilicious.TurnRate, Max: maxRate, Doc: "largest rate about its z axis in rad/s"},
	{Name: "drone.thrust_lag", Default: agilicious.ThrustLag, Max: maxStep,
		Doc: "time constant in s with which the thrust follows the action"},
	{Name: "drone.rate_lag", Default: agilicious.RateLag, Max: maxStep, Doc: "that of the body rates"},
	{Name: "drone.drag_side", Default: agilicious.DragSide, Max: maxMass,
		Doc: "drag across the z axis of the body for each unit of speed, in N s/m"},
	{Name: "drone.drag_up", Default: agilicious.DragUp, Max: maxMass, Doc: "drag along that axis"},
	{Name: "drone.length", Default: agilicious.Length, MinOpen: true, Max: maxSize, Doc: "length of the body in m"},
	{Name: "drone.width", Default: agilicious.Width, MinOpen: true, Max: maxSize, Doc: "width of the body in m"},
})

// Field describes a field of a Config: see package config.
type Field = config.Field[Config]

// Fields lists the fields in the order of the documentation.
func Fields() []Field { return fields.Fields() }

// DefaultConfig returns the configuration with every field at its default: one F1TENTH car.
func DefaultConfig() Config { return fields.Default() }
