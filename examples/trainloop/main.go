// Trainloop is a training loop without the training: agents drive along tracks, some episodes end in each step, and
// those envs get new tracks, all on the device. The program records one step in its own capture and replays it a
// thousand times. The host neither waits for a step nor learns which episodes end.
//
//	go run ./examples/trainloop -devices cpu,vulkan:0
//
// At the end it prints a hash of all bits, which is the same on all devices, with and without -eager. On a terminal it
// shows the steps that the device has made. For that alone, the host waits now and then.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/trackgen-go/trackgen"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var screen io.Writer // nil if nobody watches
	if term.IsTerminal(int(os.Stderr.Fd())) {
		screen = os.Stderr
	}
	if err := run(ctx, os.Args[1:], os.Stdout, screen); err != nil {
		fmt.Fprintln(os.Stderr, "trainloop:", err)
		os.Exit(1)
	}
}

// errDiffers reports that two devices disagree.
var errDiffers = errors.New("the bits differ")

// run prints the results to out, and progress to screen if it is not nil.
func run(ctx context.Context, arguments []string, out, screen io.Writer) error {
	flags := flag.NewFlagSet("trainloop", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error
	devices := flags.String("devices", "cpu", "comma-separated names of devices, as trackgen devices lists them")
	generator := flags.String("generator", trackgen.Bezier, "one of "+strings.Join(trackgen.Generators(), ", "))
	envs := flags.Int("envs", 4096, "number of envs")
	steps := flags.Int("steps", 1000, "number of steps")
	ends := flags.Float64("ends", 0.02, "fraction of the envs whose episode ends in a step")
	eager := flags.Bool("eager", false, "emit every step instead of replaying a recorded one")
	switch err := flags.Parse(arguments); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(out, "Trainloop makes the steps of a training loop: new tracks for the envs whose episode ends.")
		flags.SetOutput(out)
		flags.PrintDefaults()
		return nil
	case err != nil:
		return fmt.Errorf("%w (-h lists the flags)", err)
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("%q is not a flag", flags.Arg(0))
	case *steps < 1:
		return fmt.Errorf("-steps is %d: must be 1 or more", *steps)
	case !(*ends >= 0 && *ends <= 1):
		return fmt.Errorf("-ends is %v: must be 0 to 1", *ends)
	}
	s := settings{config: trackgen.DefaultConfig(), ends: *ends, eager: *eager}
	s.config.Generator, s.config.NumEnvs = *generator, *envs
	first := uint64(0)
	for i, name := range strings.Split(*devices, ",") {
		hash, m, err := runOn(ctx, name, s, *steps, screen)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(out, "%s: hash %016x after %d steps of %d envs; %.0f steps/s, %d Go heap allocations in the loop\n",
			name, hash, *steps, *envs, m.perSecond(), m.allocations)
		if i == 0 {
			first = hash
		} else if hash != first {
			return errDiffers
		}
	}
	return nil
}

// runOn runs the loop on one device.
func runOn(ctx context.Context, name string, s settings, steps int, screen io.Writer) (hash uint64, m measurement,
	err error) {
	var made func(steps int) // nil if nobody watches
	if screen != nil {
		bar := newBar(screen, name, steps)
		defer bar.Clear() //nolint:errcheck // the loop does not depend on the screen
		made = func(steps int) { _ = bar.Set(steps) }
	}
	device, err := trackgen.Open(name)
	if err != nil {
		return 0, m, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	l, err := newLoop(ctx, device, s)
	if err != nil {
		return 0, m, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if m, err = l.measure(ctx, steps, made); err != nil {
		return 0, m, err
	}
	hash, err = l.hash(ctx)
	return hash, m, err
}

// newBar draws a progress bar, at first with no steps: the first tracks may take a while.
func newBar(screen io.Writer, name string, steps int) *progressbar.ProgressBar {
	return progressbar.NewOptions(steps, progressbar.OptionSetWriter(screen), progressbar.OptionSetDescription(name),
		progressbar.OptionSetWidth(20), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("steps"), progressbar.OptionSetRenderBlankState(true))
}
