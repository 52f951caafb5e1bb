package main

import "github.com/spf13/cobra"

// rootCommand builds the command line.
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
  130  interrupted (Ctrl-C or SIGTERM); unfinished files were removed

Environment:
  TRACKGEN_DEVICE  the device that "auto" stands for, for example cpu`,
		Example: `  trackgen generate --envs 512 --out tracks.npz --plot tracks.png
  trackgen plot tracks.npz --invalid-only --out invalid.svg
  trackgen config --generator polar > race.yaml
  trackgen devices`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.generateCommand(), a.plotCommand(), a.configCommand(), a.devicesCommand(), a.versionCommand())
	return root
}
