// Trainloop is a training loop without the training: agents drive along tracks, some episodes end in each step, and
// those envs get new tracks, all on the device. The program records one step in its own capture and replays it a
// thousand times. The host neither waits for a step nor learns which episodes end.
//
//	go run ./examples/trainloop -devices cpu,vulkan:0
//
// At the end it prints a hash of all bits, which is the same on all devices, with and without -eager.
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

	"github.com/trackgen-go/trackgen"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "trainloop:", err)
		}
		os.Exit(1)
	}
}

// errDiffers reports that two devices disagree.
var errDiffers = errors.New("the bits differ")

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("trainloop", flag.ContinueOnError)
	flags.SetOutput(out)
	devices := flags.String("devices", "cpu", "comma-separated names of devices, as trackgen devices lists them")
	generator := flags.String("generator", trackgen.Bezier, "one of "+strings.Join(trackgen.Generators(), ", "))
	envs := flags.Int("envs", 4096, "number of envs")
	steps := flags.Int("steps", 1000, "number of steps")
	ends := flags.Float64("ends", 0.02, "fraction of the envs whose episode ends in a step")
	eager := flags.Bool("eager", false, "emit every step instead of replaying a recorded one")
	if err := flags.Parse(arguments); err != nil {
		return err
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
		hash, m, err := runOn(ctx, name, s, *steps)
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
func runOn(ctx context.Context, name string, s settings, steps int) (hash uint64, m measurement, err error) {
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
	if m, err = l.measure(ctx, steps); err != nil {
		return 0, m, err
	}
	hash, err = l.hash(ctx)
	return hash, m, err
}
