//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/bench/gpucheck/facts"
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

// runIn runs all checks in a directory and returns the output, the JSON file and the exit code.
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
	require.LessOrEqual(t, len(data), maxBytes)
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&r))
	return r
}

// maxBytes is the maximum size of the JSON file, so that a report can quote it.
const maxBytes = 8 << 10

const noGPU = `echo '{"devices": [], "unavailable": [{"backend": "cuda", "reason": "libcuda.so.1: no such file"}]}'`

// Without a GPU, or when the time runs out, every row says so.
func TestEveryRowIsAccountedFor(t *testing.T) {
	directory := t.TempDir()
	program(t, directory, "trackgen", noGPU)
	table, r, code := runIn(t, directory)
	require.Equal(t, 2, code)
	require.Empty(t, r.GPU)
	require.Nil(t, r.Device)
	require.Zero(t, r.Checks.Passed)
	require.Empty(t, r.Checks.Failed)
	all := checks(track.Generators(), settings{envs: []int{512, 4096, 8192}}, machine{})
	require.Equal(t, namesOf(all), slices.Sorted(slices.Values(
		append(named(t, r.Checks.NotRun), named(t, r.Checks.Skipped)...))))
	for _, c := range all {
		require.Contains(t, table, c.name)
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
	require.Equal(t, "a GPU", r.GPU)
	require.Equal(t, []outcome{{"ended by the watchdog after its limit of 1m0s; see gpu.log", []string{all[0].name}}},
		r.Checks.Failed, "the one that was running")
	require.Greater(t, strings.Count(table, "out of time"), 20)
	require.Contains(t, named(t, r.Checks.NotRun), all[1].name)
}

func namesOf(all []check) (names []string) {
	for _, c := range all {
		names = append(names, c.name)
	}
	slices.Sort(names)
	return names
}

// named lists the checks of some outcomes, each of which must have a reason.
func named(t *testing.T, outcomes []outcome) (names []string) {
	for _, o := range outcomes {
		require.NotEmpty(t, o.Reason, o.Checks)
		names = append(names, o.Checks...)
	}
	return names
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
	output, err := run.Output()
	log, _ := os.ReadFile(filepath.Join(moved, "gpu.log"))
	require.NoError(t, err, "%s\n%s", output, log)
	table, line, _ := strings.Cut(string(output), "\n{")
	written, err := os.ReadFile(filepath.Join(moved, "gpu.json"))
	require.NoError(t, err)
	require.Equal(t, string(written), "{"+line, "the last line of the output")
	r := readReport(t, moved)
	require.Contains(t, r.GPU, "Emulated GPU")
	require.Contains(t, r.Driver, "CUDA")
	require.Less(t, r.Seconds, r.Limit)
	require.Empty(t, r.Checks.Failed)
	require.Empty(t, r.Checks.NotRun)
	for _, name := range named(t, r.Checks.Skipped) {
		require.Contains(t, strings.ToLower(name), "vulkan")
	}
	for _, c := range checks(track.Generators(), settings{envs: []int{1, 2}}, machine{}) {
		require.Contains(t, table, c.name)
	}
	requireFacts(t, r)
	requireSchema(t, written)
	require.Regexp(t, `(?m)^cuda:0 +bezier +2 +[0-9.]+[mµ]?s`, string(log), "the tables of the benchmark")
	require.Contains(t, string(log), "H200 COULD")
}

// requireFacts checks what the report says of the emulated GPU.
func requireFacts(t *testing.T, r report) {
	require.Equal(t, "7.0", r.Device.Capability)
	require.Equal(t, 12080, r.Device.DriverVersion)
	require.Equal(t, 1500, r.Device.ClockMHz)
	require.Equal(t, "default", r.Device.ComputeMode)
	require.False(t, r.Device.Watchdog || r.Device.MPS)
	require.Positive(t, r.Opened.FirstMilliseconds)
	require.True(t, r.Opened.Conditionals && r.Opened.Loops)
	var tried []string
	for _, trial := range r.Trials {
		require.True(t, trial.Works, trial.Name)
		tried = append(tried, trial.Name)
	}
	require.Equal(t, trials, tried)
	require.Equal(t, &facts.Nesting{Depth: 64, Limit: 64}, r.Nesting)
	require.Equal(t, &facts.Unused{Code: 1, Result: 5}, r.Unused)
	compiled, err := filepath.Glob("../../kernels/*/kernel_generated.ptx")
	require.NoError(t, err)
	for i, file := range compiled {
		compiled[i] = filepath.Base(filepath.Dir(file))
		require.Positive(t, r.Modules[compiled[i]])
	}
	require.Equal(t, compiled, slices.Sorted(maps.Keys(r.Modules)))
	require.Positive(t, r.Loading.AloneMilliseconds)
	require.Positive(t, r.Loading.TogetherMilliseconds)
	require.Positive(t, r.Loading.KeptMilliseconds)
	require.Positive(t, r.Loading.WarmMilliseconds)
	require.Positive(t, r.Loading.FirstColdMilliseconds)
	require.Positive(t, r.Loading.FirstWarmMilliseconds)
	require.Equal(t, []int{128, 32, 0, 0, 16}, r.Kernels["relaxation.relax"])
	require.NotNil(t, r.UserObject)
	for _, v := range r.Vulkan { // the test of the machine's own devices; none where there is no Vulkan
		require.NotEmpty(t, v.Name)
		require.NotNil(t, v.Modes)
		require.True(t, v.Exact || v.Reason != "", v.Name)
	}
	for _, g := range track.Generators() {
		for _, envs := range []string{"1", "2"} {
			values := r.Times["cuda:0"][g][envs]
			require.Len(t, values, len(timesColumns))
			for i, value := range values {
				require.Positive(t, value, "%s, %s envs, %s", g, envs, timesColumns[i])
			}
		}
	}
}

// schema lists the fields of the JSON file with their types. A key of a map is *, and so is an element of a list.
const schema = `
checks.failed list
checks.not_run list
checks.passed number
checks.skipped list
compiling.alone_ms number
compiling.first_cold_ms number
compiling.first_warm_ms number
compiling.kept_ms number
compiling.together_ms number
compiling.warm_ms number
conditionals.*.ms number
conditionals.*.name text
conditionals.*.works boolean
date text
device.bus_bits number
device.clock_mhz number
device.compute_capability text
device.compute_mode text
device.compute_preemption boolean
device.driver_version number
device.ecc boolean
device.integrated boolean
device.kernel_module text
device.l2_bytes number
device.library text
device.memory_bytes number
device.memory_clock_mhz number
device.mps boolean
device.multiprocessors number
device.registers_per_multiprocessor number
device.shared_bytes_per_multiprocessor number
device.threads_per_multiprocessor number
device.watchdog boolean
driver text
gpu text
kernel_columns.* text
kernels.*.* number
limit_seconds number
modules_ms.* number
nesting.depth number
nesting.limit number
opened.conditionals boolean
opened.first_ms number
opened.loops boolean
opened.reason text
opened.second_ms number
seconds number
times.*.*.*.* number
times_columns.* text
unused_handle.code number
unused_handle.result number
user_object_ms number
`

// fixed are the objects whose keys are names of devices, generators, modules or kernels.
var fixed = regexp.MustCompile(`^(times|times\.\*|times\.\*\.\*|modules_ms|kernels)$`)

// shapes adds the paths of a JSON value with their types.
func shapes(at string, value any, into map[string]bool) {
	below := func(key string) string { return strings.TrimPrefix(at+"."+key, ".") }
	switch value := value.(type) {
	case map[string]any:
		for key, element := range value {
			if fixed.MatchString(at) {
				key = "*"
			}
			shapes(below(key), element, into)
		}
	case []any:
		if len(value) == 0 {
			into[at+" list"] = true
		}
		for _, element := range value {
			shapes(below("*"), element, into)
		}
	case float64:
		into[at+" number"] = true
	case string:
		into[at+" text"] = true
	case bool:
		into[at+" boolean"] = true
	default:
		into[at+" null"] = true
	}
}

// requireSchema checks the fields of the JSON file and their types. Skipped checks are those of Vulkan, which not every
// machine has.
func requireSchema(t *testing.T, data []byte) {
	var value map[string]any
	require.NoError(t, json.Unmarshal(data, &value))
	delete(value, "vulkan")
	counts := value["checks"].(map[string]any)
	counts["skipped"] = []any{}
	found := make(map[string]bool)
	shapes("", value, found)
	lines := slices.Sorted(maps.Keys(found))
	require.Equal(t, strings.TrimSpace(schema), strings.Join(lines, "\n"))
}

// The largest report is small enough to be quoted: all batch sizes and generators on two devices, and failures with
// long reasons. Each number has at most four significant digits.
func TestReportIsShort(t *testing.T) {
	var r report
	s := settings{envs: []int{512, 4096, 8192}}
	long := strings.Repeat("a long reason ", 100)
	gpu := info{Name: "cuda:0", Description: strings.Repeat("G", 60)}
	m := machine{gpu: gpu, vulkans: []info{{Name: "vulkan:0", Description: "NVIDIA"}}}
	for i, c := range checks(track.Generators(), s, m) {
		row := row{Check: c.name, Result: passed, Seconds: 1.23456789, times: c.times}
		if c.times != nil {
			row.Measured = make(map[string]float64)
			for _, name := range measuredNames {
				row.Measured[name] = 123.456789
			}
		}
		if i%8 == 0 {
			row.Result, row.Reason = failed, fmt.Sprint(i, long)
		}
		r.add(row)
	}
	for i := range 30 {
		r.addFacts(facts.Facts{Kernels: []facts.Kernel{{Name: fmt.Sprint("relaxation.kernel", i), Threads: 1024,
			Registers: 255, SharedBytes: 32768, LocalBytes: 1024, Blocks: 16}}})
	}
	for _, trial := range trials {
		r.addFacts(facts.Facts{Trials: []facts.Trial{{Name: trial, Works: true, Milliseconds: 1.0 / 3}}})
	}
	for i := range 12 {
		r.addFacts(facts.Facts{Modules: []facts.Module{{Name: fmt.Sprint("repulsive", i), Milliseconds: 10000.0 / 3}}})
	}
	r.addFacts(facts.Facts{Device: &facts.Device{Library: "/usr/lib/x86_64-linux-gnu/libcuda.so.1", MemoryBytes: 1 << 37},
		Opened: &facts.Opened{Reason: long}, Nesting: &facts.Nesting{Reason: long}, Loading: &facts.Loading{},
		Vulkan: []facts.Vulkan{{Name: gpu.Description, Reason: long, Modes: []string{"DenormPreserve 32",
			"RoundingModeRTE 32", "SignedZeroInfNanPreserve 32"}}, {Name: "llvmpipe", Modes: []string{}}}})
	data, err := r.encode()
	require.NoError(t, err)
	require.Less(t, len(data), maxBytes)
	require.NotRegexp(t, `[0-9.]{9,}`, regexp.MustCompile(`"(memory_bytes|date|seconds)":[^,]*`).ReplaceAllString(
		string(data), ""))
	require.Contains(t, string(data), "…", "shortened")
}

// The table says a reason once, whole, however many checks have it. A line of progress has its beginning.
func TestTableSaysAReasonOnce(t *testing.T) {
	long := strings.Repeat("a long reason ", 20) + "with its end"
	var r report
	for _, row := range []row{
		{Check: "device", Result: notRun, Reason: long}, {Check: "floats", Result: passed},
		{Check: "bits", Result: failed, Reason: "exit status 1"}, {Check: "times", Result: notRun, Reason: long},
	} {
		r.add(row)
		require.NotContains(t, row.String(), "with its end")
	}
	table := r.table()
	require.Equal(t, 1, strings.Count(table, "a long reason with its end"), table)
	require.Regexp(t, `(?m)^device +not run +0\.0 +\(1\)$`, table)
	require.Regexp(t, `(?m)^times +not run +0\.0 +\(1\)$`, table)
	require.Regexp(t, `(?m)^bits +FAILED +0\.0 +exit status 1$`, table)
	require.Contains(t, table, "\n(1) "+long+"\n")
	require.Equal(t, long, r.rows[0].Reason, "the rows keep their reasons")
}

// A number that JSON does not have is 0, and the others are rounded.
func TestRound(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, math.Inf(1): 0, 1.0 / 3: 0.3333, 123456: 123456, 12.3456: 12.35,
		-0.000123456: -0.0001235, 1234.56: 1235} {
		require.InDelta(t, want, round(x), 1e-12, "%v", x)
	}
	require.Zero(t, round(math.NaN()))
}
