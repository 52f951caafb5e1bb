// Package preview tells agents what is ahead of them: the course at set distances along the way (Preview), or the next
// gates (Gates), in the frame of each agent.
//
//	ahead, err := preview.New(device, preview.SourceOf(generator.Track()), preview.DefaultConfig())
//	...
//	err = ahead.Bind(preview.Inputs{Position: position, Orientation: orientation, S: localiser.Frames().S})
//	for range steps {
//		err = ahead.Update(ctx) // eager, recorded into a capture, or replayed
//	}
//	tensor := ahead.Observations().Values // [E*A, K, C] in device memory
//
// Each of the K places, or gates, has C values, the channels that the configuration names, in their order
// (docs/spec/race.md, L-20 to L-26). Where an agent is along the line comes from a localiser (course/localise). What a
// Preview needs of a track is noted by a refresh, which follows each later generation; gates are read in place.
package preview
