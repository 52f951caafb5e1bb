package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/settings"
)

// courseSettings are the flags that set fields of the course whose steps are measured.
type courseSettings struct {
	file string
	set  []string
}

// register adds --course-config and --course-set.
func (s *courseSettings) register(command *cobra.Command) {
	fileFlag(command, &s.file, "course-config", "", roleStream,
		"`file` with the settings of the course of --step, YAML or JSON (- for standard input)")
	command.Flags().StringArrayVar(&s.set, "course-set", nil,
		"set one field of the course of --step: `key=value`, for example agents=4; may be repeated")
	cobra.CheckErr(command.MarkFlagFilename("course-config", "yaml", "yml", "json")) // the flag exists
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
	set, wrong := settings.Courses.Assignments(s.set, "--course-set")
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
