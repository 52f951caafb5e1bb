// Package difficulty labels tracks by how hard they are to drive, on the device that holds the tracks: the lap time of
// their racing lines, how many corners of which kind they have, their longest straight, the room beside the car.
//
//	lines, err := raceline.New(device, raceline.SourceOf(generator.Track()), raceline.DefaultConfig())
//	...
//	source := difficulty.SourceOf(generator.Track(), lines.Line())
//	assessor, err := difficulty.New(device, source, difficulty.DefaultConfig())
//	...
//	err = errors.Join(lines.Refresh(ctx), assessor.Refresh(ctx)) // after each later generation
//	batch, err := assessor.Labels().Read(ctx) // in host memory
//	fmt.Println(batch.LapTime[0], batch.Hairpins[0])
//
// docs/spec/race.md defines the labels (L-80 to L-84). All numbers of an env are in one place of arrays that are packed
// by type, which Labels.Packed returns for kernels that choose among envs by them.
package difficulty
