package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
)

func (a *app) devicesCommand() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "devices",
		Short: "List the devices that can generate tracks",
		Long: `Devices lists every device by the name that --device takes, the one that "auto" prefers first, and says
of the others why they are not available. It opens each device for a moment, to see what it can do.

LANES says how many items of a kernel each worker of the CPU runs at a time: 8 in machine code, which needs
AVX2 and POPCNT, or 1 in Go, also where the environment variable TRACKGEN_CPU is go. The results are the same.

DENORMALS says what becomes of numbers below 1.2e-38: a device that flushes them to zero gives tracks of
ordinary size the same bits as others. "auto" and "gpu" do not stand for it.

On a terminal it prints a table, else JSON:
  {"devices": [{"name": "cpu", "backend": "cpu", "description": ..., "driver": ..., "workers": 8,
                "lanes": 8, "memory_bytes": ..., "software": false, "denormals": true}],
   "unavailable": [{"backend": "cuda", "reason": ...}]}
A device that cannot be opened has "problem", which says why, instead of "denormals".`,
		Args: noArguments,
		RunE: a.run(func(context.Context, []string) error {
			chosen, err := a.reportFormat(format, formatText, formatJSON)
			if err != nil {
				return err
			}
			report := listDevices(trackgen.Devices(), func(name string) (trackgen.Device, error) {
				return trackgen.Open(name, trackgen.DeviceWarnings(func(trackgen.Warning) {})) // the list says the same
			})
			if chosen == formatJSON {
				return writeJSON(a.stdout, report)
			}
			return report.writeTable(a.stdout, os.Getenv(trackgen.DeviceVariable), columnsOf(a.stdout.w))
		}),
	}
	formatFlag(command, &format, reportDefault, reportFormats...)
	return command
}

// devicesReport is the output of devices.
type devicesReport struct {
	Devices     []deviceReport      `json:"devices"`
	Unavailable []unavailableReport `json:"unavailable"`
}

type deviceReport struct {
	Name        string `json:"name"`
	Backend     string `json:"backend"`
	Description string `json:"description"`
	Driver      string `json:"driver"`
	Workers     int    `json:"workers,omitempty"`      // goroutines that run kernels concurrently
	Lanes       int    `json:"lanes,omitempty"`        // items that each of them runs at a time
	MemoryBytes int64  `json:"memory_bytes,omitempty"` // absent if unknown
	Software    bool   `json:"software"`               // the device has the interface of a GPU but runs on the CPU
	Denormals   *bool  `json:"denormals,omitempty"`    // whether it keeps them; in lists of devices
	Problem     string `json:"problem,omitempty"`      // why it cannot be opened; in lists of devices
}

// unavailableReport says why a backend has no devices.
type unavailableReport struct {
	Backend string `json:"backend"`
	Reason  string `json:"reason"`
}

func describeDevice(info trackgen.DeviceInfo) deviceReport {
	return deviceReport{
		Name: info.Name, Backend: info.Backend, Description: info.Description, Driver: info.Driver,
		Workers: info.Workers, Lanes: info.Lanes, MemoryBytes: info.MemoryBytes, Software: info.Software,
	}
}

// listDevices describes the devices of the backends. It opens each one with open, and closes it.
func listDevices(backends []trackgen.Backend, open func(name string) (trackgen.Device, error)) devicesReport {
	report := devicesReport{Devices: []deviceReport{}, Unavailable: []unavailableReport{}}
	for _, b := range backends {
		for _, info := range b.Devices {
			described := describeDevice(info)
			device, err := open(info.Name)
			if err == nil {
				kept := device.Caps().Denormals
				described.Denormals = &kept
				err = device.Close()
			}
			if err != nil {
				described.Problem = oneLine(err.Error())
			}
			report.Devices = append(report.Devices, described)
		}
		if b.Err != nil {
			report.Unavailable = append(report.Unavailable, unavailableReport{b.Name, oneLine(b.Err.Error())})
		}
	}
	// Software devices come last because "auto" never chooses one.
	slices.SortStableFunc(report.Devices, func(x, y deviceReport) int {
		return boolOrder(x.Software) - boolOrder(
			y.Software)
	})
	return report
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r devicesReport) writeTable(w io.Writer, variable string, columns int) error {
	t := table{head: []string{"NAME", "DESCRIPTION", "DRIVER", "WORKERS", "LANES", "MEMORY", "DENORMALS"}, keys: 1, gap: 3}
	for _, d := range r.Devices {
		workers, lanes := "-", "-"
		if d.Workers > 0 {
			workers, lanes = fmt.Sprint(d.Workers), fmt.Sprint(d.Lanes)
		}
		description := d.Description
		if d.Software {
			description += " (software)"
		}
		denormals := "-"
		if d.Denormals != nil {
			denormals = map[bool]string{true: "kept", false: "flushed"}[*d.Denormals]
		}
		t.add(d.Name, description, d.Driver, workers, lanes, memorySize(d.MemoryBytes), denormals)
	}
	if err := t.write(w, columns); err != nil {
		return err
	}
	return writeFolded(w, columns, func(w io.Writer) error {
		for _, d := range r.Devices {
			if d.Problem == "" {
				continue
			}
			if _, err := fmt.Fprintf(w, "%s: %s\n", d.Name, d.Problem); err != nil {
				return err
			}
		}
		for _, u := range r.Unavailable {
			if _, err := fmt.Fprintf(w, "%s: %s\n", u.Backend, u.Reason); err != nil {
				return err
			}
		}
		if variable == "" {
			return nil
		}
		_, err := fmt.Fprintf(w, "\n%s is set: auto means %s\n", trackgen.DeviceVariable, variable)
		return err
	})
}

// memorySize formats a number of bytes in GiB, and an unknown one as "-".
func memorySize(bytes int64) string {
	if bytes <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// oneLine joins the lines of a text with semicolons.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }

func writeJSON(w io.Writer, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
