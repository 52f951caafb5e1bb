package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/seedsfile"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/export"
)

// maxEnvs is the maximum number of tracks of one run. It equals the maximum of the field num_envs.
const maxEnvs = seedsfile.MaxSeeds

// mixFlag is the name of the flag for the components of a mixed batch, and of the setting.
const mixFlag = "mix"

func (a *app) configCommand() *cobra.Command {
	var flags configFlags
	var format string
	command := &cobra.Command{
		Use:   "config",
		Short: "Print the effective configuration, as YAML with comments or as JSON",
		Long: `Config prints the configuration that the same flags give to generate, as a YAML file that --config
accepts: every field with its meaning, its range and its value. What is stated later wins: defaults,
then the file, then --set, then flags such as --generator.

Fields are in groups. In a file those of a group stand further in below its name, or with a dot, as in
--set: relax.sweeps. docs/settings.md lists all of them.

As JSON, it is an object with an object for each group. A value that is derived from other fields is there
too, so it no longer follows them: output.spacing stays as it is when road.half_width is set. Fields that
the YAML has without a value, such as relax.band, which each env derives for itself, are left out. --config
reads it too.

A file has at most 64 KiB of UTF-8 text: one YAML document, nested at most 8 deep, without directives,
anchors, aliases, tags and blocks of text.`,
		Example: `  trackgen config > race.yaml
  trackgen config --config race.yaml --set road.half_width=12cm --set candidates=4 > wide.yaml
  trackgen config --generator polar --format json | jq .output.spacing`,
		Args: noArguments,
		RunE: a.run(func(context.Context, []string) error {
			chosen, err := parseFormat("--format", format, formatYAML, formatJSON)
			if err != nil {
				return err
			}
			c, err := flags.load(a.stdin, nil)
			if err != nil {
				return err
			}
			if chosen == formatJSON {
				return writeJSON(a.stdout, export.Config(c.Resolved()))
			}
			return settings.Tracks.Write(a.stdout, c.Config)
		}),
	}
	flags.register(command)
	formatFlag(command, &format, "yaml", formatYAML, formatJSON)
	return command
}

// configFlags holds the flags that determine a configuration.
type configFlags struct {
	file      string
	set       []string
	generator string
	mix       string
	envs      int // 0: not given
}

func (f *configFlags) register(command *cobra.Command) {
	f.registerSettings(command)
	flags := command.Flags()
	flags.StringVarP(&f.generator, "generator", "g", "", "`name` of the generator (default \"bezier\")")
	flags.VarP(numberFlag(&f.envs, 0, 1, maxEnvs), "envs", "n", "how many tracks (default 1)")
	flags.StringVar(&f.mix, mixFlag, "",
		"`components` of a mixed batch, generators with weights: bezier=2,polar,hull=0.5; instead of --generator")
	completeFlag(command, "generator", trackgen.Generators()...)
	completeList(command, mixFlag, trackgen.Generators()...)
}

// registerSettings adds --config and --set, which can set every field.
func (f *configFlags) registerSettings(command *cobra.Command) {
	flags := command.Flags()
	fileFlag(command, &f.file, "config", "c", roleStream, "`file` with the configuration, YAML or JSON (- for standard input)")
	flags.StringArrayVarP(&f.set, "set", "s", nil,
		"set one field: `key=value`, for example road.half_width=12cm or relax.sweeps=80; may be repeated")
	registerCompletion(command, "set", completeSetting)
	cobra.CheckErr(command.MarkFlagFilename("config", "yaml", "yml", "json")) // the flag exists
}

// loadedConfig is a valid configuration, with one exception: num_envs counts the tracks of all chunks, so it may exceed
// the number of tracks that one batch can hold.
type loadedConfig struct {
	trackgen.Config
	origins map[string]string // where each field was set
}

// load returns the configuration. It applies the defaults, then the file, then --set, then the other flags and extra. A
// flag or an extra setting must not contradict --set; it may repeat it. Errors are errors of the input.
func (f *configFlags) load(stdin io.Reader, extra []settings.Setting[trackgen.Config]) (loadedConfig, error) {
	var fromFile []settings.Setting[trackgen.Config]
	var err error
	switch f.file {
	case "":
	case "-":
		fromFile, err = settings.Tracks.Read("standard input", stdin)
	default:
		fromFile, err = settings.Tracks.ReadFile(f.file)
	}
	fromSet, setErr := settings.Tracks.Assignments(f.set, "--set")
	if f.generator != "" && f.mix != "" {
		setErr = errors.Join(setErr, errors.New("--generator and --mix exclude each other"))
	}
	fromFlags := extra
	if f.generator != "" {
		s, flagErr := settings.Tracks.Parse("generator", f.generator, "--generator")
		if flagErr != nil {
			setErr = errors.Join(setErr, flagErr)
		} else {
			fromFlags = append(fromFlags, s)
		}
	}
	if f.mix != "" {
		s, flagErr := settings.Tracks.Parse(mixFlag, f.mix, "--mix")
		if flagErr != nil {
			setErr = errors.Join(setErr, flagErr)
		} else {
			fromFlags = append(fromFlags, s)
		}
	}
	if f.envs > 0 {
		s, flagErr := settings.Tracks.Parse("num_envs", fmt.Sprint(f.envs), "--envs")
		if flagErr != nil {
			setErr = errors.Join(setErr, flagErr)
		} else {
			fromFlags = append(fromFlags, s)
		}
	}
	if err = errors.Join(err, setErr); err != nil {
		return loadedConfig{}, badInput(err)
	}
	for _, flag := range fromFlags {
		for _, set := range fromSet {
			if flag.Mix == nil && flag.Name() == set.Name() && !reflect.DeepEqual(flag.Value, set.Value) {
				return loadedConfig{}, badInputf("%s says %s is %v, but --set says %v", flag.Origin, flag.Field.Name, flag.Value,
					set.Value)
			}
		}
	}
	fromFile = settings.Override(fromFile, append(slices.Clone(fromSet), fromFlags...))
	fromSet = settings.Override(fromSet, fromFlags)
	c := loadedConfig{Config: trackgen.DefaultConfig()}
	c.origins, err = settings.Tracks.Apply(&c.Config, append(append(fromFile, fromSet...), fromFlags...))
	return c, badInput(errors.Join(err, c.validate()))
}

// validate checks everything except whether num_envs tracks fit in one batch.
func (c loadedConfig) validate() error {
	envs, _ := trackgen.FieldNamed("num_envs")
	var wrong []error
	for _, part := range settings.Parts(c.Validate()) {
		var field *trackgen.ConfigError
		if errors.As(part, &field) && field.Field == envs.Name && field.Allowed != envs.Allowed() {
			continue
		}
		if part != nil {
			wrong = append(wrong, part)
		}
	}
	return settings.Locate(errors.Join(wrong...), c.origins)
}
