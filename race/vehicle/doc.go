// Package vehicle moves cars and drones by the actions of their drivers: kinematic and dynamic single-track cars, and
// drones with collective thrust and body rates, thousands at a time in one launch.
//
//	simulator, err := vehicle.New(device, vehicle.Source{}, config)
//	state := simulator.State() // poses for spawn to write, and for courses to read
//	...
//	err = simulator.Reset(ctx, done)                        // at rest at the present poses, with new parameters
//	err = simulator.Bind(vehicle.Inputs{Actions: actions})  // [E*A*C], from -1 to 1, written by the policy
//	for range steps {
//		err = simulator.Step(ctx) // eager, recorded into a capture, or replayed
//	}
//	host, err := state.Read(ctx) // in host memory
//
// The equations with their sources are L-1 to L-12 of docs/spec/race.md. Parameters are ranges, from which each env
// draws its own by its seed and epoch; those of known vehicles are in the package.
package vehicle
