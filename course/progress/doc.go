// Package progress follows cars past the checkpoints of a batch of tracks or gate courses: laps, progress, wrong way,
// the distance to the next checkpoint and, with several agents in an env, their places and the gaps between them.
//
//	tracker, err := progress.NewTracker(device, sampler.Set(), progress.Config{})
//	...
//	err = tracker.Bind(position)        // [E*A], which the simulator writes
//	events, err := tracker.Update(ctx)  // once in every step
//	...
//	err = tracker.Reset(ctx, done)      // where an episode has ended
//
// An agent passes a checkpoint where the way from its previous position to its position goes through the opening
// forwards (docs/spec/course.md, C-60 to C-65). It has to pass the checkpoints in their order, and advances by at most
// one in each update. A position that is NaN pauses an agent: the update reports no event and no distance for it, the
// next one no event, and laps and progress stay.
package progress
