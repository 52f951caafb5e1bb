package course

import (
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// Names of the configurations of generators in errors: "tracks.num_envs".
const (
	tracksGroup = "tracks"
	gatesGroup  = "gates"
)

// Validate checks every field against its range and the fields against one another, as C-101 says, and the
// configuration of the generator. The error joins one *ConfigError for each mistake.
func (c Config) Validate() error {
	if err := c.checkMade(); err != nil {
		return err
	}
	wrong := c.checkGenerator()
	wrong = append(wrong, fields.Check(c)...)
	if len(wrong) == 0 {
		wrong = c.checkTogether(c.sizes())
	}
	return errors.Join(wrong...)
}

// validateOver checks a configuration for Over.
func (c Config) validateOver(s Source) error {
	if err := c.checkMade(); err != nil {
		return err
	}
	const allowed = "nil: the source has the batch"
	var wrong []error
	if c.Tracks != nil {
		wrong = append(wrong, &ConfigError{Field: tracksGroup, Value: "set", Allowed: allowed})
	}
	if c.Gates != nil {
		wrong = append(wrong, &ConfigError{Field: gatesGroup, Value: "set", Allowed: allowed})
	}
	wrong = append(wrong, fields.Check(c)...)
	if len(wrong) == 0 {
		wrong = c.checkTogether(s.sizes())
	}
	return errors.Join(wrong...)
}

// copied returns c with configurations of generators of its own.
func (c Config) copied() Config {
	if c.Tracks != nil {
		tracks := *c.Tracks
		c.Tracks = &tracks
	}
	if c.Gates != nil {
		gates := *c.Gates
		c.Gates = &gates
	}
	return c
}

// inFacade returns an error of a component with the name that its field has in Config.
func inFacade(field, name string, err error) error {
	var of *ConfigError
	if !errors.As(err, &of) || of.Field != field {
		return err
	}
	named := *of
	named.Field = name
	return &named
}

// checkMade refuses a configuration that did not begin with the defaults.
func (c Config) checkMade() error {
	if c.Agents != 0 || c.Collision.Method != "" || c.Line.SamplesPerGate != 0 {
		return nil
	}
	// These are zero together only in a configuration that began as Config{}.
	return &ConfigError{Field: "the configuration", Value: "without its defaults",
		Allowed: "one that began as DefaultConfig()"}
}

// checkGenerator refuses configurations of none or two generators, and wrong ones.
func (c Config) checkGenerator() []error {
	switch {
	case c.Tracks == nil && c.Gates == nil:
		return []error{&ConfigError{Field: tracksGroup, Value: "nil", Allowed: "a configuration, unless gates is one"}}
	case c.Tracks != nil && c.Gates != nil:
		return []error{&ConfigError{Field: gatesGroup, Value: "set",
			Allowed: "nil beside tracks: a course has one generator"}}
	case c.Tracks != nil:
		return inGroup(tracksGroup, c.Tracks.Validate())
	}
	wrong := inGroup(gatesGroup, c.Gates.Validate())
	if len(wrong) == 0 && !(float32(c.Gates.Gate.Width) > 0) {
		wrong = []error{&ConfigError{Field: "gates.gate.width", Value: config.Shortest(c.Gates.Gate.Width),
			Allowed: "a number > 0: a gate without an opening is never passed"}}
	}
	return wrong
}

// inGroup returns the errors that err joins, with the name of the group before that of each field.
func inGroup(group string, err error) []error {
	if err == nil {
		return nil
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for i, one := range list {
		var of *ConfigError
		if errors.As(one, &of) {
			named := *of
			named.Field = group + "." + of.Field
			list[i] = &named
		}
	}
	return list
}

// sizes are those of a batch.
type sizes struct{ envs, gates int } // gates stored per env, 0 for tracks

// sizes returns those of the batches of the generator.
func (c Config) sizes() sizes {
	if c.Gates != nil {
		return sizes{envs: c.Gates.NumEnvs, gates: c.Gates.Output.MaxGates}
	}
	return sizes{envs: c.Tracks.NumEnvs}
}

// boxes returns the number of boxes of each env.
func (c Config) boxes() int {
	if c.Boxes == 0 {
		return c.Agents
	}
	return c.Boxes
}

// sdfResolution returns the resolution of distance fields.
func (c Config) sdfResolution() int {
	if c.Collision.SdfResolution == 0 {
		return defaultSDFResolution
	}
	return c.Collision.SdfResolution
}

// hasBoxes reports whether something collides with boxes.
func (c Config) hasBoxes() bool {
	return c.Collision.Method != None || c.hasPosts() || c.Collision.Agents
}

// canSweep reports whether something is found on the ways of boxes.
func (c Config) canSweep() bool {
	return c.Collision.Method == Segments || c.hasPosts() || c.Collision.Agents
}

// hasPosts reports whether gates have posts.
func (c Config) hasPosts() bool { return isAboveZero(c.Posts.Radius) }

// isAboveZero reports whether a length is above 0 in kernels, which compute in float32.
func isAboveZero(length float64) bool { return length >= math.SmallestNonzeroFloat32 }

// checkTogether checks the fields, whose own ranges hold, against one another, for a batch of these sizes.
func (c Config) checkTogether(of sizes) []error {
	var wrong []error
	if of.gates > 0 {
		wrong = c.checkGates()
	} else {
		wrong = c.checkTracks()
	}
	if c.boxes() != c.Agents && !c.hasBoxes() {
		wrong = append(wrong, c.refuse("boxes", "0 where nothing collides with boxes"))
	}
	if c.Collision.Agents && c.boxes() > maxOthers {
		wrong = append(wrong, c.refuse("boxes", fmt.Sprintf("at most %d with collision.agents", maxOthers)))
	}
	if c.Collision.Swept && !c.canSweep() {
		wrong = append(wrong, c.refuse("collision.swept", "false without segments, posts or collision.agents"))
	}
	if most := exec.MaxElements / mostColumns / max(c.Agents, c.boxes()); of.envs > most {
		wrong = append(wrong, &ConfigError{Field: "agents and boxes", Value: fmt.Sprintf("%d and %d", c.Agents, c.boxes()),
			Allowed: fmt.Sprintf("at most %d in all %d envs", exec.MaxElements/mostColumns, of.envs)})
	}
	return append(wrong, c.checkRooms(of)...)
}

// checkRooms refuses more elements than an array may have. The components refuse them too, but the first generation,
// which may take long, is before those.
func (c Config) checkRooms(of sizes) []error {
	var wrong []error
	check := func(name string, perEnv int) {
		if perEnv > 0 && of.envs > exec.MaxElements/perEnv {
			wrong = append(wrong, c.refuse(name, fmt.Sprintf("less: at most %d elements in all %d envs, not %d for each",
				exec.MaxElements, of.envs, perEnv)))
		}
	}
	check("checkpoints.max", c.Checkpoints.Max)
	check("ground.resolution", c.Ground.Resolution*c.Ground.Resolution)
	check("line.samples_per_gate", c.Line.SamplesPerGate*of.gates)
	if c.Collision.Method == SDF {
		check("collision.sdf_resolution", c.sdfResolution()*c.sdfResolution())
	}
	return wrong
}

// mostColumns is above the number of columns of one type in any result, which share an array.
const mostColumns = 32

// checkTracks refuses what a course of tracks has not.
func (c Config) checkTracks() []error {
	const ofGates = "the default: it belongs to gate courses"
	wrong := c.keepDefault(ofGates, "posts.radius", "frames.enabled", "frames.thickness", "frames.depth",
		"frames.agent_radius", "line.samples_per_gate")
	if c.Checkpoints.Spacing == 0 {
		wrong = append(wrong, c.refuse("checkpoints.spacing", "a number > 0 for tracks"))
	}
	if c.Collision.Method != SDF {
		wrong = append(wrong, c.keepDefault("0 without the method sdf", "collision.sdf_resolution")...)
	}
	if !c.Localize.Enabled {
		wrong = append(wrong, c.keepDefault("0 unless localize.enabled is set", "localize.warm_window")...)
	}
	return wrong
}

// checkGates refuses what a course of gates has not.
func (c Config) checkGates() []error {
	const ofTracks = "the default: it belongs to tracks"
	wrong := c.keepDefault(ofTracks, "checkpoints.spacing", "checkpoints.max", "collision.method",
		"collision.sdf_resolution", "localize.enabled", "ground.resolution")
	if !c.Frames.Enabled {
		return append(wrong, c.keepDefault("0 unless frames.enabled is set", "frames.thickness", "frames.depth",
			"frames.agent_radius")...)
	}
	if c.Posts.Radius != 0 {
		wrong = append(wrong, c.refuse("posts.radius", "0 with frames.enabled: a frame has posts of its own"))
	}
	for _, name := range []string{"frames.thickness", "frames.depth", "frames.agent_radius"} {
		if f, _ := fields.Named(name); !isAboveZero(f.Value(c).(float64)) {
			wrong = append(wrong, c.refuse(name, "a number > 0 with frames.enabled"))
		}
	}
	return wrong
}

// keepDefault refuses other values than the defaults of the named fields.
func (c Config) keepDefault(allowed string, names ...string) []error {
	var wrong []error
	for _, name := range names {
		if f, _ := fields.Named(name); f.Value(c) != f.Value(fields.Default()) {
			wrong = append(wrong, c.refuse(name, allowed))
		}
	}
	return wrong
}

// refuse returns an error for the value of a field.
func (c Config) refuse(name, allowed string) error {
	f, _ := fields.Named(name)
	return &ConfigError{Field: name, Value: f.Text(c), Allowed: allowed}
}
