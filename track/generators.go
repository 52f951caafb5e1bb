package track

import (
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/registry"
	"github.com/trackgen-go/trackgen/kernel"
)

// The built-in generators (docs/spec/pipeline.md, section 4). Register adds others.
const (
	Bezier     = "bezier"     // smooth curve through corner points sorted by angle; clockwise
	Hull       = "hull"       // spline through sorted corner points and displaced middles of their edges; clockwise
	Polar      = "polar"      // spline through knots on a jittered circle; counter-clockwise
	Voronoi    = "voronoi"    // spline through one of many random sites in each sector; counter-clockwise
	Checkpoint = "checkpoint" // closed path of a vehicle steered around random checkpoints; counter-clockwise
	Repulsive  = "repulsive"  // long curve that repels itself, grown from a circle; counter-clockwise
)

// Spec says how a generator draws the first closed loop of every env, with everything else that the package needs to
// know about the generator. Configurations that its functions receive are valid and resolved.
type Spec struct {
	// Stage makes the stage that draws the loops. Its output LoopOutput has output.loop_points points per env, in order
	// along the loop; each loop closes from its last point to its first. The points of an env must depend on its
	// effective seed (exec.Builder.Seed) and the configuration alone. pipeline.Legacy makes the stage of a legacy
	// producer.
	Stage func(Config) exec.Stage
	// Kernels are loaded when a generator is made, so that captures load none.
	Kernels []*kernel.Def

	// ControlPoints makes the generator one of gate courses too (package gate). It is nil if the generator has no
	// control points.
	ControlPoints *ControlPoints

	// Shortest returns a lower bound on the length of every loop, in units of scale. output.max_points is checked
	// against it. It is nil if no bound is known.
	Shortest func(Config) float64
	// Stride returns the number of elements per env in the longest array of the stage, which bounds the size of a
	// batch. It is nil if no array is longer than output.loop_points.
	Stride func(Config) int
}

// ControlPoints says how a generator draws the control points of gate courses.
type ControlPoints struct {
	// Stage makes the stage that draws the points. It has two outputs: ControlPointsOutput has room elements of
	// kernel.Vec2 per env, of which the first ones are the points of the env, and ControlCountOutput has their number.
	// The points of an env must depend on its effective seed and the configuration alone. The configuration has the
	// settings of the gate course that tracks have too, and the defaults of the others.
	Stage func(c Config, room int) exec.Stage
	// Kernels are loaded when a generator is made, so that captures load none.
	Kernels []*kernel.Def
	// Most returns the largest number of points of an env: 2 to 512.
	Most func(Config) int
}

// The names of the outputs of a stage of ControlPoints.
const (
	ControlPointsOutput = "control_points" // room elements of kernel.Vec2 per env
	ControlCountOutput  = "control_count"  // one int32 per env
)

// LoopOutput is the name of the output of a generator's stage: output.loop_points elements of kernel.Vec2 per env.
const LoopOutput = "loop"

// Register adds a generator under a name, which Config.Generator then accepts. A name consists of lower-case letters
// and digits, begins with a letter, and may have parts joined by dots, dashes and underscores.
//
// A name that is invalid or taken, or a Spec without Stage or with incomplete ControlPoints, is an error that matches
// backend.ErrInvalid.
func Register(name string, spec Spec) error {
	if name == Mixed {
		return &backend.ArgumentError{Op: "register generator", Argument: "name", Value: name,
			Allowed: "one that is not the generator of mixed batches"}
	}
	if spec.Stage == nil {
		return &backend.ArgumentError{Op: "register generator " + name, Argument: "Stage", Value: nil, Allowed: "a function"}
	}
	if points := spec.ControlPoints; points != nil && (points.Stage == nil || points.Most == nil) {
		return &backend.ArgumentError{Op: "register generator " + name, Argument: "ControlPoints", Value: "incomplete",
			Allowed: "nil, or a value with Stage and Most"}
	}
	return generators.Register(name, spec)
}

// SpecNamed returns the Spec of a generator, and whether there is one of this name.
func SpecNamed(name string) (Spec, bool) { return generators.Lookup(name) }

// Generators lists the names that Config.Generator accepts: first the built-in ones, then the registered ones in order
// of registration.
func Generators() []string { return generators.Names() }

var generators = registry.New("generator",
	registry.Entry[Spec]{Name: Bezier, Value: bezierSpec},
	registry.Entry[Spec]{Name: Hull, Value: hullSpec},
	registry.Entry[Spec]{Name: Polar, Value: polarSpec},
	registry.Entry[Spec]{Name: Voronoi, Value: voronoiSpec},
	registry.Entry[Spec]{Name: Checkpoint, Value: checkpointSpec},
	registry.Entry[Spec]{Name: Repulsive, Value: repulsiveSpec},
)

// spec returns the Spec of the configured generator, or the zero Spec if it is not registered. c is resolved.
func (c Config) spec() Spec {
	spec, _ := generators.Lookup(c.Generator)
	if c.Generator == Mixed {
		spec = mixedSpec(c.Components())
	}
	if spec.Shortest == nil {
		spec.Shortest = func(Config) float64 { return 0 }
	}
	if spec.Stride == nil {
		spec.Stride = func(Config) int { return 0 }
	}
	return spec
}

// Stages makes the stages that turn seeds into tracks, for a program of your own. In that program, SeedStage or another
// stage that writes the effective seeds must come before them. Their outputs have the names and the shapes of the
// fields of Track: "center", "count". The tracks are those of a Generator with the same configuration and seeds.
func Stages(config Config) ([]exec.Stage, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return config.Resolved().stages()
}

// stages makes the stages of a valid and resolved configuration.
func (c Config) stages() ([]exec.Stage, error) {
	list := c.trackStages()
	if err := generation.CheckNesting(Kind(), c, list[0], Config.loopStage); err != nil {
		return nil, err
	}
	if c.Candidates > 1 {
		list = []exec.Stage{candidateStage(c, list)}
	}
	if c.varies() {
		list = slices.Insert(list, 0, variationStage(c))
	}
	if c.Generator == Mixed {
		list = slices.Insert(list, 0, componentStage(c))
	}
	return list, nil
}

// loopStage makes the stage that draws the first loops.
func (c Config) loopStage() exec.Stage { return c.spec().Stage(c) }

// trackStages makes the stages that turn effective seeds into tracks.
func (c Config) trackStages() []exec.Stage {
	list := []exec.Stage{c.loopStage(), spaceStage(c)}
	line := spacedOutput
	if c.Relax.Enabled {
		list = append(list, relaxStage(c))
		line = relaxedOutput
	}
	return append(append(list, c.road(line).stages(c)...), validateStage(c))
}

// Names of the outputs of stages that are not fields of Track.
const (
	neededOutput    = "needed"    // [E] points that each loop needs
	spacedOutput    = "spaced"    // [E*N_max] the loop at constant spacing
	relaxedOutput   = "relaxed"   // [E*N_max] the loop after relaxation
	evenOutput      = "even"      // [E*N_max] the loop with even spacing: the centreline in the plane
	truncatedOutput = "truncated" // [1] number of envs for which N_max was too small
	droppedOutput   = "dropped"   // [1] number of beads with more close beads than slots
)
