// Command check makes the tracks and the gate courses of the default ledger on the CPU and compares their bits. It is
// "trackgen ledger check" without the rest of trackgen, so that a build for another processor takes little time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/bench/ledger"
)

func main() {
	envs := flag.Int("envs", 0, "check only so many tracks of each batch, the first ones (0: all)")
	flag.Parse()
	if err := check(context.Background(), *envs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(ctx context.Context, envs int) (err error) {
	l, err := ledger.Default()
	if err != nil {
		return err
	}
	device, err := backend.Open("cpu")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	for _, entry := range l.Entries {
		difference, checkErr := ledger.Check(ctx, device, entry, envs)
		if checkErr != nil {
			return checkErr
		}
		if difference == nil {
			fmt.Println(entry.Config.Generator, "equal")
			continue
		}
		err = errors.Join(err, fmt.Errorf("%s differs: %s", entry.Config.Generator, difference))
	}
	return errors.Join(err, checkGates(ctx, device, envs))
}

// checkGates checks the gate courses.
func checkGates(ctx context.Context, device backend.Device, envs int) (err error) {
	entries, err := ledger.Gates()
	if err != nil {
		return err
	}
	for _, entry := range entries {
		difference, checkErr := ledger.CheckGates(ctx, device, entry, envs)
		if checkErr != nil {
			return checkErr
		}
		if difference == nil {
			fmt.Println(entry.Name, "equal")
			continue
		}
		err = errors.Join(err, fmt.Errorf("%s differs: %s", entry.Name, difference))
	}
	return err
}
