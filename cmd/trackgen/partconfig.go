package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/settings"
)

// partSettings are two flags, --NAME-config and --NAME-set, that set fields of a part of what bench measures.
type partSettings[C any] struct {
	name     string // of the part
	with     string // the flag with which they have an effect
	language settings.Language[C]

	file string
	set  []string
}

// register adds the flags. example is an assignment.
func (s *partSettings[C]) register(command *cobra.Command, example string) {
	of := "of the " + s.name + " of --" + s.with
	fileFlag(command, &s.file, s.name+"-config", "", roleStream,
		"`file` with the settings "+of+", YAML or JSON (- for standard input)")
	command.Flags().StringArrayVar(&s.set, s.name+"-set", nil,
		"set one field "+of+": `key=value`, for example "+example+"; may be repeated")
	cobra.CheckErr(command.MarkFlagFilename(s.name+"-config", "yaml", "yml", "json")) // the flag exists
}

// check refuses the flags where they have no effect.
func (s *partSettings[C]) check(effect bool) error {
	if effect || s.file == "" && len(s.set) == 0 {
		return nil
	}
	return badInputf("--%[1]s-config and --%[1]s-set have an effect with --%[2]s only", s.name, s.with)
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
	set, wrong := s.language.Assignments(s.set, "--"+s.name+"-set")
	if err = errors.Join(err, wrong); err != nil {
		return nil, badInput(err)
	}
	return append(settings.Override(list, set), set...), nil
}

// change applies settings to a configuration, and returns what is wrong with it then.
func (s *partSettings[C]) change(c *C, list []settings.Setting[C], validate func(C) error) error {
	origins, err := s.language.Apply(c, list)
	if err != nil {
		return err
	}
	return settings.Locate(validate(*c), origins)
}
