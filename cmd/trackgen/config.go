package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/seedsfile"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/internal/settings"
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
--set: relax.sweeps. docs/settings.md lists all of them. With --course gates the fields are those of gate
courses, such as gate.radius, which docs/gates.md lists.

As JSON, it is an object with an object for each group. A value that is derived from other fields is there
too, so it no longer follows them: output.spacing stays as it is when road.half_width is set. Fields that
the YAML has without a value, such as relax.band, which each env derives for itself, are left out. --config
reads it too.

A file has at most 64 KiB of UTF-8 text: one YAML document, nested at most 8 deep, without directives,
anchors, aliases, tags and blocks of text.`,
		Example: `  trackgen config > race.yaml
  trackgen config --config race.yaml --set road.half_width=12cm --set candidates=4 > wide.yaml
  trackgen config --generator polar --format json | jq .output.spacing
  trackgen config --course gates --set gate.radius=3cm > gates.yaml`,
		Args: noArguments,
		RunE: a.run(func(context.Context, []string) error {
			chosen, err := parseFormat("--format", format, formatYAML, formatJSON)
			if err != nil {
				return err
			}
			ofGates, err := flags.ofGates()
			if err != nil {
				return err
			}
			if ofGates {
				return a.printGateConfig(&flags, chosen)
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
	flags.registerCourse(command)
	formatFlag(command, &format, "yaml", formatYAML, formatJSON)
	return command
}

// configFlags holds the flags that determine a configuration.
type configFlags struct {
	file      string
	set       []string
	setFlag   string // the flag of set; empty for --set
	generator string
	mix       string
	envs      int    // 0: not given
	course    string // courseTracks or courseGates; empty for a command of tracks alone
}

func (f *configFlags) register(command *cobra.Command) {
	f.registerGenerator(command, settingExamples)
	command.Flags().VarP(numberFlag(&f.envs, 0, 1, maxEnvs), "envs", "n",
		"how many tracks or courses, 1 to 16777216 (default 1)")
}

// registerGenerator adds all flags but the number of tracks. The help of --set has the examples.
func (f *configFlags) registerGenerator(command *cobra.Command, examples string) {
	f.registerSettings(command, examples)
	flags := command.Flags()
	flags.StringVarP(&f.generator, "generator", "g", "",
		"`name` of the generator: "+strings.Join(trackgen.Generators(), ", ")+" (default \"bezier\")")
	flags.StringVar(&f.mix, mixFlag, "",
		"`components` of a mixed batch, generators with weights: bezier=2,polar,hull=0.5; instead of --generator")
	registerCompletion(command, "generator", cobra.CompletionFunc(func(command *cobra.Command, _ []string, _ string) (
		[]string, cobra.ShellCompDirective) {
		return generatorsOf(command), cobra.ShellCompDirectiveNoFileComp
	}))
	completeListOf(command, mixFlag, generatorsOf)
}

// settingExamples are examples of --set for commands with --course.
const settingExamples = "road.half_width=12cm or, with --course gates, gate.radius=3cm"

// registerSettings adds --config and --set, which can set every field. The help of --set has the examples.
func (f *configFlags) registerSettings(command *cobra.Command, examples string) {
	flags := command.Flags()
	fileFlag(command, &f.file, "config", "c", roleStream, "`file` with the configuration, YAML or JSON (- for standard input)")
	flags.StringArrayVarP(&f.set, "set", "s", nil,
		"set one field: `key=value`, for example "+examples+"; may be repeated")
	registerCompletion(command, "set", completeSetting)
	cobra.CheckErr(command.MarkFlagFilename("config", "yaml", "yml", "json")) // the flag exists
}

// loadedConfig is a valid configuration, with one exception: num_envs counts the tracks of all chunks, so it may exceed
// the number of tracks that one batch can hold.
type loadedConfig struct {
	trackgen.Config
	origins map[string]string // where each field was set
}

// load returns the configuration of tracks: see loadConfig.
func (f *configFlags) load(stdin io.Reader, extra []settings.Setting[trackgen.Config]) (loadedConfig, error) {
	c, origins, err := loadConfig(f, settings.Tracks, trackgen.Config.Validate, stdin, extra)
	return loadedConfig{Config: c, origins: origins}, err
}

// loadConfig returns the configuration and where each field was set. It applies the defaults, then the file, then
// --set, then the other flags and extra. A flag or an extra setting must not contradict --set; it may repeat it. Errors
// are errors of the input.
func loadConfig[C any](f *configFlags, language settings.Language[C], validate func(C) error, stdin io.Reader,
	extra []settings.Setting[C]) (c C, origins map[string]string, err error) {
	var fromFile []settings.Setting[C]
	switch f.file {
	case "":
	case "-":
		fromFile, err = language.Read("standard input", stdin)
	default:
		fromFile, err = language.ReadFile(f.file)
	}
	fromSet, setErr := language.Assignments(f.set, cmp.Or(f.setFlag, "--set"))
	fromFlags, flagErr := flagSettings(f, language)
	fromFlags = append(extra, fromFlags...)
	if err = errors.Join(err, setErr, flagErr); err != nil {
		return c, nil, badInput(err)
	}
	for _, flag := range fromFlags {
		for _, set := range fromSet {
			if flag.Mix == nil && flag.Name() == set.Name() && !reflect.DeepEqual(flag.Value, set.Value) {
				return c, nil, badInputf("%s says %s is %v, but --set says %v", flag.Origin, flag.Field.Name, flag.Value,
					set.Value)
			}
		}
	}
	fromFile = settings.Override(fromFile, append(slices.Clone(fromSet), fromFlags...))
	fromSet = settings.Override(fromSet, fromFlags)
	c = language.Kind().Default()
	origins, err = language.Apply(&c, append(append(fromFile, fromSet...), fromFlags...))
	return c, origins, badInput(errors.Join(err, locateErrors(language, validate(c), origins)))
}

// flagSettings returns the settings of the flags that set one field each.
func flagSettings[C any](f *configFlags, language settings.Language[C]) (list []settings.Setting[C], err error) {
	if f.generator != "" && f.mix != "" {
		err = errors.New("--generator and --mix exclude each other")
	}
	envs := ""
	if f.envs > 0 {
		envs = fmt.Sprint(f.envs)
	}
	for _, flag := range []struct{ field, value, origin string }{
		{"generator", f.generator, "--generator"}, {mixFlag, f.mix, "--mix"}, {"num_envs", envs, "--envs"},
	} {
		if flag.value == "" {
			continue
		}
		s, wrong := language.Parse(flag.field, flag.value, flag.origin)
		if wrong != nil {
			err = errors.Join(err, wrong)
			continue
		}
		list = append(list, s)
	}
	return list, err
}

// locateErrors returns the errors of a validation with the origins of the fields, except whether num_envs tracks fit
// in one batch.
func locateErrors[C any](language settings.Language[C], invalid error, origins map[string]string) error {
	envs, _ := language.Kind().Named("num_envs")
	var wrong []error
	for _, part := range settings.Parts(invalid) {
		var field *trackgen.ConfigError
		if errors.As(part, &field) && field.Field == envs.Name && field.Allowed != envs.Allowed() {
			continue
		}
		if part != nil {
			wrong = append(wrong, part)
		}
	}
	return settings.Locate(errors.Join(wrong...), origins)
}
