package vehicle

import (
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/config"
)

// Names of known cars.
const (
	F1TENTH    = "f1tenth"     // a racing car of 1:10
	FordEscort = "ford_escort" // vehicle 1 of CommonRoad
	BMW320i    = "bmw_320i"    // vehicle 2 of CommonRoad
	VWVanagon  = "vw_vanagon"  // vehicle 3 of CommonRoad
)

// Agilicious is the name of the known drone, a racing quadrotor, whose parameters are those of DefaultConfig.
const Agilicious = "agilicious"

// CarNames lists the known cars.
func CarNames() []string {
	names := make([]string, len(cars))
	for i, c := range cars {
		names[i] = c.name
	}
	return names
}

// CarNamed returns the parameters of a known car. Each is a range of one value. It returns a *ConfigError for another
// name.
func CarNamed(name string) (CarConfig, error) {
	for _, c := range cars {
		if c.name == name {
			return c.car, nil
		}
	}
	return CarConfig{}, &ConfigError{Field: "car", Value: fmt.Sprintf("%q", name),
		Allowed: "one of " + strings.Join(CarNames(), ", ")}
}

// Range is a closed interval from which each env draws its own value.
type Range = config.Range

// Exactly returns the range of one value.
func Exactly(value float64) Range { return Range{Min: value, Max: value} }

// Around returns the range of the values that differ from value by at most a part of it: Around(2, 0.1) is [1.8, 2.2].
func Around(value, part float64) Range {
	low, high := value*(1-part), value*(1+part)
	return Range{Min: min(low, high), Max: max(low, high)}
}

// f1tenth is the car of f1tenth_gym, the simulator of O'Kelly et al., "F1TENTH: An Open-source Evaluation Environment
// for Continuous Control and Reinforcement Learning", PMLR 123, 2020.
var f1tenth = CarConfig{
	Mass: Exactly(3.74), Inertia: Exactly(0.04712), Friction: Exactly(1.0489), StiffnessFront: Exactly(4.718),
	StiffnessRear: Exactly(5.4562), DistanceFront: Exactly(0.15875), DistanceRear: Exactly(0.17145),
	Height: Exactly(0.074), SteeringMax: Exactly(0.4189), SteeringRate: Exactly(3.2), Acceleration: Exactly(9.51),
	SwitchSpeed: Exactly(7.319), SpeedMin: Exactly(-5), SpeedMax: Exactly(20), Length: Exactly(0.58),
	Width: Exactly(0.31),
}

// agilicious is the quadrotor of Foehn et al., "Agilicious: Open-source and open-hardware agile quadrotor for
// vision-based flight", Science Robotics 7(67), 2022, with the parameters that the simulator RotorPy gives for it: four
// rotors of 1.5625e-6 N s^2 up to 2800 rad/s, whose drag of 1.19e-4 and 2.32e-4 N s^2/m holds at the 1086 rad/s of
// hovering. The limits and the lag of the body rates, which stand for its controller, and the box are ours.
var agilicious = DroneConfig{
	Mass: Exactly(0.752), ThrustMax: Exactly(49), TiltRate: Exactly(10), TurnRate: Exactly(4), ThrustLag: Exactly(0.033),
	RateLag: Exactly(0.04), DragSide: Exactly(0.52), DragUp: Exactly(1.01), Length: Exactly(0.35), Width: Exactly(0.4),
}

// cars are the known cars. All but the first are vehicles of Althoff and Würsching, "CommonRoad: Vehicle Models", 2020,
// tables 6 and 7, with the numbers of version 3.0.2 of the package commonroad-vehicle-models. The height is its h_s.
var cars = []struct {
	name string
	car  CarConfig
}{
	{F1TENTH, f1tenth},
	{FordEscort, commonRoad(CarConfig{
		Mass: Exactly(1225.8878467253344), Inertia: Exactly(1538.8533713561394), DistanceFront: Exactly(0.88392),
		DistanceRear: Exactly(1.50876), Height: Exactly(0.59436), SteeringMax: Exactly(0.91), SwitchSpeed: Exactly(4.755),
		SpeedMin: Exactly(-13.9), SpeedMax: Exactly(45.8), Length: Exactly(4.298), Width: Exactly(1.674),
	})},
	{BMW320i, commonRoad(CarConfig{
		Mass: Exactly(1093.2952334674046), Inertia: Exactly(1791.5995300122856), DistanceFront: Exactly(1.1561957064),
		DistanceRear: Exactly(1.4227170936), Height: Exactly(0.61373004), SteeringMax: Exactly(1.066),
		SwitchSpeed: Exactly(7.319), SpeedMin: Exactly(-13.9), SpeedMax: Exactly(50.8), Length: Exactly(4.508),
		Width: Exactly(1.61),
	})},
	{VWVanagon, commonRoad(CarConfig{
		Mass: Exactly(1478.8979637767998), Inertia: Exactly(2473.1176915564442), DistanceFront: Exactly(1.1507916024),
		DistanceRear: Exactly(1.3211363976000001), Height: Exactly(0.804490644), SteeringMax: Exactly(1.023),
		SwitchSpeed: Exactly(7.824), SpeedMin: Exactly(-11.2), SpeedMax: Exactly(41.7), Length: Exactly(4.569),
		Width: Exactly(1.844),
	})},
}

// commonRoad returns a car with what all vehicles of CommonRoad have in common: the tyre, whose stiffness is -p_ky1 by
// p_dy1 and whose friction is p_dy1, the rate of the steering angle and the acceleration.
func commonRoad(c CarConfig) CarConfig {
	const stiffness, friction = 21.92, 1.0489
	c.Friction, c.StiffnessFront, c.StiffnessRear = Exactly(friction), Exactly(stiffness/friction),
		Exactly(stiffness/friction)
	c.SteeringRate, c.Acceleration = Exactly(0.4), Exactly(11.5)
	return c
}
