package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/settings"
)

const (
	gatesCommandName = "gates"
	everyFlag        = "every"

	spacingField  = "along.spacing"
	maxGatesField = "output.max_gates"
)

// gatesFlags are the flags of the command gates: those of its settings and its output, and those of import for files of
// circuits.
type gatesFlags struct {
	generateFlags
	circuits importFlags
	every    string
	reading  []string // names of the flags for circuits that are given
}

// gatesHelp says what the command does.
const gatesHelp = `Gates places gates along the centre line of each track, one every so many metres, and writes gate courses
as generate does with --course gates: .npz, .csv (one row for each gate), .json, .parquet, .svg or .png.

FILE is an .npz of tracks that generate or import has written, whose tracks are taken as they are, with
their heights. Other files are circuits, which are read and made into tracks as import does: CSV, GeoJSON,
KML, GPX and the others that import lists, with the flags of import. "-" is standard input.

A track of length L gets L/--every gates, rounded to the nearest number, at equal distances along the line
from its first point on. A gate is as wide as the road, or gate.width, or along.road_fraction of the road.
A gate looks from the gate before it to the gate after it.

Courses along tracks that are not valid are not valid either, unless along.any_track is set. Gates must be
at least twice gate.radius apart. Without output.max_gates there is room for the longest track, and for 512
gates at most; a course that needs more is not valid (too many gates). docs/gates.md lists all settings.

Without --out it prints a summary: a table on a terminal, else JSON; --format says which.

Exit codes: 0 done, also with courses that are not valid; 1 the run failed, 2 bad usage or input (nothing
was written), 130 interrupted.`

func (a *app) gatesCommand() *cobra.Command {
	var f gatesFlags
	command := &cobra.Command{
		Use:   gatesCommandName + " FILE [FILE ...]",
		Short: "Place gates along tracks: a gate course for each track of a file",
		Long:  gatesHelp,
		Example: `  trackgen gates tracks.npz --every 0.4 --out gates.npz
  trackgen gates Monza.csv --every 20m --set gate.width=3m --out monza.json --plot monza.png
  trackgen gates circuits/*.csv --every 50 --set validity.max_turn=80deg | jq .reasons`,
		Annotations: fileArguments(roleStream),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return importExtensions, cobra.ShellCompDirectiveFilterFileExt
		},
		Args: func(_ *cobra.Command, arguments []string) error { return f.check(arguments) },
	}
	command.RunE = a.run(func(ctx context.Context, arguments []string) error {
		return a.placeGates(ctx, f, arguments)
	})
	f.circuits.registerReading(command)
	var names []string
	command.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	command.PreRun = func(command *cobra.Command, _ []string) {
		command.Flags().Visit(func(flag *pflag.Flag) {
			if slices.Contains(names, flag.Name) {
				f.reading = append(f.reading, flag.Name)
			}
		})
	}
	f.registerGates(command)
	return command
}

// registerGates adds the flags for the settings of the gates and for the output.
func (f *gatesFlags) registerGates(command *cobra.Command) {
	f.registerSettings(command, "gate.width=3m or gate.radius=1m")
	flags := command.Flags()
	flags.StringVar(&f.every, everyFlag, "", "`distance` between gates along a track, such as 20m, in place of "+spacingField)
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices")
	flags.Var(numberFlag(&f.workers, 0, 0, trackgen.MaxWorkers), "workers", "CPU workers, 0 for one on each core")
	fileFlag(command, &f.out, "out", "o", roleOutput, "`file` to write: .npz, .csv, .json, .parquet, .svg or .png")
	fileFlag(command, &f.plot, "plot", "", roleOutput, "`file` for a picture of the first courses: .png or .svg")
	formatFlag(command, &f.format, "that of --out; without it, of the summary, "+reportDefault,
		append(slices.Clone(gateFormats), formatText)...)
	flags.BoolVar(&f.compress, "compress", false, "deflate the arrays of .npz")
	flags.BoolVar(&f.tight, "tight", false, "cut the arrays of .npz to the largest number of gates")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages, only errors")
	completeDevice(command)
}

// check returns an error unless the arguments are one .npz file, or files of circuits.
func (f *gatesFlags) check(arguments []string) error {
	for _, path := range arguments {
		if isNPZ(path) && (len(arguments) > 1 || f.circuits.forms.left != "") {
			return fmt.Errorf("gates takes one .npz file of tracks, or files of circuits, and has %q beside others", path)
		}
	}
	if len(arguments) == 0 && f.circuits.forms.left == "" && f.circuits.forms.right == "" {
		return errors.New("gates takes a file of tracks, or files of circuits, and has none")
	}
	return f.circuits.forms.check(arguments)
}

// gateSettings returns the settings of the gates, and whether they say output.max_gates.
func (f *gatesFlags) gateSettings(stdin io.Reader) (config trackgen.GateConfig, saysRoom bool, err error) {
	var extra []settings.Setting[trackgen.GateConfig]
	if f.every != "" {
		every, err := settings.Gates.Parse(spacingField, f.every, "--"+everyFlag)
		if err != nil {
			return config, false, badInput(err)
		}
		extra = append(extra, every)
	}
	config, origins, err := loadConfig(&f.configFlags, settings.Gates, trackgen.GateConfig.ValidateAlong, stdin, extra)
	if err != nil {
		return config, false, err
	}
	if origins[spacingField] == "" {
		return config, false, badInputf("--%s is missing: the distance between gates, such as --%[1]s 20m", everyFlag)
	}
	return config, origins[maxGatesField] != "", nil
}

// placeGates runs the command. It checks all input before it makes anything.
func (a *app) placeGates(ctx context.Context, f gatesFlags, paths []string) (err error) {
	config, saysRoom, err := f.gateSettings(a.stdin)
	if err != nil {
		return err
	}
	files, err := f.gateTargets()
	if err != nil {
		return err
	}
	source, err := f.openTracks(ctx, a, paths)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	r, err := startRun[*trackgen.GateBatch](a, f.generateFlags, files, courseGates, source.envs(),
		func(trackgen.Device) error { return nil })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	p := gatesAlong{config: config, source: source}
	if err := p.measure(ctx, r.device, saysRoom); err != nil {
		return err
	}
	made := newGatesReport(p, r.device.Info(), pathsOf(files))
	summary, done, err := writeGateCourses(ctx, r, p.config, p.generate, made.add)
	if err != nil {
		return err
	}
	made.GateSummary, made.Seconds = summary, done.elapsed.Seconds()
	return r.print(made, made.writeText)
}

// isNPZ reports whether a path names an .npz file.
func isNPZ(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".npz") }
