package command

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/bench/measure"
	"github.com/trackgen-go/trackgen/bench/roofline"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestReadBenchLimitsReports(t *testing.T) {
	rows := func(n int) string { return "[{}" + strings.Repeat(",{}", n-1) + "]" }
	for text, want := range map[string]string{
		`{"machines": [{}], "results": ` + rows(maxBenchRows) + `}`: "",
		`{"machines": [{}], "results": ` + rows(maxBenchRows+1) +
			`}`: "--from -: results has 10001 rows: must be at most 10000",
		`{"machines": ` + rows(maxBenchRows+1) +
			`, "results": [{}]}`: "--from -: machines has 10001 rows: must be at most 10000",
		"{" + strings.Repeat(" ", maxBenchBytes): "--from -: the file has more than 4194304 bytes",
		"{": "--from -: this is no report of trackgen bench: it is not JSON: " +
			"unexpected end of JSON input",
		"{}": "--from -: this is no report of trackgen bench",
	} {
		_, err := newApp(strings.NewReader(text), nil, nil).readBench("-")
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}

// Tables show what an H200 could do only on request, and break where the terminal is narrow.
func TestBenchTables(t *testing.T) {
	r := benchReport{Version: "v1", Go: "go1.26", Platform: "linux/amd64", Cores: 2, Date: "2026-11-30"}
	r.Machines = []measure.Machine{{Device: "cpu", Description: "A processor",
		Roofline: roofline.Roofline{BytesPerSecond: 9e9, OperationsPerSecond: 6e9}}}
	r.Work = []measure.GeneratorWork{{Generator: "bezier", Work: measure.Work{Operations: 67e3, Bytes: 9.6e3}}}
	r.Results = []measure.Result{{Device: "cpu", Generator: "bezier", Envs: 64, H200Floor: 2000}}
	write := func(columns int, estimate bool) string {
		var text strings.Builder
		require.NoError(t, writeBenchTables(&text, r, columns, estimate))
		return text.String()
	}
	assert.NotContains(t, write(0, false), "H200")
	text := write(0, true)
	assert.Contains(t, text, "  H200 COULD      MOST OF IT IN\n")
	assert.Contains(t, text, "  5e+08 tracks/s  ") // 67e3 / 33.5e12 and 9.6e3 / 4.8e12 are 2 ns
	assert.Contains(t, text, "  H200 FLOOR  ")
	assert.NotContains(t, text, "EFFICIENCY", "a table without rows")
	for line := range strings.Lines(write(60, true)) {
		assert.LessOrEqual(t, textWidth(strings.TrimSuffix(line, "\n")), 60, line)
	}
	assert.Equal(t, 6, strings.Count(write(60, true), "\ncpu     bezier     64 "))
}

// Without a list, the CPU is measured in machine code and in Go, where there are both.
func TestBenchDevices(t *testing.T) {
	a := newApp(nil, io.Discard, io.Discard)
	open := func(variable string, add bool, names ...string) (opened []string, lanes []int, err error) {
		t.Setenv("TRACKGEN_CPU", variable)
		opened, devices, err := a.openBenchDevices(names, add)
		for _, device := range devices {
			lanes = append(lanes, device.Info().Lanes)
		}
		require.NoError(t, closeDevices(devices))
		return opened, lanes, err
	}
	opened, lanes, err := open("go", true, "cpu")
	require.NoError(t, err)
	require.Equal(t, []string{"cpu"}, opened)
	require.Equal(t, []int{1}, lanes)
	opened, lanes, err = open("", false, "cpu:go")
	require.NoError(t, err)
	require.Equal(t, []string{"cpu:go"}, opened)
	require.Equal(t, []int{1}, lanes)
	_, _, err = open("avx", true, "cpu")
	require.ErrorContains(t, err, "TRACKGEN_CPU")
	if !kernel.HasLanes() {
		t.Skip("this build or processor has no kernels in machine code")
	}
	opened, lanes, err = open("", true, "cpu")
	require.NoError(t, err)
	require.Equal(t, []string{"cpu", "cpu:go"}, opened)
	require.Equal(t, []int{8, 1}, lanes)
	opened, _, err = open("", false, "cpu")
	require.NoError(t, err)
	require.Equal(t, []string{"cpu"}, opened)
	opened, _, err = open("lanes", true, "cpu")
	require.NoError(t, err)
	require.Equal(t, []string{"cpu"}, opened)
	_, _, err = open("lanes", false, "cpu:go")
	require.EqualError(t, err, "--devices: there is no cpu:go while TRACKGEN_CPU is lanes")
}
