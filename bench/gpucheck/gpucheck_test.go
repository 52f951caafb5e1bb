//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

// program writes a shell script that replaces a program of the directory.
func program(t *testing.T, directory, name, script string) {
	path := filepath.Join(directory, name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/bash\n"+script+"\n"), 0o700))
}

// The result of a check follows from the output and the exit code of its program.
func TestJudgement(t *testing.T) {
	for name, tc := range map[string]struct {
		script         string
		result, reason string
		measured       map[string]float64
	}{
		"passed": {"echo '--- PASS: TestX (0.00s)'", passed, "", nil},
		"measured": {`echo '--- PASS: TestX (0.00s)'; echo '{"open ms": 2.5}' > "$TRACKGEN_GPU_REPORT"`, passed, "",
			map[string]float64{"open ms": 2.5}},
		"no numbers": {`echo '--- PASS: TestX (0.00s)'; echo '{' > "$TRACKGEN_GPU_REPORT"`, failed, "cannot be read", nil},
		"failed": {"echo '--- FAIL: TestX'; echo '    Error:  \tNot equal'; exit 1", failed,
			"exit status 1: Error: Not equal; see gpu.log", nil},
		"an error": {`printf '        \tError:      \tReceived unexpected error:\n` +
			`        \t            \tcuda:0: load: failed with 218\n        \tTest: \tTestX\n'; exit 1`,
			failed, "Received unexpected error: cuda:0: load: failed with 218; see gpu.log", nil},
		"crashed in C": {"echo 'SIGSEGV: segmentation violation'; exit 2", failed,
			"exit status 2: SIGSEGV: segmentation violation; see gpu.log", nil},
		"crashed": {"echo 'panic: index out of range'; exit 2", failed,
			"exit status 2: panic: index out of range; see gpu.log", nil},
		"killed":       {"kill -9 $$", failed, "signal: killed; see gpu.log", nil},
		"skipped":      {"printf -- '--- SKIP: TestX (0.00s)\\n    gpu_test.go:7: no memory\\n'", skipped, "no memory", nil},
		"no such test": {"echo 'testing: warning: no tests to run'; echo PASS", failed, "there is no such test", nil},
		"hangs":        {"sleep 60", failed, "ended by the watchdog", nil},
		"hangs in C": {"trap 'echo \"example/cuda._Cfunc_tgc_record(0x1)\"; exit 2' QUIT; while true; do sleep 0.1; done",
			failed,
			"ended by the watchdog in tgc_record", nil},
		"hangs inside": {"sleep 60 & wait", failed, "ended by the watchdog", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := &watchdog{directory: t.TempDir(), log: io.Discard}
			program(t, w.directory, "cuda.test", tc.script)
			// Before the programs run side by side: one that is started while a file is open for writing inherits the
			// file, which then cannot be executed (https://go.dev/issue/22315).
			t.Parallel()
			r := w.check(t.Context(), check{name: "x", program: "cuda.test", test: true, limit: 2 * time.Second})
			require.Equal(t, tc.result, r.Result, r.Reason)
			require.Contains(t, r.Reason, tc.reason)
			require.Equal(t, tc.measured, r.Measured)
		})
	}
}

// A check that is not run says why.
func TestNotRun(t *testing.T) {
	w := &watchdog{directory: t.TempDir(), log: io.Discard}
	ctx, cancel := context.WithCancel(t.Context())
	require.Equal(t, failed, w.check(ctx, check{program: "absent", limit: time.Second}).Result)
	cancel()
	for _, tc := range []struct {
		c              check
		result, reason string
	}{
		{check{program: "true"}, notRun, "out of time"},
		{check{absent: "there is no GPU"}, notRun, "there is no GPU"},
		{check{skip: "there is no Vulkan device"}, skipped, "there is no Vulkan device"},
	} {
		r := w.check(ctx, tc.c)
		require.Equal(t, tc.result, r.Result)
		require.Equal(t, tc.reason, r.Reason)
	}
	w.stuck = "conformance suite"
	r := w.check(t.Context(), check{program: "true"})
	require.Equal(t, notRun, r.Result)
	require.Contains(t, r.Reason, "conformance suite")
}

// runIn runs all checks in a directory and returns the table, the JSON file and the exit code.
func runIn(t *testing.T, directory string) (string, report, int) {
	output, err := os.CreateTemp(t.TempDir(), "table")
	require.NoError(t, err)
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = output, output
	code, err := run(directory)
	os.Stdout, os.Stderr = stdout, stderr
	require.NoError(t, err)
	require.NoError(t, output.Close())
	table, err := os.ReadFile(output.Name())
	require.NoError(t, err)
	return string(table), readReport(t, directory), code
}

