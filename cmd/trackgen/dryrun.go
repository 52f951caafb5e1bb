package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// idleDevice is the name of the device that does nothing, for --dry-run.
const idleDevice = "noop"

// dryRunReport is what generate --dry-run prints. A generation makes one chunk.
type dryRunReport struct {
	Version      string         `json:"version"`
	Generator    string         `json:"generator"`
	Envs         int            `json:"envs"`
	Generations  int            `json:"generations"`
	Chunk        int            `json:"chunk"`            // envs of a generation; the last one may have fewer
	Device       *deviceReport  `json:"device,omitempty"` // absent of the device that does nothing
	DeviceMemory deviceMemory   `json:"device_memory"`    // of a generator
	HostBytes    int64          `json:"host_bytes"`       // of the arrays of all tracks, as an .npz file holds them
	Launches     int64          `json:"launches"`         // of a generation
	GraphNodes   int            `json:"graph_nodes"`      // of a generation
	LoopLimit    int64          `json:"loop_limit"`       // of the device, iterations of a lane; 0 for none
	Kernels      []kernelReport `json:"kernels"`
	Files        []string       `json:"files"` // that would be written
}

// deviceMemory is what a generator takes of device memory.
type deviceMemory struct {
	Bytes       int64 `json:"bytes"`
	BytesPerEnv int64 `json:"bytes_per_env"`
	FixedBytes  int64 `json:"fixed_bytes"`
}

// kernelReport is what a generator asks of one kernel.
type kernelReport struct {
	Name       string `json:"name"`
	Launches   int64  `json:"launches"`        // of a generation, at most; 0 of kernels of a regeneration by mask
	Group      bool   `json:"group"`           // the items are groups, else threads
	Items      int32  `json:"items"`           // of the largest launch
	Iterations int64  `json:"loop_iterations"` // of all loops of a lane in a launch, at most
	TooLong    bool   `json:"too_long"`        // the device would end them
}

// dryRun prints what a run would take. It fails where the device cannot run the configuration, after it has printed
// why.
func (a *app) dryRun(f generateFlags) error {
	p, err := f.plan(a)
	if err != nil {
		return err
	}
	files, err := f.targets()
	if err != nil {
		return err
	}
	chosen := a.defaultTextFormat()
	if f.out == "" { // else --format is that of the file
		if chosen, err = a.reportFormat(f.format, formatText, formatJSON); err != nil {
			return err
		}
	}
	chunk := p.config
	chunk.NumEnvs = min(p.chunk, p.config.NumEnvs)
	demand, err := trackgen.DryRun(chunk)
	if err != nil {
		return badInput(err)
	}
	r := newDryRunReport(p, demand)
	for _, file := range files {
		r.Files = append(r.Files, file.path)
	}
	var refusal error
	if f.device != idleDevice {
		device, err := openDevice(f.device, f.workers)
		if err != nil {
			return err
		}
		described := describeDevice(device.Info())
		r.Device = &described
		r.setLimit(device.Caps().LoopIterations)
		refusal = p.checkDevice(device)
		if err := device.Close(); err != nil {
			return errors.Join(refusal, err)
		}
	}
	if chosen == formatText {
		err = r.writeText(a.stdout)
	} else {
		err = writeJSON(a.stdout, r)
	}
	return errors.Join(refusal, err)
}

func newDryRunReport(p plan, demand trackgen.Demand) *dryRunReport {
	c := p.config.Resolved()
	r := &dryRunReport{
		Version: version(), Generator: c.Generator, Envs: c.NumEnvs, Chunk: demand.Envs,
		Generations:  (c.NumEnvs + demand.Envs - 1) / demand.Envs,
		DeviceMemory: deviceMemory{Bytes: demand.Bytes, BytesPerEnv: demand.BytesPerEnv, FixedBytes: demand.FixedBytes},
		HostBytes:    export.Shape{Envs: c.NumEnvs, NMax: c.Output.MaxPoints}.Bytes(),
		Launches:     demand.Launches(), GraphNodes: demand.Nodes, Files: []string{},
	}
	for _, k := range demand.Kernels {
		r.Kernels = append(r.Kernels, kernelReport{Name: k.Name, Launches: k.Launches, Group: k.Group,
			Items: k.MostItems, Iterations: k.Iterations})
	}
	return r
}

// setLimit notes after how many iterations the device ends loops.
func (r *dryRunReport) setLimit(limit int64) {
	r.LoopLimit = limit
	for i := range r.Kernels {
		r.Kernels[i].TooLong = limit > 0 && r.Kernels[i].Iterations > limit
	}
}

// checkDevice refuses a plan whose kernels the device would not run to their end. The fault lies in the input: the
// error names the field, or the flag.
func (p plan) checkDevice(device trackgen.Device) error {
	chunk := p.config
	chunk.NumEnvs = min(p.chunk, p.config.NumEnvs)
	err := chunk.CheckDevice(device)
	var wrong *trackgen.ConfigError
	if errors.As(err, &wrong) && wrong.Field == "num_envs" {
		return badInputf("--chunk is %d: must be %s (%w)", p.chunk, wrong.Allowed, wrong.Err)
	}
	return badInput(err)
}

// writeText writes the report for people.
func (r *dryRunReport) writeText(w io.Writer) error {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	fmt.Fprintf(table, "tracks\t%d of %s, in generations of %d: %d\n", r.Envs, r.Generator, r.Chunk, r.Generations)
	fmt.Fprintf(table, "device\t%s\n", r.deviceText())
	m := r.DeviceMemory
	fmt.Fprintf(table, "device memory\t%s: %d bytes, and %d for each track of a generation\n",
		byteSize(m.Bytes), m.FixedBytes, m.BytesPerEnv)
	fmt.Fprintf(table, "host memory\t%s for the arrays of all tracks\n", byteSize(r.HostBytes))
	fmt.Fprintf(table, "generation\t%d launches at most, %d nodes of a graph\n", r.Launches, r.GraphNodes)
	if len(r.Files) > 0 {
		fmt.Fprintf(table, "files\t%s\n", strings.Join(r.Files, ", "))
	}
	fmt.Fprint(table, "\nKERNEL\tLAUNCHES\tITEMS\tLOOP ITERATIONS\n")
	for _, k := range r.Kernels {
		items := "thread"
		if k.Group {
			items = "group"
		}
		if k.Items != 1 {
			items += "s"
		}
		iterations := "-"
		if k.Iterations > 0 {
			iterations = fmt.Sprint(k.Iterations)
		}
		if k.TooLong {
			iterations += fmt.Sprintf(", the device ends them after %d", r.LoopLimit)
		}
		fmt.Fprintf(table, "%s\t%d\t%d %s\t%s\n", shortKernel(k.Name), k.Launches, k.Items, items, iterations)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (r *dryRunReport) deviceText() string {
	switch {
	case r.Device == nil:
		return "none"
	case r.LoopLimit > 0:
		return fmt.Sprintf("%s, which ends loops after %d iterations", r.Device.Name, r.LoopLimit)
	default:
		return r.Device.Name
	}
}

// shortKernel leaves out of a kernel's name what all kernels here have in front.
func shortKernel(name string) string {
	return strings.TrimPrefix(name, "github.com/trackgen-go/trackgen/kernels/")
}

// byteSize prints a number of bytes for people.
func byteSize(bytes int64) string {
	size, unit := float64(bytes), "bytes"
	for _, larger := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, larger
	}
	if unit == "bytes" {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
