// Package props places props along the borders of tracks, in device memory: cones, tyre stacks, or pieces of a barrier,
// for simulators that show a track or collide with it.
//
//	config := props.DefaultConfig()
//	config.Spacing = 0.3
//	sampler, err := props.NewSampler(device, props.SourceOf(generator.Track()), config)
//	...
//	_, err = sampler.RefreshMasked(ctx, done)  // after generator.Regenerate(ctx, done)
//	cones, err := sampler.Props().Read(ctx)    // in host memory
//
// Props stand at equal distances along a closed line, the first one at its first point (docs/spec/course.md, C-50 to
// C-52 and C-54).
package props
