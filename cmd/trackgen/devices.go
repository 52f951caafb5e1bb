package main

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
of the others why they are not available.

On a terminal it prints a table, else JSON:
  {"devices": [{"name": "cpu", "backend": "cpu", "description": ..., "driver": ..., "workers": 8,
                "memory_bytes": ..., "software": false}],
   "unavailable": [{"backend": "cuda", "reason": ...}]}`,
		Args: noArguments,
		RunE: a.run(func(context.Context, []string) error {
			chosen, err := a.reportFormat(format, formatText, formatJSON)
			if err != nil {
				return err
			}
			report := listDevices(trackgen.Devices())
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
	MemoryBytes int64  `json:"memory_bytes,omitempty"` // absent if unknown
	Software    bool   `json:"software"`               // the device has the interface of a GPU but runs on the CPU
}

// unavailableReport says why a backend has no devices.
type unavailableReport struct {
	Backend string `json:"backend"`
	Reason  string `json:"reason"`
}

func describeDevice(info trackgen.DeviceInfo) deviceReport {
	return deviceReport{
		Name: info.Name, Backend: info.Backend, Description: info.Description, Driver: info.Driver,
		Workers: info.Workers, MemoryBytes: info.MemoryBytes, Software: info.Software,
	}
}

func listDevices(backends []trackgen.Backend) devicesReport {
	report := devicesReport{Devices: []deviceReport{}, Unavailable: []unavailableReport{}}
	for _, b := range backends {
		for _, info := range b.Devices {
			report.Devices = append(report.Devices, describeDevice(info))
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
	t := table{head: []string{"NAME", "DESCRIPTION", "DRIVER", "WORKERS", "MEMORY"}, keys: 1, gap: 3}
	for _, d := range r.Devices {
		workers := "-"
		if d.Workers > 0 {
			workers = fmt.Sprint(d.Workers)
		}
		description := d.Description
		if d.Software {
			description += " (software)"
		}
		t.add(d.Name, description, d.Driver, workers, memorySize(d.MemoryBytes))
	}
	if err := t.write(w, columns); err != nil {
		return err
	}
	return writeFolded(w, columns, func(w io.Writer) error {
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
