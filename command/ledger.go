package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/bench/ledger"
	"github.com/trackgen-go/trackgen/export"
)

type ledgerFlags struct {
	configFlags
	device     string
	generators []string
	seed       int32
	epoch      int32
	out        string
}

func (a *app) ledgerCommand() *cobra.Command {
	var f ledgerFlags
	command := &cobra.Command{
		Use:   "ledger",
		Short: "Write hashes of what the generators make, or check them",
		Long: `Ledger generates a batch with each generator and writes the SHA-256 of every array of the result as JSON,
with the configuration, the seeds and where it was made:

  {"format": 1, "made": {"version", "go", "platform", "device", "hardware", "driver"},
   "entries": [{"config": {...}, "seed", "epoch", "arrays": [{"name", "words", "sha256"}], "envs": ["..."]}]}

With --course gates the batches are of gate courses, and the list is "gates" instead of "entries".

"ledger check" makes the same batches again, on this machine's devices, and compares.

How long it takes: with the defaults about 5 seconds on two cores of a server, nearly all for repulsive.`,
		Example: `  trackgen ledger --out bits.json
  trackgen ledger --generators bezier --set road.half_width=12cm --envs 4096 --out wide.json
  trackgen ledger --course gates --generators voronoi --set gate.radius=3cm --out gates.json
  trackgen ledger check bits.json --devices cpu,vulkan:0`,
		Args: noArguments,
	}
	command.RunE = a.run(func(ctx context.Context, _ []string) error {
		f.generators = chosenGenerators(command, f.generators)
		return a.ledger(ctx, f)
	})
	flags := command.Flags()
	f.registerSettings(command, settingExamples)
	f.registerCourse(command)
	flags.VarP(numberFlag(&f.envs, 256, 1, maxEnvs), "envs", "n", "tracks or courses of each generator")
	flags.StringVarP(&f.device, "device", "d", "cpu", "`name` of the device")
	generatorsFlag(command, &f.generators, "generators to run")
	flags.Var(numberFlag(&f.seed, 0, math.MinInt32, math.MaxInt32), "seed",
		"seed of the first track or course (default 0)")
	flags.Var(numberFlag(&f.epoch, 0, math.MinInt32, math.MaxInt32), "epoch", "epoch of all of them (default 0)")
	fileFlag(command, &f.out, "out", "o", roleOutput, "`file` to write (default: standard output)")
	completeDevice(command)
	command.AddCommand(a.ledgerCheckCommand())
	return command
}

func (a *app) ledger(ctx context.Context, f ledgerFlags) (err error) {
	entries, err := f.entries(a.stdin)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := export.Probe(f.out); err != nil {
			return badInput(err)
		}
	}
	bar := newProgress(a.stderr, f.generators[0], "", len(entries))
	defer bar.Done()
	device, err := a.openDevice(f.device, 0, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	l := ledger.Ledger{Format: ledger.Format, Made: ledger.NewOrigin(version(), device.Info()), Entries: []ledger.Entry{}}
	for k, compute := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		bar.Do(f.generators[k])
		if err := compute(ctx, device, &l); err != nil {
			return fmt.Errorf("%s: %w", f.generators[k], err)
		}
		bar.Add(1)
	}
	bar.Finish()
	if f.out == "" {
		return l.Write(a.stdout)
	}
	return export.WriteFile(f.out, l.Write)
}

// ledgerEntry makes a batch and adds its hashes to a ledger.
type ledgerEntry func(context.Context, trackgen.Device, *ledger.Ledger) error

// entries returns an entry for each of the generators.
func (f ledgerFlags) entries(stdin io.Reader) (list []ledgerEntry, err error) {
	ofGates, err := f.ofGates()
	if err != nil {
		return nil, err
	}
	if ofGates {
		configs, err := gateGeneratorConfigs(&f.configFlags, f.generators, stdin)
		return ledgerEntries(configs, func(l *ledger.Ledger) *[]ledger.CourseEntry { return &l.Gates }, ledger.ComputeCourses,
			f), err
	}
	configs, err := generatorConfigs(&f.configFlags, f.generators, stdin)
	return ledgerEntries(configs, func(l *ledger.Ledger) *[]ledger.Entry { return &l.Entries }, ledger.Compute, f), err
}

// ledgerEntries returns an entry for each configuration. compute makes it, and in says where a ledger keeps it.
func ledgerEntries[C, E any](configs []C, in func(*ledger.Ledger) *[]E,
	compute func(context.Context, trackgen.Device, C, int32, int32) (E, error), f ledgerFlags) (list []ledgerEntry) {
	for _, config := range configs {
		list = append(list, func(ctx context.Context, device trackgen.Device, l *ledger.Ledger) error {
			entry, err := compute(ctx, device, config, f.seed, f.epoch)
			*in(l) = append(*in(l), entry)
			return err
		})
	}
	return list
}

type ledgerCheckFlags struct {
	devices []string
	envs    int
	format  string
}