func readReport(t *testing.T, directory string) (r report) {
	data, err := os.ReadFile(filepath.Join(directory, "gpu.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &r))
	return r
}

const noGPU = `echo '{"devices": [], "unavailable": [{"backend": "cuda", "reason": "libcuda.so.1: no such file"}]}'`

// Without a GPU, or when the time runs out, every row says so.
func TestEveryRowIsAccountedFor(t *testing.T) {
	directory := t.TempDir()
	program(t, directory, "trackgen", noGPU)
	table, r, code := runIn(t, directory)
	require.Equal(t, 2, code)
	require.Empty(t, r.Device)
	for _, row := range r.Rows {
		require.Contains(t, []string{notRun, skipped}, row.Result, row.Check)
		require.NotEmpty(t, row.Reason, row.Check)
		require.Contains(t, table, row.Check)
	}
	require.Contains(t, table, "there is no CUDA device: libcuda.so.1: no such file")

	t.Setenv(secondsVariable, "2")
	program(t, directory, "trackgen",
		`echo '{"devices": [{"name": "cuda:0", "backend": "cuda", "description": "a GPU"}]}'`)
	program(t, directory, "cuda.test", "sleep 60")
	begin := time.Now()
	table, r, code = runIn(t, directory)
	require.Less(t, time.Since(begin), 30*time.Second)
	require.Equal(t, 1, code)
	require.Equal(t, "a GPU", r.Device)
	require.Equal(t, failed, r.Rows[0].Result, "the one that was running")
	require.Greater(t, strings.Count(table, "out of time"), 20)
	require.Equal(t, 1, r.count(failed))
}

func TestSettings(t *testing.T) {
	for _, bad := range []string{"x", "0", "1,,2", "-3"} {
		t.Setenv(envsVariable, bad)
		_, err := readSettings()
		require.ErrorContains(t, err, envsVariable)
	}
	t.Setenv(envsVariable, "16,32")
	for _, bad := range []string{"x", "0", "3601"} {
		t.Setenv(secondsVariable, bad)
		_, err := readSettings()
		require.ErrorContains(t, err, secondsVariable)
	}
	t.Setenv(secondsVariable, "60")
	s, err := readSettings()
	require.NoError(t, err)
	require.Equal(t, settings{envs: []int{16, 32}, limit: time.Minute}, s)
}

// All checks run with small batches on the emulated driver. The programs are built as for another machine, moved, and
// run with no other program of this machine except bash. The table and the JSON file have one row per check, with its
// measurements.
func TestOnTheEmulator(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds three programs and runs fifty more")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	command := func(name string, arguments ...string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), name, arguments...)
		c.Dir = root
		return c
	}
	emulated, err := command("go", "run", "./backend/cuda/emulator/emulate", "env").Output()
	require.NoError(t, err)
	built := filepath.Join(t.TempDir(), "built")
	text, err := command("scripts/test-gpu.sh", "build", built,
		"-trimpath=false").CombinedOutput() // reuses packages that other tests have compiled
	require.NoError(t, err, string(text))
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.Rename(built, moved))
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	path := t.TempDir()
	require.NoError(t, os.Symlink(bash, filepath.Join(path, "bash")))

	run := exec.CommandContext(t.Context(), bash, filepath.Join(moved, "test-gpu.sh"), "run")
	run.Dir = path
	run.Env = []string{"PATH=" + path, "HOME=/nonexistent", envsVariable + "=1,2"}
	for line := range strings.Lines(string(emulated)) {
		if strings.HasPrefix(line, "TRACKGEN_LIBCUDA=") || strings.HasPrefix(line, "TRACKGEN_EMULATOR_KERNELS=") {
			run.Env = append(run.Env, strings.TrimSpace(line))
		}
	}
	table, err := run.Output()
	log, _ := os.ReadFile(filepath.Join(moved, "gpu.log"))
	require.NoError(t, err, "%s\n%s", table, log)
	r := readReport(t, moved)
	require.Contains(t, r.Device, "Emulated GPU")
	require.Contains(t, r.Driver, "CUDA")
	require.Less(t, r.Seconds, r.Limit)
	names := make([]string, 0, len(r.Rows))
	for _, row := range r.Rows {
		names = append(names, row.Check)
		require.Contains(t, string(table), row.Check)
		if strings.Contains(strings.ToLower(row.Check), "vulkan") {
			require.Contains(t, []string{skipped, passed}, row.Result, row.Check)
			require.True(t, row.Result == passed || row.Reason != "", row.Check)
			continue
		}
		require.Equal(t, passed, row.Result, "%s: %s", row.Check, row.Reason)
		require.Positive(t, row.Seconds)
		if strings.HasPrefix(row.Check, "times: ") {
			for _, name := range []string{"first ms", "eager ms", "replay ms", "regenerate none ms", "regenerate all ms",
				"nodes"} {
				require.Positive(t, row.Measured[name], "%s: %s", row.Check, name)
			}
		}
	}
	require.Contains(t, names, "benchmark, with floors")
	require.Regexp(t, `(?m)^cuda:0 +bezier +2 +[0-9.]+[mµ]?s`, string(log), "the tables of the benchmark")
	require.Contains(t, string(log), "H200 COULD")
	for _, g := range track.Generators() {
		require.Contains(t, names, "bits of the CPU: "+g)
		for _, envs := range []int{1, 2} {
			require.Contains(t, names, fmt.Sprintf("times: %s, E=%d, cuda:0", g, envs))
		}
	}
	first := r.Rows[slices.Index(names, "first touch: open, PTX compiled")]
	require.Positive(t, first.Measured["open ms"])
	require.Equal(t, 1.0, first.Measured["conditionals"])
	user := r.Rows[slices.Index(names, "user object")]
	require.Contains(t, user.Measured, "returned ms")
}
