//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDatasetKilled kills a run at moments that a seed draws, until it is done. The data set is that of a run that
// nobody killed: nothing is lost, nothing is there twice, and nothing unfinished is left.
func TestDatasetKilled(t *testing.T) { killDataset(t, 5, 400) }

// killDataset makes a data set of tracks in shards of a tenth, and kills the runs that make it so many times.
func killDataset(t *testing.T, kills, tracks int) {
	t.Helper()
	commandOf := func(folder string) *exec.Cmd {
		return exec.Command("trackgen", "dataset", "--tracks", fmt.Sprint(tracks), "--shard-tracks", fmt.Sprint(tracks/10),
			"--generator", "hull", "--workers", "1", "--quiet", "--out", folder)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	start := time.Now()
	output, err := commandOf(whole).CombinedOutput()
	require.NoError(t, err, "%s", output)
	took := time.Since(start)

	folder := filepath.Join(t.TempDir(), "killed")
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		command := commandOf(folder)
		require.NoError(t, command.Start())
		time.Sleep(time.Duration(random.Float64() * float64(took) / 3))
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()
		for name, content := range contents(t, folder) {
			if want, known := contents(t, whole)[name]; known {
				assert.True(t, bytes.Equal(want, content), "%s is not whole after a kill", name)
			}
		}
	}
	output, err = commandOf(folder).CombinedOutput()
	require.NoError(t, err, "%s", output)
	want, have := contents(t, whole), contents(t, folder)
	assert.Len(t, have, len(want))
	for name := range want {
		assert.True(t, bytes.Equal(want[name], have[name]), "%s differs", name)
	}
}

// contents returns the files of a folder and those below it by their names.
func contents(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // a killed run may not have made the folder
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		files[name] = text
		return err
	})
	require.NoError(t, err)
	return files
}
