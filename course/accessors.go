package course

import (
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
)

// The components of a course belong to it. They serve to read what they hold, and to ask about other agents and boxes
// than those that are bound; what changes their state changes that of the course. Do not bind inputs to them: Step asks
// them about those of the course, and returns an error if they have others (C-90).

// Config returns the configuration.
func (c *Course) Config() Config {
	if c == nil {
		return Config{}
	}
	return c.config.copied()
}

// Source returns the batch that the course follows: that of its generator, or that of Over.
func (c *Course) Source() Source {
	if c == nil {
		return Source{}
	}
	return c.source
}

// Tracks returns the generator of a course of tracks, or nil. Its Generate and Regenerate do what those of the course
// do.
func (c *Course) Tracks() *track.Generator {
	if c == nil {
		return nil
	}
	return c.tracks
}

// Gates returns the generator of a course of gates, or nil. Its Generate and Regenerate do what those of the course do.
func (c *Course) Gates() *gate.Generator {
	if c == nil {
		return nil
	}
	return c.gates
}

// Seeds returns the seeds and epochs of the next generation, or nil without a generator.
func (c *Course) Seeds() *seeds.State {
	if c == nil || c.generator == nil {
		return nil
	}
	return c.generator.Seeds()
}

// Signals returns what each step fills.
func (c *Course) Signals() *Signals {
	if c == nil {
		return nil
	}
	return c.signals
}

// Checkpoints returns the checkpoints: those of a sampler on tracks, or the gates.
func (c *Course) Checkpoints() *checkpoints.Set { return c.has().checkpoints }

// CheckpointSampler returns what places the checkpoints of a course of tracks, or nil.
func (c *Course) CheckpointSampler() *checkpoints.Sampler { return c.has().sampler }

// Progress returns what follows the agents past the checkpoints.
func (c *Course) Progress() *progress.Tracker { return c.has().tracker }

// Localiser returns what finds agents along the line, or nil in a course of tracks without Localize.Enabled.
func (c *Course) Localiser() *localise.Localiser { return c.has().localiser }

// Line returns what draws the line through the gates, or nil in a course of tracks.
func (c *Course) Line() *line.Sampler { return c.has().line }

// Borders returns what tests boxes against the segments of borders, or nil without the method Segments.
func (c *Course) Borders() *collision.Borders { return c.has().borders }

// Field returns what looks up boxes in distance fields, or nil without the method SDF.
func (c *Course) Field() *collision.Field { return c.has().field }

// Posts returns what tests boxes against the posts of gates, or nil.
func (c *Course) Posts() *collision.Discs { return c.has().posts }

// Frames returns what tests agents against the frames of gates, or nil.
func (c *Course) Frames() *collision.Frames { return c.has().frames }

// Others returns what tests the boxes of an env against each other, or nil.
func (c *Course) Others() *collision.Agents { return c.has().others }

// Ground returns what bakes the height fields, or nil.
func (c *Course) Ground() *heightfield.Baker { return c.has().ground }

// has returns the components, none of a Course that no constructor made.
func (c *Course) has() *tools {
	if c == nil || c.tools == nil {
		return &tools{}
	}
	return c.tools
}
