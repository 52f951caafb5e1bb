package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/suggest"
)

// rootCommand returns the root command with all its commands.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "trackgen",
		Short: "Generate batches of race tracks",
		Long: `Trackgen generates batches of closed race tracks: a centreline with its two borders, tangents,
normals and arc lengths. The same configuration, seed and epoch give the same bytes on every device.

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
  COLUMNS          the width of help, tables and reports, instead of that of the terminal`,
		Example: `  trackgen generate --envs 512 --out tracks.npz --plot tracks.png
  trackgen plot tracks.npz --envs 0-11 --out some.svg
  trackgen export tracks.npz --to ros --env 7 --scale 10 --out track7
  trackgen stats tracks.npz --plot stats.png
  trackgen config --generator polar > race.yaml
  trackgen import Monza.csv --out monza.npz --plot monza.png
  trackgen devices
  trackgen verify --envs 512
  trackgen graph --regenerate --out graph.svg
  trackgen ledger check
  trackgen bench --quick`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
	}
	root.RunE = a.run(func(context.Context, []string) error { return root.Help() })
	root.SetHelpFunc(a.helpOnce(root.HelpFunc()))
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.generateCommand(), a.importCommand(), a.plotCommand(), a.exportCommand(), a.statsCommand(),
		a.configCommand(), a.devicesCommand(), a.verifyCommand(), a.graphCommand(), a.ledgerCommand(), a.benchCommand(),
		a.versionCommand())
	return root
}

// unknownCommand refuses arguments of the root command. It does not see the names of existing commands.
func unknownCommand(root *cobra.Command, arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	var names []string
	for _, command := range root.Commands() {
		names = append(names, command.Name())
	}
	return fmt.Errorf("unknown command %q%s", arguments[0], suggest.Phrase(arguments[0], names))
}

// noArguments refuses all arguments.
func noArguments(command *cobra.Command, arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments but flags, and has %q", command.Name(), arguments[0])
}
