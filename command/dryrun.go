package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// idleDevice is the name of the device that does nothing. --dry-run uses it.
const idleDevice = "noop"

// dryRunReport is the output of generate --dry-run, for the largest chunks of a run. One generation produces one chunk.
type dryRunReport struct {
	Version      string         `json:"version"`
	Course       string         `json:"course,omitempty"` // gates; absent for tracks
	Generator    string         `json:"generator"`
	Envs         int            `json:"envs"`
	Generations  int            `json:"generations"`      // at least, if the run adapts the chunks to their time
	Chunk        int            `json:"chunk"`            // largest number of envs of a generation
	Device       *deviceReport  `json:"device,omitempty"` // absent for the device that does nothing
	DeviceMemory deviceMemory   `json:"device_memory"`    // of a generator
	HostBytes    int64          `json:"host_bytes"`       // of the arrays of all tracks, as an .npz file holds them
	Launches     int64          `json:"launches"`         // per generation
	GraphNodes   int            `json:"graph_nodes"`      // per generation
	LoopLimit    int64          `json:"loop_limit"`       // limit of the device in iterations of a lane; 0 for none
	Kernels      []kernelReport `json:"kernels"`
	Files        []string       `json:"files"` // the files that a run would write
	adapt        bool           // see plan
}

// deviceMemory is the device memory that a generator allocates.
type deviceMemory struct {
	Bytes       int64 `json:"bytes"`
	BytesPerEnv int64 `json:"bytes_per_env"`
	FixedBytes  int64 `json:"fixed_bytes"`
}

// kernelReport describes the launches of one kernel.
type kernelReport struct {
	Name       string `json:"name"`
	Launches   int64  `json:"launches"`        // maximum per generation; 0 if only a regeneration by mask uses it
	Group      bool   `json:"group"`           // items are groups if true, threads otherwise
	Items      int32  `json:"items"`           // of the largest launch
	Iterations int64  `json:"loop_iterations"` // maximum for all loops of a lane in one launch
	TooLong    bool   `json:"too_long"`        // the device would end the loops early
}

// dryRun prints the resources that a run would use. If the device cannot run the configuration, dryRun prints the
// report and then returns an error.
func (a *app) dryRun(f generateFlags) error {
	p, err := f.plan(a)
	if err != nil {
		return err
	}
	files, err := f.targets()
	if err != nil {
		return err
	}
	chosen, err := a.dryRunFormat(f)
	if err != nil {
		return err
	}
	chunk := p.config
	chunk.NumEnvs = min(p.chunk, p.config.NumEnvs)
	demand, err := trackgen.DryRun(chunk)
	if err != nil {
		return badInput(err)
	}
	return a.printDryRun(f, newDryRunReport(p, demand), files, chosen, p.checkDevice)
}

// dryRunGates is dryRun for gate courses.
func (a *app) dryRunGates(f generateFlags) error {
	p, err := f.gatePlan(a)
	if err != nil {
		return err
	}
	files, err := f.gateTargets()
	if err != nil {
		return err
	}
	chosen, err := a.dryRunFormat(f)
	if err != nil {
		return err
	}
	chunk := p.config
	chunk.NumEnvs = min(p.chunk, p.config.NumEnvs)
	demand, err := trackgen.GateDryRun(chunk)
	if err != nil {
		return badInput(err)
	}
	shape := export.Shape{Envs: p.config.NumEnvs, NMax: p.config.Output.MaxGates}
	r := describeDemand(p.config.Generator, shape.Envs, p.adapt, shape.GateBytes(), demand)
	r.Course = courseGates
	return a.printDryRun(f, r, files, chosen, p.checkDevice)
}

// dryRunFormat returns the format of the report. With --out, --format is the format of that file.
func (a *app) dryRunFormat(f generateFlags) (format, error) {
	if f.out != "" {
		return a.defaultTextFormat(), nil
	}
	return a.reportFormat(f.format, formatText, formatJSON)
}

// printDryRun prints a report. If the device cannot run the configuration, it also returns the error of check.
func (a *app) printDryRun(f generateFlags, r *dryRunReport, files []target, chosen format,
	check func(trackgen.Device) error) error {
	r.Files = pathsOf(files)
	var refusal error
	if f.device != idleDevice {
		device, err := a.openDevice(f.device, f.workers, f.quiet)
		if err != nil {
			return err
		}
		described := describeDevice(device.Info())
		r.Device = &described
		r.setLimit(device.Caps().LoopIterations)
		refusal = check(device)
		if err := device.Close(); err != nil {
			return errors.Join(refusal, err)
		}
	}
	var err error
	if chosen == formatText {
		err = r.writeText(a.stdout, columnsOf(a.stdout.w))
	} else {
		err = writeJSON(a.stdout, r)
	}
	return errors.Join(refusal, err)
}

