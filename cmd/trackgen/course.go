package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// courseFlag is the name of the flag that says what a command makes.
const courseFlag = "course"

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
