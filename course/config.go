package course

import (
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// Methods of CollisionConfig.
const (
	None     = "none"     // no boxes against borders
	Segments = "segments" // exact, against the segments of both borders
	SDF      = "sdf"      // against a signed distance field that is baked on a grid
)

// Config describes a course: the tracks or gate courses to generate, and the signals of the cars that drive on them.
// Make one with DefaultConfig, set Tracks or Gates, and change fields of it:
//
//	tracks := track.DefaultConfig()
//	tracks.NumEnvs = 512
//	config := course.DefaultConfig()
//	config.Tracks, config.Checkpoints.Spacing, config.Collision.Method = &tracks, 0.6, course.Segments
//
// All fields are plain values, and zero is a value like any other. Where the documented default is zero with an
// explanation, as in "0: as many as agents", zero stands for that. Lengths are in track units. Names in configuration
// files consist of lower-case words and dots: Checkpoints.Spacing is checkpoints.spacing.
//
// The settings of the reference system and the rules that hold between them are C-100 and C-101 of
// docs/spec/course.md.
type Config struct {
	// Agents: cars of each env, A. Default: 1; a whole number >= 1 and <= 1024.
	Agents int
	// Boxes: boxes of each env that collide, B. Default: 0: as many as agents; a whole number >= 1 and <= 65536, or 0 for
	// the default.
	Boxes int

	// Tracks configures the generator of a course of tracks. One of Tracks and Gates is set, except for Over.
	Tracks *track.Config
	// Gates configures the generator of a course of gates.
	Gates *gate.Config

	Checkpoints CheckpointsConfig
	Collision   CollisionConfig
	Posts       PostsConfig
	Frames      FramesConfig
	Line        LineConfig
	Localize    LocalizeConfig
	Ground      GroundConfig
}

// CheckpointsConfig has the checkpoints of tracks. Those of gate courses are the gates.
type CheckpointsConfig struct {
	// Spacing: distance between checkpoints along a track; the track is divided into equal parts of about this length; a
	// course of tracks needs it. Default: 0: the gates of a gate course; a number > 0 and <= 1000000, or 0 for the
	// default.
	Spacing float64
	// Max: checkpoints stored per track; a longer track gets fewer with more distance. Default: 0: 1.5 times as many as
	// the longest valid track of the first batch needs; a whole number >= 3 and <= 65536, or 0 for the default.
	Max int
}

// CollisionConfig says how boxes collide with the borders of tracks, and with each other.
type CollisionConfig struct {
	// Method: what boxes collide with: nothing, the segments of the borders, or a signed distance field. Default: none;
	// one of none, segments, sdf.
	Method string
	// SdfResolution: cells along each side of the distance field of an env. Default: 0: 128; a whole number >= 8 and <=
	// 4096, or 0 for the default.
	SdfResolution int
	// Agents: whether the boxes of an env collide with each other, as seen from above: heights do not count. Default:
	// false; true or false.
	Agents bool
	// Swept: whether to find when a box first touches something on its way from its position at the last step. Default:
	// false; true or false.
	Swept bool
}

// PostsConfig has the posts of gate courses, with which boxes collide: discs at both ends of each opening.
type PostsConfig struct {
	// Radius: radius of the posts; without one there are no posts. Default: 0; a number >= 0 and <= 1000000.
	Radius float64
}

// FramesConfig has the frames of gate courses, with which flying agents collide: two posts and two bars around each
// opening.
type FramesConfig struct {
	// Enabled: whether agents collide with the frames of the gates around their next one. Default: false; true or false.
	Enabled bool
	// Thickness: thickness of posts and bars across the opening. Default: 0; a number >= 0 and <= 1000000.
	Thickness float64
	// Depth: thickness of posts and bars along the way through the gate. Default: 0; a number >= 0 and <= 1000000.
	Depth float64
	// AgentRadius: radius of the ball that stands for an agent. Default: 0; a number >= 0 and <= 1000000.
	AgentRadius float64
}

// LineConfig has the line through the gates of a gate course.
type LineConfig struct {
	// SamplesPerGate: points of the line for each gate. Default: 8; a whole number >= 2 and <= 1024.
	SamplesPerGate int
}

// LocalizeConfig says how agents are localised: along the line of a gate course, or along the centreline of a track.
type LocalizeConfig struct {
	// Enabled: whether agents of a course of tracks are localised; those of a gate course always are. Default: false;
	// true or false.
	Enabled bool
	// WarmWindow: segments on either side of the last one in which an agent is sought; it then stays on its part of a
	// line that comes near itself. Default: 0: all segments; a whole number >= 1 and <= 65536, or 0 for the default.
	WarmWindow int
}

// GroundConfig has the height fields of the ground around tracks.
type GroundConfig struct {
	// Resolution: cells along each side of the height field of an env. Default: 0: no height fields; a whole number >= 8
	// and <= 4096, or 0 for the default.
	Resolution int
}
