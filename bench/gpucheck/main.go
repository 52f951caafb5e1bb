//go:build unix

// Command gpucheck runs the checks that need a machine with an NVIDIA GPU, and prints a table. The last line is JSON,
// which it also writes to gpu.json: everything that docs/hardware.md asks about a GPU, in less than 8 KB. It needs only
// the programs in its directory, which scripts/test-gpu.sh builds.
//
//	gpucheck [DIRECTORY]
//
// Each check is a separate process, so that one that hangs or crashes does not affect the others. A watchdog ends
// everything in time. Each row of the table says whether the check passed, failed, was skipped or was not run, and why.
//
// Environment: TRACKGEN_GPU_ENVS lists the batch sizes to measure (512,4096,8192), TRACKGEN_GPU_SECONDS limits the
// total time (220), and TRACKGEN_GPU_VULKAN names the Vulkan device to compare with and measure (the first one of
// NVIDIA). The exit code is 0 if all checks passed or were skipped, 1 if one failed, and 2 if one was not run.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/trackgen-go/trackgen/track"
)

// Names of environment variables.
const (
	envsVariable    = "TRACKGEN_GPU_ENVS"
	secondsVariable = "TRACKGEN_GPU_SECONDS"
	vulkanVariable  = "TRACKGEN_GPU_VULKAN"
)

func main() {
	directory := "."
	if len(os.Args) > 1 {
		directory = os.Args[1]
	}
	code, err := run(directory)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gpucheck:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// settings holds the values of the environment variables.
type settings struct {
	envs   []int
	limit  time.Duration
	vulkan string
}

func readSettings() (settings, error) {
	s := settings{envs: []int{512, 4096, 8192}, limit: 220 * time.Second, vulkan: os.Getenv(vulkanVariable)}
	if text := os.Getenv(envsVariable); text != "" {
		s.envs = nil
		for _, field := range strings.Split(text, ",") {
			n, err := strconv.Atoi(field)
			if err != nil || n < 1 {
				return s, fmt.Errorf("%s is %q, want numbers of envs, each 1 or more, separated by commas", envsVariable, text)
			}
			s.envs = append(s.envs, n)
		}
	}
	if text := os.Getenv(secondsVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 3600 {
			return s, fmt.Errorf("%s is %q, want seconds, 1 to 3600", secondsVariable, text)
		}
		s.limit = time.Duration(n) * time.Second
	}
	return s, nil
}

// run runs all checks on the programs in a directory and writes gpu.json and gpu.log there.
func run(directory string) (code int, err error) {
	s, err := readSettings()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	ctx, cancel := context.WithDeadline(context.Background(), begin.Add(s.limit))
	defer cancel()
	logFile, err := os.Create(filepath.Join(directory, "gpu.log"))
	if err != nil {
		return 0, fmt.Errorf("making the log: %w", err)
	}
	defer func() {
		if closeErr := logFile.Close(); err == nil {
			err = closeErr
		}
	}()
	w := &watchdog{directory: directory, log: logFile}
	r := report{Date: begin.UTC().Format(time.RFC3339), Limit: s.limit.Seconds()}
	m := findDevices(ctx, w)
	r.GPU, r.Driver = m.gpu.Description, m.gpu.Driver
	for _, c := range checks(track.Generators(), s, m) {
		row := w.check(ctx, c)
		fmt.Fprintln(os.Stderr, row)
		r.add(row)
	}
	r.Seconds = time.Since(begin).Seconds()
	fmt.Print(r.table())
	data, err := r.write(filepath.Join(directory, "gpu.json"))
	if err != nil {
		return 0, err
	}
	fmt.Printf("\n%s", data)
	return r.code(), nil
}
