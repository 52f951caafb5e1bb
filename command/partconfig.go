package command

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// The flags that set fields of a course.
const (
	courseConfigFlag = coursePart + configSuffix
	courseSetFlag    = coursePart + setSuffix

	coursePart   = "course"
	configSuffix = "-config"
	setSuffix    = "-set"
)

// courseSettings are the flags that set fields of the course whose steps are measured, or whose answers are drawn.
type courseSettings = partSettings[trackgen.CourseConfig]

// registerCourseSettings adds --course-config and --course-set. of is the flag that asks for the course.
func registerCourseSettings(s *courseSettings, command *cobra.Command, of string) {
	s.name, s.of, s.language = coursePart, of, settings.Courses
	s.register(command, "agents=4")
}

// partSettings are two flags, --NAME-config and --NAME-set, that set fields of a part of what a command works on.
type partSettings[C any] struct {
	name     string // of the part
	of       string // the flag that asks for the part
	language settings.Language[C]

	file string
	set  []string
}

// register adds the flags. example is an assignment.
func (s *partSettings[C]) register(command *cobra.Command, example string) {
	of := "of the " + s.name + " of " + s.of
	fileFlag(command, &s.file, s.name+configSuffix, "", roleStream,
		"`file` with the settings "+of+", YAML or JSON (- for standard input)")
	command.Flags().StringArrayVar(&s.set, s.name+setSuffix, nil,
		"set one field "+of+": `key=value`, for example "+example+"; may be repeated")
	cobra.CheckErr(command.MarkFlagFilename(s.name+configSuffix, "yaml", "yml", "json")) // the flag exists
}

// given reports whether one of the flags is.
func (s *partSettings[C]) given() bool { return s.file != "" || len(s.set) > 0 }

// check refuses the flags where they have no effect.
func (s *partSettings[C]) check(effect bool) error {
	if effect || !s.given() {
		return nil
	}
	return badInputf("--%[1]s%[2]s and --%[1]s%[3]s have an effect with %[4]s only", s.name, configSuffix, setSuffix, s.of)
}

// read reads the settings, of which those of --NAME-set win. Errors name the field, its value and what is allowed.
func (s *partSettings[C]) read(stdin io.Reader) (list []settings.Setting[C], err error) {
	switch s.file {
	case "":
	case "-":
		list, err = s.language.Read("standard input", stdin)
	default:
		list, err = s.language.ReadFile(s.file)
	}
	set, wrong := s.language.Assignments(s.set, "--"+s.name+setSuffix)
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
