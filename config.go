package trackgen

import (
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/track"
)

// Config describes the tracks to generate. Make one with DefaultConfig and change its fields. Lengths are in metres, or
// in any other unit that the user chooses; angles are in radians. docs/settings.md lists the fields with their defaults
// and ranges.
type Config = track.Config

// Range is a closed interval [Min, Max] from which each env draws its own value.
type Range = track.Range

// Component is one kind of first loop in a mixed batch (Config.Mix), with its weight in the draw. Config.NewComponent
// makes one.
type Component = track.Component

// FirstLoop holds the settings of the first loop of an env: the generator, the settings of each generator, and how the
// road around the loop varies from env to env. The components of a mixed batch differ in these settings alone.
type FirstLoop = track.FirstLoop

// Field describes one field of Config by its name in configuration files, such as "road.half_width": type, unit,
// default and range. It also reads and sets the field of a Config, for programs that set fields by name.
type Field = track.Field

// FieldGroup is a group of fields of Config with a common subject, such as "relax". The fields outside of all groups
// have a group without a name.
type FieldGroup = track.Group

// Unit is what the number of a field measures.
type Unit = track.Unit

// The units of fields.
const (
	UnitNone   = track.Dimensionless // a factor or a count
	UnitLength = track.Length        // track units (metres)
	UnitAngle  = track.Angle         // radians
)

// The generators, for Config.Generator.
const (
	Bezier     = track.Bezier     // smooth curve through sorted corner points; clockwise
	Hull       = track.Hull       // the same, with displaced edges; clockwise
	Polar      = track.Polar      // spline through knots on a jittered circle; counter-clockwise
	Voronoi    = track.Voronoi    // spline through sites in sectors; counter-clockwise
	Checkpoint = track.Checkpoint // path of a vehicle steered around checkpoints; counter-clockwise
	Repulsive  = track.Repulsive  // long curve that grows and repels itself; counter-clockwise
	Mixed      = track.Mixed      // the generators of Config.Mix
)

// DefaultConfig returns the default configuration: one bezier track.
func DefaultConfig() Config { return track.DefaultConfig() }

// Generators lists the names of the generators, with the registered ones and without Mixed.
func Generators() []string { return track.Generators() }

// Fields lists the fields of Config, in the order of configuration files.
func Fields() []Field { return track.Fields() }

// FieldGroups lists the groups of fields, in the order of configuration files.
func FieldGroups() []FieldGroup { return track.Groups() }

// FieldNamed returns the field with the given name, such as "road.half_width".
func FieldNamed(name string) (Field, bool) { return track.FieldNamed(name) }

// FieldOfReference returns the field that the reference system calls name, such as "half_width". With it, programs read
// configurations of the reference system, or tell their users the name of the field here.
func FieldOfReference(name string) (Field, bool) { return track.FieldOfReference(name) }

// ConfigKind describes Config to programs that read or write configurations of several kinds.
func ConfigKind() config.Kind[Config] { return track.Kind() }
