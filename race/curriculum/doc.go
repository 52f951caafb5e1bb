// Package curriculum gives each env tracks that are about as hard as is wanted for it: for a training that begins with
// easy tracks and continues with harder ones, each env at its own pace.
//
//	chooser, err := curriculum.New(device, config, curriculum.SourceOf(course.Seeds()), curriculum.DefaultConfig())
//	...
//	err = chooser.Choose(ctx, target, done)   // target: one number per env, such as the lap time per length
//	err = course.Regenerate(ctx, done)        // makes the chosen tracks
//
// A Curriculum has a generator of its own with the configuration of the tracks. For the envs of a mask it generates
// candidates by their seeds and next epochs, labels them (package difficulty), and sets the epoch of each env to the
// one before that of the best candidate. The next regeneration of the tracks, by a generator, a course or a race,
// advances the epochs and so makes the candidate: whatever it does otherwise, it needs not know about the curriculum.
// All of it runs on the device and can be recorded into a capture together with the regeneration (docs/spec/race.md,
// L-85 to L-87).
package curriculum
