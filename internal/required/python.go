package required

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// The variables that make sets: the interpreter that has NumPy, and the folder of the other modules.
const (
	interpreterVariable = "TRACKGEN_PYTHON"
	modulesVariable     = "TRACKGEN_READERS"
)

// missing has what importing each list of modules printed, or nothing.
var missing sync.Map

// Python runs a Python script with arguments and returns its output. modules are those that the script imports and that
// do not belong to Python, separated by commas. Without one of them the test is skipped, except if make has installed
// them: it then fails.
func Python(tb testing.TB, modules, script string, args ...string) string {
	tb.Helper()
	interpreter, installed := os.LookupEnv(interpreterVariable)
	if !installed {
		interpreter = "python3"
	}
	run := func(args ...string) (string, error) {
		command := exec.Command(interpreter, args...)
		command.Env = append(os.Environ(), "PYTHONPATH="+os.Getenv(modulesVariable))
		out, err := command.CombinedOutput()
		return string(out), err
	}
	why, tried := missing.Load(modules)
	if !tried {
		why = ""
		if out, err := run("-c", "import "+modules); err != nil {
			lines := strings.Split(strings.TrimSpace(out), "\n")
			why = fmt.Sprintf("%v: %s", err, lines[len(lines)-1])
		}
		missing.Store(modules, why)
	}
	switch {
	case why == "":
	case installed:
		tb.Fatalf("%s=%s and %s=%s do not have %s: %s", interpreterVariable, interpreter, modulesVariable,
			os.Getenv(modulesVariable), modules, why)
	default:
		tb.Skipf("NOT TESTED: python3 with %s is needed (%s)", modules, why)
	}
	out, err := run(append([]string{"-c", script}, args...)...)
	if err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return out
}
