// Package spawn puts agents on their tracks or course lines for the begin of an episode: at the start, anywhere along
// the line, or on a grid, with random offsets, yaw and speed.
//
//	spawner, err := spawn.New(device, spawn.SourceOf(track), config)
//	...
//	err = spawner.Bind(spawn.Agents{Position: position, Orientation: orientation, HalfExtents: half})
//	err = spawner.Spawn(ctx, exec.Array[int32]{}) // all envs
//	...
//	err = spawner.Spawn(ctx, outcomes.Done)       // where an episode is over
//
// What an agent draws depends on the seed and the epoch of its env and on its index, and is the same on all devices
// (docs/spec/race.md, L-60 to L-66). A spawn reads the lines as they are then. Agents of an env without a line get a
// position that is NaN, which pauses them.
package spawn
