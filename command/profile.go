package command

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/trackgen-go/trackgen/bench/measure"
	"github.com/trackgen-go/trackgen/export"
)

// Names of the files of a profile.
const (
	profileName = "cpu.pprof"
	kernelsName = "kernels.csv"
)

var profileFiles = []string{profileName, kernelsName}

// probeFiles creates a folder and returns an error if files with these names cannot be written to it.
func probeFiles(folder string, names []string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		if err := export.Probe(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// writeProfile writes a profile and the table of its kernels to a folder. thing is what an env of the batches has.
func writeProfile(folder string, profile *measure.Profile, suite measure.Suite, thing string) error {
	var names []string
	operations := make(map[string]float64)
	for _, generator := range suite.Work {
		for _, k := range generator.Kernels {
			names = append(names, k.Kernel)
			operations[k.Kernel] = max(operations[k.Kernel], k.Operations)
		}
	}
	kernels, err := profile.Kernels(names)
	if err != nil {
		return err
	}
	if err := export.WriteFile(filepath.Join(folder, profileName), profile.Write); err != nil {
		return err
	}
	return export.WriteFile(filepath.Join(folder, kernelsName), func(w io.Writer) error {
		rows := csv.NewWriter(w)
		_ = rows.Write([]string{"kernel", "cpu_seconds", "part", "operations_per_" + thing}) // Error returns it below
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
		for _, k := range kernels {
			name := k.Kernel
			if name == "" {
				name = "(no kernel)"
			}
			_ = rows.Write([]string{name, number(k.Time.Seconds()), number(k.Part), number(operations[k.Kernel])})
		}
		rows.Flush()
		return rows.Error()
	})
}
