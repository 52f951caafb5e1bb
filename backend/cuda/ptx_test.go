//go:build cgo && linux

package cuda

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/bench/producers"
	"github.com/trackgen-go/trackgen/internal/required"
)

// ptxasVariable names NVIDIA's assembler, which is part of the Python package nvidia-cuda-nvcc.
const ptxasVariable = "TRACKGEN_PTXAS"

var writeRegisters = flag.String("registers", "", "write the table of registers to this file")

// assembly matches the report of ptxas on one kernel.
var assembly = regexp.MustCompile(
	`(?s)Compiling entry function '([^']+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers([^\n]*)`)

var sharedBytes = regexp.MustCompile(`(\d+) bytes smem`)

// maxSpill is the maximum number of bytes of registers that a kernel may spill. Other kernels may spill none.
var maxSpill = map[string]int{
	"k_cross": 4, // of measured, on sm_90
	"k_steer": 4, // of pursuit, on sm_90
	// Of range finders: a beam, or a fan of them, a node of the tree, a segment and twice the precision for a crossing.
	"k_fans":  124,
	"k_walls": 32,
	"k_boxes": 8,
	// Powers need many registers. Only repulsive loops with other exponents than the default ones use this kernel.
	"k_growPowers": 80,
	// A stage of Runge and Kutta's method, the sums of the stages before it and the parameters are a few too many.
	"k_stepCars":   128,
	"k_stepDrones": 44,
	// The search beside a leaf and that for a motion share the box and its corners.
	"k_querySwept":           24,
	"k_querySweptWithAgents": 40,
}

// The PTX of all kernels assembles for every generation of GPUs that a driver compiles it for, and spills no more than
// maxSpill allows.
func TestPTXAssembles(t *testing.T) {
	ptxas := os.Getenv(ptxasVariable)
	if ptxas == "" {
		var err error
		if ptxas, err = exec.LookPath("ptxas"); err != nil {
			required.Skip(t, required.Tools, "there is no ptxas; %s can name one", ptxasVariable)
		}
	}
	table := "| kernel | registers sm_75 | sm_80 | sm_90 | sm_100 | sm_120 | shared bytes " +
		"|\n|---|---|---|---|---|---|---|\n"
	type source struct{ name, ptx string }
	sources := []source{
		{"backend/cuda", controlPTX},
		{"backendtest", kernels.Defs[0].Module.PTX},
	}
	for _, def := range producers.Defs() {
		if name := path.Base(def.Module.Name); sources[len(sources)-1].name != name {
			sources = append(sources, source{name, def.Module.PTX})
		}
	}
	for _, source := range sources {
		file := filepath.Join(t.TempDir(), "kernels.ptx")
		require.NoError(t, os.WriteFile(file, []byte(source.ptx), 0o600))
		rows, order, shared := make(map[string][]string), []string(nil), make(map[string]string)
		for _, architecture := range []string{"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"} {
			text, err := exec.Command(ptxas, "-arch="+architecture, "-O3", "-v", file, "-o", os.DevNull).CombinedOutput()
			require.NoError(t, err, "%s for %s: %s", source.name, architecture, text)
			found := assembly.FindAllStringSubmatch(string(text), -1)
			require.NotEmpty(t, found, "%s", text)
			for _, m := range found {
				for _, spilled := range m[2:4] {
					bytes, err := strconv.Atoi(spilled)
					require.NoError(t, err)
					require.LessOrEqual(t, bytes, maxSpill[m[1]], "%s of %s spills for %s", m[1], source.name, architecture)
				}
				if rows[m[1]] == nil {
					order = append(order, m[1])
				}
				rows[m[1]] = append(rows[m[1]], m[4])
				shared[m[1]] = "0"
				if bytes := sharedBytes.FindStringSubmatch(m[5]); bytes != nil {
					shared[m[1]] = bytes[1]
				}
			}
		}
		for _, kernel := range order {
			if source.name != "backendtest" {
				table += fmt.Sprintf("| %s %s | %s | %s |\n", source.name, strings.TrimPrefix(kernel, "k_"),
					strings.Join(rows[kernel], " | "), shared[kernel])
			}
		}
	}
	t.Log("\n" + table)
	if *writeRegisters != "" {
		text := "# Registers and shared memory of the CUDA kernels\n\nWhat ptxas makes of the PTX, without any spill but " +
			"for at most 4 bytes of measured cross on sm_90,\nand 80 of repulsive growPowers. " +
			"Written by\n`go test ./backend/cuda -run TestPTXAssembles -registers $PWD/docs/cuda-registers.md`.\n\n"
		require.NoError(t, os.WriteFile(*writeRegisters, []byte(text+table), 0o600))
	}
}
