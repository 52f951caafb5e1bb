package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/internal/suggest"
)

// rootCommand returns the root command with all its commands.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "trackgen",
		Short: "Generate batches of race tracks and of gate courses",
		Long: `TrackGen generates batches of closed race tracks, level or with hills (a centreline with its two borders,
tangents, normals and arc lengths), and of gate courses for drone racing. The same configuration, seed and
epoch give the same bytes on every device.

Exit codes:
  0    done
  1    the run failed: a device, a disk
  2    bad usage or bad input: arguments, configuration, seeds, files; nothing was written
  130  interrupted (Ctrl-C, SIGTERM or SIGHUP); unfinished files were removed. Work that does not end within 3
       seconds is given up
  141  whoever read the standard output has closed it, as head does; nothing is said

A run whose output was all written is done, also if its messages on the standard error could not be. A file
is never both read and written, nor written twice, in one run: by whatever names, that is refused as bad input.

Environment:
  TRACKGEN_DEVICE  the device that "auto" stands for, for example cpu
  TRACKGEN_CPU     how the CPU runs kernels: lanes (eight items at a time in machine code, where the processor
                   has AVX2 and POPCNT, as by default) or go (the Go functions); the results are the same
  COLUMNS          the width of help, tables and reports, instead of that of the terminal`,
		Example: `  trackgen generate --envs 512 --out tracks.npz --plot tracks.png
  trackgen generate --course gates --envs 512 --out gates.npz
  trackgen dataset --tracks 10M --out tracks
  trackgen plot tracks.npz --env 0-11 --out some.svg
  trackgen export tracks.npz --to ros --env 7 --scale 10 --out track7
  trackgen terrain tracks.npz --env 7 --blend smooth --scale 50 --out track7.glb
  trackgen stats tracks.npz --plot stats.png
  trackgen config --generator polar > race.yaml
  trackgen import Monza.csv --out monza.npz --plot monza.png
  trackgen gates Monza.csv --every 20m --out monza_gates.npz
  trackgen drive --envs 12 --plot driven.png
  trackgen explore
  trackgen devices
  trackgen verify --envs 512
  trackgen graph --regenerate --out graph.svg
  trackgen ledger check
  trackgen bench --quick`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArguments,
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.RunE = a.run(func(context.Context, []string) error { return root.Help() })
	a.setHelp(root)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		in(groupMake, a.generateCommand()), in(groupMake, a.importCommand()), in(groupMake, a.gatesCommand()),
		in(groupMake, a.datasetCommand()), in(groupMake, a.configCommand()), in(groupMake, a.exploreCommand()),
		in(groupUse, a.plotCommand()), in(groupUse, a.exportCommand()), in(groupUse, a.terrainCommand()),
		in(groupUse, a.statsCommand()), in(groupUse, a.driveCommand()),
		in(groupCheck, a.devicesCommand()), in(groupCheck, a.verifyCommand()), in(groupCheck, a.ledgerCommand()),
		in(groupCheck, a.graphCommand()), in(groupCheck, a.benchCommand()),
		in(groupOther, a.manCommand()), in(groupOther, a.versionCommand()))
	completeNoOtherFiles(root)
	cobra.CheckErr(a.addCompletion(root)) // the command exists
	nameManPages(root)
	return root
}

// noArguments refuses all arguments. Those of a command with subcommands are misspelt ones, because cobra does not pass
// the names of existing commands.
func noArguments(command *cobra.Command, arguments []string) error {
	switch {
	case len(arguments) == 0:
		return nil
	case command.HasAvailableSubCommands():
		_, err := subcommand(command, arguments)
		return err
	default:
		return fmt.Errorf("%s takes no arguments but flags, and has %q", command.Name(), arguments[0])
	}
}

// subcommand returns the command below a command to which a path of names leads, and the command itself for no names.
func subcommand(command *cobra.Command, path []string) (*cobra.Command, error) {
	for _, name := range path {
		var names []string
		for _, c := range command.Commands() {
			names = append(names, c.Name())
		}
		i := slices.Index(names, name)
		if i < 0 {
			of := ""
			if command.HasParent() {
				of = " of " + command.Name()
			}
			return nil, fmt.Errorf("unknown command %q%s%s", name, of, suggest.Phrase(name, names))
		}
		command = command.Commands()[i]
	}
	return command, nil
}
