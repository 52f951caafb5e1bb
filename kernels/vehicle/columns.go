package vehicle

// Models of cars.
const (
	Kinematic = iota
	SingleTrack
)

// What the steering action of a car means.
const (
	TargetAngle = iota // the angle that the car steers to
	AngleRate          // how fast the angle changes
)

// Methods of integration.
const (
	SemiImplicitEuler = iota
	RungeKutta
)

// Models of tyres.
const (
	LinearTyres = iota
	FrictionCircle
)

// Columns of numbers of a car.
const (
	Steering = iota // angle of the front wheel
	Speed           // of the centre of mass, along the body; below 0 backwards
	Yaw
	YawRate
	Slip // angle from the body to the way of the centre of mass

	CarColumns // number of columns
)

// Columns of numbers of a drone.
const (
	Thrust = iota // collective, along the body's z axis
	RollRate
	PitchRate
	DroneYawRate

	DroneColumns // number of columns
)

// Columns of parameters of the cars of an env.
const (
	Mass = iota
	Inertia
	Friction
	StiffnessFront
	StiffnessRear
	DistanceFront
	DistanceRear
	Height
	SteeringMax
	SteeringRate
	Acceleration
	SwitchSpeed
	SpeedMin
	SpeedMax
	CarHalfLength
	CarHalfWidth

	CarParameters // number of columns
)

// Columns of parameters of the drones of an env.
const (
	DroneMass = iota
	ThrustMax
	TiltRate
	TurnRate
	ThrustLag
	RateLag
	DragSide
	DragUp
	DroneHalfLength
	DroneHalfWidth

	DroneParameters // number of columns
)

const (
	// Gravity is the acceleration of gravity in m/s^2, as CommonRoad has it.
	Gravity = 9.81

	// LowSpeed is the speed below which a single-track car moves as a kinematic one (L-5).
	LowSpeed = 0.1

	stable           = 2    // product of step and damping above which a lateral step is implicit (L-7)
	maxYawRate       = 1000 // rad/s, beyond which a car does not spin (L-7)
	leastDeterminant = 0.1  // of an implicit step (L-7)
	stages           = 4    // of Runge and Kutta's method
	unlimited        = 1e30 // friction that no tyre reaches
)
