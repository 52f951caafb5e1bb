//go:build cgo && linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/track"
)

// driverVersion is a driver with conditional nodes and loops.
const driverVersion = 12080

// row is a line of the table: the figures of a kernel.
type row struct {
	kernel           string // package and name
	launches, blocks int64
	instructions     int64 // per block
	busy             int64 // lanes of 100 that take part in an instruction, or would
	alone            int64 // instructions of 100 with one lane
	cycles           int64 // per block
}

// measure generates a few default tracks by each generator on the interpreter. root is the root of the module.
func measure(ctx context.Context, root string) (_ []row, err error) {
	names, err := moduleNames(root)
	if err != nil {
		return nil, err
	}
	directory, err := os.MkdirTemp("", "warps")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	e, err := emulator.Open(directory, emulator.Options{Version: driverVersion, Seed: 1, Interpret: true, Measure: true})
	if err != nil {
		return nil, err
	}
	if err := os.Setenv(emulator.LibraryVariable, e.Path); err != nil {
		return nil, err
	}
	device, err := backend.Open("cuda:0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	for _, generator := range track.Generators() {
		if err := generate(ctx, device, generator); err != nil {
			return nil, fmt.Errorf("%s: %w", generator, err)
		}
	}
	figures, err := e.Figures()
	if err != nil {
		return nil, err
	}
	rows := rowsOf(figures, names, "")
	for _, d := range directs {
		if err := d.run(ctx, device); err != nil {
			return nil, fmt.Errorf("%s: %w", d.of, err)
		}
		now, err := e.Figures()
		if err != nil {
			return nil, err
		}
		rows = append(rows, rowsOf(since(now, figures), names, "/"+d.of)...)
		figures = now
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.kernel, b.kernel) })
	return rows, nil
}

// since returns the figures of what has been launched between two readings.
func since(now, before []emulator.Figures) []emulator.Figures {
	type identity struct {
		module uint64
		kernel string
	}
	old := make(map[identity]emulator.Figures, len(before))
	for _, f := range before {
		old[identity{f.Module, f.Kernel}] = f
	}
	var more []emulator.Figures
	for _, f := range now {
		o := old[identity{f.Module, f.Kernel}]
		if f.Launches == o.Launches {
			continue
		}
		f.Launches -= o.Launches
		f.Blocks -= o.Blocks
		f.Instructions -= o.Instructions
		f.Lanes -= o.Lanes
		f.Alone -= o.Alone
		f.Cycles -= o.Cycles
		more = append(more, f)
	}
	return more
}

// generate makes the default tracks of a generator: four, or one if that takes seconds.
func generate(ctx context.Context, device backend.Device, generator string) (err error) {
	c := track.DefaultConfig()
	c.Generator, c.NumEnvs = generator, 4
	if generator == track.Repulsive {
		c.NumEnvs = 1
	}
	g, err := track.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if _, err := g.Generate(ctx); err != nil {
		return err
	}
	return device.DefaultStream().Sync()
}

// moduleNames returns the packages of kernels by the identity of their kernels. It is an error if there are none.
func moduleNames(root string) (map[uint64]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "kernels", "*", "kernel_generated.ptx"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no kernels/*/kernel_generated.ptx: must be the root of the module", root)
	}
	names := make(map[uint64]string)
	for _, file := range files {
		ptx, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, number := range emulator.KernelIdentities(string(ptx)) {
			names[number] = filepath.Base(filepath.Dir(file))
		}
	}
	return names, nil
}

// rowsOf returns a row for each kernel of the repository. The name of a kernel has the suffix.
func rowsOf(figures []emulator.Figures, names map[uint64]string, suffix string) []row {
	var rows []row
	for _, f := range figures {
		name, ok := names[f.Module]
		if !ok {
			continue // the kernels that decide conditionals, which have one thread
		}
		rows = append(rows, row{
			kernel: name + " " + strings.TrimPrefix(f.Kernel, "k_") + suffix, launches: f.Launches, blocks: f.Blocks,
			instructions: f.Instructions / f.Blocks, busy: 100 * f.Lanes / (32 * f.Instructions),
			alone: 100 * f.Alone / f.Instructions, cycles: f.Cycles / f.Blocks,
		})
	}
	return rows
}

func table(rows []row) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "KERNEL\tLAUNCHES\tBLOCKS\tINSTRUCTIONS/BLOCK\tBUSY LANES\tLANE ALONE\tCYCLES/BLOCK\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d %%\t%d %%\t%d\t\n", r.kernel, r.launches, r.blocks, r.instructions, r.busy,
			r.alone, r.cycles)
	}
	_ = w.Flush() // to memory
	return text.String()
}
