package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore"
	"github.com/trackgen-go/trackgen/explore/world"
	"github.com/trackgen-go/trackgen/internal/settings"
)

type exploreFlags struct {
	configFlags
	address string
	seed    int32
	device  string
	workers int
	quiet   bool
}

// exploreHelp says what the command does.
const exploreHelp = `Explore serves a page on this machine, and prints its link. On the page every setting has a control, and the
tracks change while it moves: tracks, gate courses, circuits of files, vehicles that drive, and statistics of a
batch. What was found leaves as a command, a configuration file, or a file of the tracks. docs/explorer.md shows
the way.

The page begins with the settings of --config, --set and the other flags.

Only programs of this machine reach the page, and only with the link, which has a token that is new for each run.
--addr with another address opens it to all that reach that address and have the link: they can use the
processor of this machine and see what is on the page, over a connection that is not encrypted. The page needs
no other server, and sends nothing anywhere.

Ctrl-C ends it.`

func (a *app) exploreCommand() *cobra.Command {
	var f exploreFlags
	command := &cobra.Command{
		Use:   "explore",
		Short: "Turn every setting in a browser, and see the tracks change",
		Long:  exploreHelp,
		Example: `  trackgen explore
  trackgen explore --config race.yaml
  trackgen explore --course gates --set gate.width=8cm
  trackgen explore --addr 127.0.0.1:8080`,
		Args: noArguments,
	}
	command.RunE = a.run(func(ctx context.Context, _ []string) error { return a.explore(ctx, f) })
	f.configFlags.register(command)
	f.registerCourse(command)
	flags := command.Flags()
	flags.StringVar(&f.address, "addr", "127.0.0.1:0", "`address` to listen on, host:port; port 0 is any free one")
	flags.Var(numberFlag(&f.seed, 0, math.MinInt32, math.MaxInt32), "seed", "seed of the first track (default 0)")
	flags.StringVarP(&f.device, "device", "d", "cpu", "`name` of the device: see trackgen devices")
	flags.Var(numberFlag(&f.workers, 0, 0, trackgen.MaxWorkers), "workers", "CPU workers, 0 for one on each core")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no messages but the link and errors")
	completeDevice(command)
	return command
}

// explore runs the command.
func (a *app) explore(ctx context.Context, f exploreFlags) (err error) {
	start, err := f.start(a)
	if err != nil {
		return err
	}
	device, err := a.openDevice(f.device, f.workers, f.quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	listener, err := explore.Listen(f.address)
	if errors.Is(err, trackgen.ErrInvalid) {
		return badInput(err)
	}
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	server := explore.New(device, explore.Options{Version: version(), Start: start})
	if !explore.IsLoopback(listener) {
		a.message("warning: --addr %s opens the page to all that reach this address and have its link: they can use the "+
			"processor of this machine, and the connection is not encrypted", f.address)
	}
	if _, err := fmt.Fprintln(a.stdout, server.Link(listener)); err != nil {
		return errors.Join(err, listener.Close())
	}
	if !f.quiet {
		a.message("open the link in a browser; Ctrl-C ends the explorer")
	}
	return server.Serve(ctx, listener) // a signal is the way to end it, and no error
}

// start returns what the page begins with.
func (f *exploreFlags) start(a *app) (*world.Request, error) {
	ofGates, err := f.ofGates()
	if err != nil {
		return nil, err
	}
	var request *world.Request
	var origins map[string]string
	envs := 0
	if ofGates {
		var c trackgen.GateConfig
		c, origins, err = loadConfig(&f.configFlags, settings.Gates, trackgen.GateConfig.Validate, a.stdin, nil)
		request, envs = world.StartOf(trackgen.GateConfigKind(), c, world.CourseGates), c.NumEnvs
	} else {
		var c trackgen.Config
		c, origins, err = loadConfig(&f.configFlags, settings.Tracks, trackgen.Config.Validate, a.stdin, nil)
		request, envs = world.StartOf(trackgen.ConfigKind(), c, world.CourseTracks), c.NumEnvs
	}
	if err != nil {
		return nil, err
	}
	if _, set := origins["num_envs"]; set {
		if envs > world.MaxEnvs {
			return nil, badInputf("num_envs is %d: must be at most %d on the page", envs, world.MaxEnvs)
		}
		request.Envs = envs
	}
	request.Seed = int64(f.seed)
	return request, nil
}
