package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The script that times the reference system says what is missing, and prints the ratio where nothing is. Here a module
// of this test stands for Warp, and a script for the command.
func TestReferenceScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	dir := t.TempDir()
	command := filepath.Join(dir, "trackgen")
	require.NoError(t, os.WriteFile(command, []byte("#!/bin/sh\n"+`echo '{"results": [
		{"device": "cpu", "generate": {"median_seconds": 0.001}}, {"device": "cpu:go", "generate": {"median_seconds": 0.004}}]}'`),
		0o700))
	run := func(setup, tool string) (string, int) {
		c := exec.Command(python, "-S", "reference/generation.py", "--setup", setup, "--run", "time.sleep(0.01)",
			"--runs", "2", "--trackgen", tool)
		c.Env = append(os.Environ(), "PYTHONPATH="+dir)
		output, _ := c.CombinedOutput()
		return string(output), c.ProcessState.ExitCode()
	}
	text, code := run("import time", command)
	require.Equal(t, 2, code, text)
	require.Contains(t, text, "generation.py: NVIDIA Warp is not installed")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "warp.py"), []byte("def synchronize(): pass\n"), 0o600))
	text, code = run("import time, no_such_reference", command)
	require.Equal(t, 2, code, text)
	require.Contains(t, text, "generation.py: the reference system is not installed")
	text, code = run("import time", filepath.Join(dir, "missing"))
	require.Equal(t, 2, code, text)
	require.Contains(t, text, "cannot be run")
	text, code = run("import time", command)
	require.Equal(t, 0, code, text)
	require.Regexp(t, `trackgen, cpu +1.00 ms, \d+\.\d times as fast\ntrackgen, cpu:go +4.00 ms, `, text)
}
