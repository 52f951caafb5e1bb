package examples_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// The module of the generator is another one, which tests of this module pass by: its generated files are up to date and
// its tests pass.
func TestGenerator(t *testing.T) {
	for _, arguments := range [][]string{
		{"tool", "kernelgen", "-check", "."},
		{"mod", "tidy", "-diff"},
		{"vet", "./..."},
		{"test", "./..."},
	} {
		command := exec.CommandContext(t.Context(), "go", arguments...)
		command.Dir = "generator"
		output, err := command.CombinedOutput()
		require.NoError(t, err, "go %v:\n%s", arguments, output)
	}
}