func newDryRunReport(p plan, demand trackgen.Demand) *dryRunReport {
	c := p.config.Resolved()
	bytes := export.Shape{Envs: c.NumEnvs, NMax: c.Output.MaxPoints}.BytesOf(c.Columns())
	return describeDemand(c.Generator, c.NumEnvs, p.adapt, bytes, demand)
}

// describeDemand returns the report of a run whose generations have the given demand.
func describeDemand(generator string, envs int, adapt bool, hostBytes int64, demand trackgen.Demand) *dryRunReport {
	r := &dryRunReport{
		Version: version(), Generator: generator, Envs: envs, Chunk: demand.Envs, adapt: adapt,
		Generations:  (envs + demand.Envs - 1) / demand.Envs,
		DeviceMemory: deviceMemory{Bytes: demand.Bytes, BytesPerEnv: demand.BytesPerEnv, FixedBytes: demand.FixedBytes},
		HostBytes:    hostBytes,
		Launches:     demand.Launches(), GraphNodes: demand.Nodes,
	}
	for _, k := range demand.Kernels {
		r.Kernels = append(r.Kernels, kernelReport{Name: k.Name, Launches: k.Launches, Group: k.Group,
			Items: k.MostItems, Iterations: k.Iterations})
	}
	return r
}

// setLimit sets the number of iterations after which the device ends loops, and marks the kernels that exceed it.
func (r *dryRunReport) setLimit(limit int64) {
	r.LoopLimit = limit
	for i := range r.Kernels {
		r.Kernels[i].TooLong = limit > 0 && r.Kernels[i].Iterations > limit
	}
}

// checkDevice returns an error of the input if the device would end the loops of a kernel early. The error names the
// field or the flag that is wrong.
func (p plan) checkDevice(device trackgen.Device) error {
	chunk := p.config
	chunk.NumEnvs = min(p.chunk, p.config.NumEnvs)
	return chunkError(chunk.CheckDevice(device), p.chunk)
}

func (r *dryRunReport) writeText(w io.Writer, columns int) error {
	err := writeFolded(w, columns, func(w io.Writer) error {
		var text strings.Builder
		line := func(name, format string, args ...any) {
			fmt.Fprintf(&text, "%-16s"+format+"\n", append([]any{name}, args...)...)
		}
		things := thingsOf(r.Course)
		line(things, "%s", r.generationsText())
		line("device", "%s", r.deviceText())
		m := r.DeviceMemory
		line("device memory", "%s: %d bytes, and %d for each %s of a generation", byteSize(m.Bytes), m.FixedBytes,
			m.BytesPerEnv, strings.TrimSuffix(things, "s"))
		line("host memory", "%s for the arrays of all %s", byteSize(r.HostBytes), things)
		line("generation", "%d launches at most, %d nodes of a graph", r.Launches, r.GraphNodes)
		if len(r.Files) > 0 {
			line("files", "%s", strings.Join(r.Files, ", "))
		}
		text.WriteByte('\n')
		_, err := io.WriteString(w, text.String())
		return err
	})
	if err != nil {
		return err
	}
	t := table{head: []string{"KERNEL", "LAUNCHES", "ITEMS", "LOOP ITERATIONS"}, keys: 1, gap: 3}
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
		t.add(shortKernel(k.Name), fmt.Sprint(k.Launches), fmt.Sprintf("%d %s", k.Items, items), iterations)
	}
	return t.write(w, columns)
}

func (r *dryRunReport) generationsText() string {
	text := "%d of %s, in generations of %d: %d"
	if r.adapt {
		text = "%d of %s, in generations of at most %d, as their time allows: %d or more"
	}
	return fmt.Sprintf(text, r.Envs, r.Generator, r.Chunk, r.Generations)
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

// shortKernel returns the name of a kernel without the import path that all kernels of this module share.
func shortKernel(name string) string {
	return strings.TrimPrefix(name, "github.com/trackgen-go/trackgen/kernels/")
}

// byteSize formats a number of bytes with a unit.
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
