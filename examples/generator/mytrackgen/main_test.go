package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The commands of a program of another module know its generator by its name.
func TestCommandsKnowTheGenerator(t *testing.T) {
	folder := t.TempDir()
	program, tracks := filepath.Join(folder, "mytrackgen"), filepath.Join(folder, "tracks.npz")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	data := filepath.Join(folder, "set")
	for _, c := range []struct{ arguments, holds string }{
		{"generate --help", "waves"},
		{"generate --generator waves --envs 4 --device cpu --out " + tracks, ""},
		{"stats " + tracks, ""},
		{"plot " + tracks + " --out " + filepath.Join(folder, "tracks.svg"), ""},
		{"config --generator waves", "generator: waves"},
		{"dataset --generator waves --tracks 8 --device cpu --out " + data, ""},
		{"dataset verify " + data + " --device cpu", ""},
	} {
		out, err := exec.CommandContext(ctx, program, strings.Fields(c.arguments)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", c.arguments, err, out)
		}
		if !strings.Contains(string(out), c.holds) {
			t.Errorf("%s does not say %q:\n%s", c.arguments, c.holds, out)
		}
	}
}
