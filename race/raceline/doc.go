// Package raceline finds the racing line of each track of a batch, on the device that holds the tracks: the line of
// least curvature within the road, how fast a car can be at each point of it, and its lap time.
//
//	config := raceline.DefaultConfig()
//	config.CarWidth, config.MaxSpeed = 0.03, 6
//	optimiser, err := raceline.New(device, raceline.SourceOf(generator.Track()), config)
//	...
//	err = optimiser.Refresh(ctx) // eager, recorded into a capture, or replayed; after each later generation
//	batch, err := optimiser.Line().Read(ctx) // in host memory
//	fmt.Println(batch.LapTime[0])
//
// Each point of the centreline moves along its normal, so that the sum of squared curvature times length is least. The
// speed goes by a friction ellipse, an engine and a top speed (docs/spec/race.md, L-70 to L-79). A Line has the arrays
// of a centreline: those of its columns Center, Arclen, Length and Count are a localise.Source and, with Curvature, a
// speed.Source.
//
// Stage is the same work as a stage of a generator, for track.WithStages: each generation then finds the lines of the
// envs that it has made, and no others.
package raceline
