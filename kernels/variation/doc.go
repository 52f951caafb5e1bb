// Package variation holds the kernel that draws how the road of an env differs from that of the others: its half width,
// the direction in which its track is driven, and whether the track is mirrored (docs/spec/pipeline.md, section 7.1).
package variation
