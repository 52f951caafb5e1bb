package settings

import (
	"slices"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/config"
)

// Language reads and writes settings of one kind of configuration.
type Language[C any] struct {
	kind      config.Kind[C]
	things    string                   // what the configuration makes, in the head of a file
	drawn     string                   // what the components of a mixed batch draw
	command   string                   // prints all fields
	example   string                   // of an assignment
	elsewhere func(name string) string // the course that has a field or group of this name, if it is another one
}

// Tracks is the language of the settings of tracks.
var Tracks = Language[trackgen.Config]{
	kind: trackgen.ConfigKind(), things: "trackgen", drawn: "loop", command: "trackgen config",
	example: "road.half_width=0.2",
	elsewhere: func(name string) string {
		if has(trackgen.GateConfigKind(), name) {
			return "gates"
		}
		return ""
	},
}

// Gates is the language of the settings of gate courses.
var Gates = Language[trackgen.GateConfig]{
	kind: trackgen.GateConfigKind(), things: "trackgen for gate courses (--course gates)", drawn: "control points",
	command: "trackgen config --course gates", example: "gate.radius=3cm",
	elsewhere: func(name string) string {
		if has(trackgen.ConfigKind(), name) {
			return "tracks"
		}
		return ""
	},
}

// Courses is the language of the settings of courses, without those of the tracks or gates. There is no other kind of
// course that has them.
var Courses = Language[trackgen.CourseConfig]{
	kind: trackgen.CourseConfigKind(), things: "the course of trackgen bench --step and plot --course",
	command: "go doc trackgen.CourseConfig", example: "agents=4", elsewhere: func(string) string { return "" },
}

// Races is the language of the settings of races.
var Races = Language[trackgen.RaceConfig]{
	kind: trackgen.RaceConfigKind(), things: "races of trackgen drive and trackgen bench --race",
	command: "docs/race-settings.md",
	example: "ends.stuck_time=2", elsewhere: func(string) string { return "" },
}

// Of returns the language of the settings of another kind of configuration, whose things are what it makes.
func Of[C any](kind config.Kind[C], things string) Language[C] {
	return Language[C]{kind: kind, things: things, command: "the settings of " + things, example: "field=value",
		elsewhere: func(string) string { return "" }}
}

// has reports whether a kind of configuration has a field or a group of this name.
func has[C any](kind config.Kind[C], name string) bool {
	_, isField := kind.Named(name)
	return isField || name != "" && slices.ContainsFunc(kind.Groups(), func(g config.Group) bool { return g.Name == name })
}

// Kind returns the kind of configuration.
func (l Language[C]) Kind() config.Kind[C] { return l.kind }
