package trackgen

import "github.com/trackgen-go/trackgen/track"

// Config describes the tracks to generate. Make one with DefaultConfig and change fields of it. Lengths are in metres,
// or whatever unit the user takes, angles in radians. docs/settings.md lists the fields with their defaults and ranges.
type Config = track.Config

// Range is a closed interval [Min, Max] from which each env draws its own value.
type Range = track.Range

// Component is one way to draw first loops in a mixed batch (Config.Mix), with the weight of being drawn.
// Config.NewComponent makes one.
type Component = track.Component

// FirstLoop has the settings in which the components of a mixed batch differ: the generator, and those of each
// generator.
type FirstLoop = track.FirstLoop

// Field describes one field of Config by its name in configuration files, such as "road.half_width": type, unit,
// default and range. It reads and sets the field of a Config, for programs that take settings by name.
type Field = track.Field

// FieldGroup is a part of Config with the fields of one subject, such as "relax". The fields outside of groups have one
// without a name.
type FieldGroup = track.Group

// Unit is what the number of a field measures.
type Unit = track.Unit

// The units of fields.
const (
	UnitNone   = track.Dimensionless // a factor, a count
	UnitLength = track.Length        // the unit of lengths of the tracks, metres
	UnitAngle  = track.Angle         // radians
)

// The generators, for Config.Generator.
const (
	Bezier     = track.Bezier     // smooth curve through sorted corner points; clockwise
	Hull       = track.Hull       // the same with displaced edges; clockwise
	Polar      = track.Polar      // spline through knots on a jittered circle; counter-clockwise
	Voronoi    = track.Voronoi    // spline through sites in sectors; counter-clockwise
	Checkpoint = track.Checkpoint // path of a vehicle steered around checkpoints; counter-clockwise
	Repulsive  = track.Repulsive  // long curve that grows and repels itself; counter-clockwise
	Mixed      = track.Mixed      // the generators of Config.Mix
)

// DefaultConfig returns the default configuration: one bezier track.
func DefaultConfig() Config { return track.DefaultConfig() }

// Generators lists the names of the generators, without Mixed, those that were registered included.
func Generators() []string { return track.Generators() }

// Fields lists the fields of Config, in the order of configuration files.
func Fields() []Field { return track.Fields() }

// FieldGroups lists the groups of fields, in the order of configuration files.
func FieldGroups() []FieldGroup { return track.Groups() }

// FieldNamed returns the field with a name such as "road.half_width".
func FieldNamed(name string) (Field, bool) { return track.FieldNamed(name) }

// FieldOfReference returns the field that the reference system calls name, such as "half_width", for programs that read
// its configurations or tell their users the name here.
func FieldOfReference(name string) (Field, bool) { return track.FieldOfReference(name) }