func (a *app) ledgerCheckCommand() *cobra.Command {
	var f ledgerCheckFlags
	command := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Make the batches of a ledger again and compare",
		Long: `Check makes the batches of a ledger again, on the devices of this machine, and compares the hashes. Of a
batch that differs it names the arrays and the first env. Without FILE it takes the ledger that comes with
this version: every generator with its defaults, 256 tracks each, and the gate courses of every generator
of theirs. "-" is standard input.

Exit code 0 means that all hashes are equal, 1 that some differ or that a device failed.

How long it takes: the ledger of this version about 5 seconds on two cores of a server, and 20 on a device in
software, nearly all of it for repulsive. --envs takes less.

On a terminal it prints a table, else JSON: {"equal": true, "checks": [{"device", "generator", "envs", "arrays",
"difference": {"arrays", "env", "envs"}}]}`,
		Example: `  trackgen ledger check
  trackgen ledger check bits.json --devices cpu`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: fileArguments(roleStream),
		RunE: a.run(func(ctx context.Context, arguments []string) error {
			return a.checkLedger(ctx, strings.Join(arguments, ""), len(arguments) == 0, f)
		}),
	}
	flags := command.Flags()
	flags.StringSliceVar(&f.devices, "devices", nil, "`names` of the devices (default all, cpu first)")
	flags.VarP(numberFlag(&f.envs, 0, 0, maxEnvs), "envs", "n",
		"check only so many tracks of each batch, the first ones (0: all)")
	formatFlag(command, &f.format, reportDefault, reportFormats...)
	completeDevices(command)
	return command
}

// ledgerReport is the output of ledger check.
type ledgerReport struct {
	Equal  bool          `json:"equal"`
	Checks []ledgerCheck `json:"checks"`
}

// ledgerCheck is the result for one batch on one device.
type ledgerCheck struct {
	Device     string             `json:"device"`
	Generator  string             `json:"generator"`
	Envs       int                `json:"envs"`
	Arrays     int                `json:"arrays"`
	Difference *ledger.Difference `json:"difference,omitempty"`
}

// checkableEntry is an entry of a ledger, with what makes its batch again and compares it.
type checkableEntry struct {
	name         string
	envs, arrays int
	check        func(context.Context, trackgen.Device, int) (*ledger.Difference, error)
}

// checkable returns an entry of a ledger, which check checks.
func checkable[E any](name string, envs []ledger.EnvHash, arrays []ledger.Array, entry E,
	check func(context.Context, trackgen.Device, E, int) (*ledger.Difference, error)) checkableEntry {
	return checkableEntry{name: name, envs: len(envs), arrays: len(arrays),
		check: func(ctx context.Context, device trackgen.Device, envs int) (*ledger.Difference, error) {
			return check(ctx, device, entry, envs)
		}}
}

// readEntries returns the entries of a ledger: see readLedger.
func (a *app) readEntries(path string, builtin bool) (list []checkableEntry, err error) {
	l, err := a.readLedger(path, builtin)
	if err != nil {
		return nil, err
	}
	for _, e := range l.Entries {
		list = append(list, checkable(e.Config.Generator, e.Envs, e.Arrays, e, ledger.Check))
	}
	for _, e := range l.Gates {
		list = append(list, checkable(gatesOf(e.Config.Generator), e.Envs, e.Arrays, e, ledger.CheckCourses))
	}
	if !builtin {
		return list, nil
	}
	gates, err := ledger.Gates()
	for _, e := range gates {
		list = append(list, checkable(e.Name, e.Envs, e.Arrays, e, ledger.CheckGates))
	}
	return list, err
}

func (a *app) checkLedger(ctx context.Context, path string, builtin bool, f ledgerCheckFlags) (err error) {
	chosen, err := a.reportFormat(f.format, formatText, formatJSON)
	if err != nil {
		return err
	}
	entries, err := a.readEntries(path, builtin)
	if err != nil {
		return err
	}
	names := devicesToOpen(f.devices)
	bar := newProgress(a.stderr, "opening the devices", "", len(names)*len(entries))
	defer bar.Done()
	devices, err := a.openDevices(names)
	defer func() { err = errors.Join(err, closeDevices(devices)) }()
	if err != nil {
		return err
	}
	report := ledgerReport{Equal: true}
	for _, device := range devices {
		for _, entry := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			bar.Do(entry.name + " " + device.Info().Name)
			difference, err := entry.check(ctx, device, f.envs)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", entry.name, device.Info().Name, err)
			}
			report.Equal = report.Equal && difference == nil
			envs := entry.envs
			if f.envs > 0 {
				envs = min(envs, f.envs)
			}
			report.Checks = append(report.Checks, ledgerCheck{Device: device.Info().Name, Generator: entry.name, Envs: envs,
				Arrays: entry.arrays, Difference: difference})
			bar.Add(1)
		}
	}
	bar.Finish()
	return a.conclude(report, chosen, report.Equal)
}

// comparison is the report of a command that compares.
type comparison interface {
	writeTable(w io.Writer, columns int) error
}

// conclude prints the report of a comparison. It returns errDiffers unless everything is equal.
func (a *app) conclude(report comparison, chosen format, equal bool) (err error) {
	if chosen == formatJSON {
		err = writeJSON(a.stdout, report)
	} else {
		err = report.writeTable(a.stdout, columnsOf(a.stdout.w))
	}
	if err == nil && !equal {
		err = errDiffers
	}
	return err
}

// readLedger reads a ledger from a file or from standard input (-) or, if builtin is set, returns that of this version.
func (a *app) readLedger(path string, builtin bool) (l ledger.Ledger, err error) {
	if builtin {
		return ledger.Default()
	}
	err = a.readInput(path, func(r io.Reader) error {
		if l, err = ledger.Read(r); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return err
	})
	return l, badInput(err)
}

func (r ledgerReport) writeTable(w io.Writer, columns int) error {
	t := table{head: []string{"DEVICE", "GENERATOR", "ENVS", "ARRAYS", "RESULT"}, keys: 2}
	for _, c := range r.Checks {
		result := "equal"
		if c.Difference != nil {
			result = "DIFFERS: " + c.Difference.String()
		}
		t.add(c.Device, c.Generator, fmt.Sprint(c.Envs), fmt.Sprint(c.Arrays), result)
	}
	return t.write(w, columns)
}
