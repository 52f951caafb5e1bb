// Package checkpoints has the checkpoints of a batch of tracks or gate courses, in device memory: the planes that a car
// has to pass one after the other.
//
//	config := checkpoints.Config{Spacing: 0.5}
//	sampler, err := checkpoints.NewSampler(device, checkpoints.SourceOf(generator.Track()), config)
//	...
//	_, err = sampler.RefreshMasked(ctx, done) // after generator.Regenerate(ctx, done)
//	set, err := sampler.Set().Read(ctx)       // in host memory
//
// A Sampler places them across the road of a track, at equal distances along its centreline (docs/spec/course.md, C-50
// to C-54). The gates of a gate course are checkpoints themselves: see FromGates. Package progress follows cars from
// one checkpoint to the next.
package checkpoints
