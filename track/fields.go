package track

import "github.com/trackgen-go/trackgen/config"

// Unit says what a number in the configuration measures.
type Unit = config.Unit

// The units.
const (
	Dimensionless = config.Dimensionless
	Length        = config.Length // track units (metres)
	Angle         = config.Angle  // radians
)

// Group is a part of the configuration: a struct in Config, and a mapping in configuration files.
type Group = config.Group

// Field documents one field of Config.
type Field = config.Field[Config]

// shortest prints v with the fewest digits that read back as v.
func shortest(v float64) string { return config.Shortest(v) }

// DefaultConfig returns the configuration of one bezier track with every field at its default.
func DefaultConfig() Config { return fields.Default() }

// Groups lists the groups of fields in the order of the documentation. The first one holds the fields outside of all
// groups.
func Groups() []Group { return fields.Groups() }

// Fields lists every field of Config except Mix, in the order of the documentation.
func Fields() []Field { return fields.Fields() }

// FieldNamed returns the field with the given name.
func FieldNamed(name string) (Field, bool) { return fields.Named(name) }

// FieldOfReference returns the field that has the given name in the reference system and a different name here:
// road.half_width for "half_width". It ignores a group before the name, as in "relax.half_width".
func FieldOfReference(name string) (Field, bool) { return fields.OfReference(name) }
