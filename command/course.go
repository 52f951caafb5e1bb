package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// courseFlag is the name of the flag that says what a command makes.
const courseFlag = "course"

// generatorsName is the name of the flag for the generators of a command that runs several.
const generatorsName = "generators"

// The values of --course.
const (
	courseTracks = "tracks"
	courseGates  = "gates"
)

var courses = []string{courseTracks, courseGates}

// thingsOf returns what a batch of a kind of course has, for messages.
func thingsOf(course string) string {
	if course == courseGates {
		return "courses"
	}
	return "tracks"
}

// thingOf returns what an env of a batch of a kind of course has, for messages.
func thingOf(course string) string { return strings.TrimSuffix(thingsOf(course), "s") }

// gatesOf returns the name of the gate courses of a generator, in lists with generators of tracks.
func gatesOf(generator string) string { return "gates of " + generator }

// registerCourse adds --course.
func (f *configFlags) registerCourse(command *cobra.Command) {
	command.Flags().StringVar(&f.course, courseFlag, courseTracks, "`name` of the kind of course: tracks or gates")
	completeFlag(command, courseFlag, courses...)
}

// ofGates reports whether the flags say gate courses. It returns an error for a kind of course that is unknown.
func (f *configFlags) ofGates() (bool, error) {
	switch f.course {
	case courseGates:
		return true, nil
	case courseTracks, "":
		return false, nil
	}
	return false, badInputf("--course is %q: must be one of %s%s", f.course, strings.Join(courses, ", "),
		suggest.Phrase(f.course, courses))
}

// completesGates reports whether the command line so far says --course gates, or the command is of gates alone.
func completesGates(command *cobra.Command) bool {
	if command.Name() == gatesCommandName {
		return true
	}
	flag := command.Flags().Lookup(courseFlag)
	return flag != nil && flag.Value.String() == courseGates
}

// generatorsFlag adds --generators. Unless it is given, chosenGenerators returns all generators.
func generatorsFlag(command *cobra.Command, value *[]string, things string) {
	command.Flags().StringSliceVar(value, generatorsName, nil, "`names` of the "+things+" (default all)")
	completeListOf(command, generatorsName, generatorsOf)
}

// chosenGenerators returns the generators that --generators names, or all of the kind of course without it.
func chosenGenerators(command *cobra.Command, named []string) []string {
	if command.Flags().Changed(generatorsName) {
		return named
	}
	return generatorsOf(command)
}

// generatorsOf lists the generators of the kind of course that the command line so far says.
func generatorsOf(command *cobra.Command) []string {
	if completesGates(command) {
		return trackgen.GateGenerators()
	}
	return trackgen.Generators()
}

// adjectiveOf returns the generator of gate courses as an adjective, for titles: "polar". Those along tracks have none.
func adjectiveOf(generator string) string {
	if generator == trackgen.GatesAlongTracks {
		return ""
	}
	return generator
}
