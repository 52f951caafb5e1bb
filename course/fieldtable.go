package course

import "github.com/trackgen-go/trackgen/config"

// Limits of Config.
const (
	maxAgents     = 1024 // each is compared with each
	maxBoxes      = 65536
	maxOthers     = 1024 // boxes that collide with each other
	maxLength     = 1e6
	maxPoints     = 65536
	minResolution = 8
	maxResolution = 4096
	maxSamples    = 1024

	defaultSamples       = 8
	defaultSDFResolution = 128
)

var groups = []config.Group{
	{Name: "", Title: "Cars"},
	{Name: "checkpoints", Title: "Checkpoints of tracks"},
	{Name: "collision", Title: "Collision"},
	{Name: "posts", Title: "Posts of gates"},
	{Name: "frames", Title: "Frames of gates"},
	{Name: "line", Title: "Line through gates"},
	{Name: "localize", Title: "Localisation"},
	{Name: "ground", Title: "Ground"},
}

// fields describes every field of Config except Tracks and Gates, which have tables of their own.
var fields = config.NewTable(groups, "", []config.Field[Config]{
	{Name: "agents", Default: 1, Min: 1, Max: maxAgents, Doc: "cars of each env, A"},
	{Name: "boxes", Reference: "max_boxes", Derived: "as many as agents", Min: 1, Max: maxBoxes,
		Doc: "boxes of each env that collide, B"},

	{Name: "checkpoints.spacing", Reference: "checkpoint_spacing", Unit: config.Length,
		Derived: "the gates of a gate course", MinOpen: true, Max: maxLength,
		Doc: "distance between checkpoints along a track; the track is divided into equal parts of about this length; a " +
			"course of tracks needs it"},
	{Name: "checkpoints.max", Reference: "max_checkpoints", Min: 3, Max: maxPoints,
		Derived: "1.5 times as many as the longest valid track of the first batch needs",
		Doc:     "checkpoints stored per track; a longer track gets fewer with more distance"},

	{Name: "collision.method", Reference: "collision", Default: None, Choices: []string{None, Segments, SDF},
		Doc: "what boxes collide with: nothing, the segments of the borders, or a signed distance field"},
	{Name: "collision.sdf_resolution", Reference: "sdf_resolution", Derived: "128", Min: minResolution,
		Max: maxResolution, Doc: "cells along each side of the distance field of an env"},
	{Name: "collision.agents", Default: false,
		Doc: "whether the boxes of an env collide with each other, as seen from above: heights do not count"},
	{Name: "collision.swept", Default: false,
		Doc: "whether to find when a box first touches something on its way from its position at the last step"},

	{Name: "posts.radius", Reference: "post_radius", Unit: config.Length, Default: 0.0, Max: maxLength,
		Doc: "radius of the posts; without one there are no posts"},

	{Name: "frames.enabled", Reference: "frame_collision", Default: false,
		Doc: "whether agents collide with the frames of the gates around their next one"},
	{Name: "frames.thickness", Reference: "frame_thickness", Unit: config.Length, Default: 0.0, Max: maxLength,
		Doc: "thickness of posts and bars across the opening"},
	{Name: "frames.depth", Reference: "frame_depth", Unit: config.Length, Default: 0.0, Max: maxLength,
		Doc: "thickness of posts and bars along the way through the gate"},
	{Name: "frames.agent_radius", Reference: "agent_radius", Unit: config.Length, Default: 0.0, Max: maxLength,
		Doc: "radius of the ball that stands for an agent"},

	{Name: "line.samples_per_gate", Reference: "samples_per_gate", Default: defaultSamples, Min: 2, Max: maxSamples,
		Doc: "points of the line for each gate"},

	{Name: "localize.enabled", Default: false,
		Doc: "whether agents of a course of tracks are localised; those of a gate course always are"},
	{Name: "localize.warm_window", Reference: "localize_window", Derived: "all segments", Min: 1, Max: maxPoints,
		Doc: "segments on either side of the last one in which an agent is sought; it then stays on its part of a line " +
			"that comes near itself"},

	{Name: "ground.resolution", Reference: "heightfield_resolution", Derived: "no height fields", Min: minResolution,
		Max: maxResolution, Doc: "cells along each side of the height field of an env"},
})

// Field describes a field of a Config: see package config.
type Field = config.Field[Config]

// Fields lists the fields in the order of the documentation, without those of Tracks and Gates.
func Fields() []Field { return fields.Fields() }

// DefaultConfig returns the configuration with every field at its default, without Tracks and Gates.
func DefaultConfig() Config { return fields.Default() }
