package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/settings"
)

// The flags that set fields of a course.
const (
	courseConfigFlag = "course-config"
	courseSetFlag    = "course-set"
)

// courseSettings are the flags that set fields of the course whose steps are measured, or whose answers are drawn.
type courseSettings struct {
	file string
	set  []string
}

// register adds --course-config and --course-set. of is the flag that asks for the course.
func (s *courseSettings) register(command *cobra.Command, of string) {
	fileFlag(command, &s.file, courseConfigFlag, "", roleStream,
		"`file` with the settings of the course of "+of+", YAML or JSON (- for standard input)")
	command.Flags().StringArrayVar(&s.set, courseSetFlag, nil,
		"set one field of the course of "+of+": `key=value`, for example agents=4; may be repeated")
	cobra.CheckErr(command.MarkFlagFilename(courseConfigFlag, "yaml", "yml", "json")) // the flag exists
}

// given reports whether one of the flags is.
func (s *courseSettings) given() bool { return s.file != "" || len(s.set) > 0 }

// read reads the settings, of which those of --course-set win. Errors name the field, its value and what is allowed.
func (s *courseSettings) read(stdin io.Reader) (list []settings.Setting[trackgen.CourseConfig], err error) {
	switch s.file {
	case "":
	case "-":
		list, err = settings.Courses.Read("standard input", stdin)
	default:
		list, err = settings.Courses.ReadFile(s.file)
	}
	set, wrong := settings.Courses.Assignments(s.set, "--"+courseSetFlag)
	if err = errors.Join(err, wrong); err != nil {
		return nil, badInput(err)
	}
	return append(settings.Override(list, set), set...), nil
}

// changed returns a course with the settings, and what is wrong with it.
func changed(course trackgen.CourseConfig, list []settings.Setting[trackgen.CourseConfig]) (trackgen.CourseConfig,
	error) {
	origins, err := settings.Courses.Apply(&course, list)
	if err != nil {
		return course, err
	}
	return course, settings.Locate(course.Validate(), origins)
}
