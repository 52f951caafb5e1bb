//go:build unix

package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

const schedulerTracks = 1600

// part is a process that a scheduler starts, with the environment that it gets.
type part struct {
	command, environment []string
}

// job is the part of a Kubernetes Job that says what its pods run.
type job struct {
	Kind string
	Spec struct {
		CompletionMode string `yaml:"completionMode"`
		Completions    int
		Template       struct {
			Spec struct {
				Containers []struct {
					Args []string
					Env  []struct{ Name, Value string }
				}
			}
		}
	}
}

// kubernetesParts returns the processes of examples/kubernetes/dataset-job.yaml.
func kubernetesParts(t *testing.T, folder string) (parts []part) {
	t.Helper()
	file, err := os.Open("../examples/kubernetes/dataset-job.yaml")
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var described job
	require.NoError(t, yaml.NewDecoder(file).Decode(&described))
	require.Equal(t, "Job", described.Kind)
	require.Equal(t, "Indexed", described.Spec.CompletionMode)
	require.Len(t, described.Spec.Template.Spec.Containers, 1)
	container := described.Spec.Template.Spec.Containers[0]
	arguments := strings.NewReplacer("10M", fmt.Sprint(schedulerTracks), "/data/tracks", folder)
	for i := range described.Spec.Completions {
		p := part{environment: []string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i)}}
		for _, variable := range container.Env {
			p.environment = append(p.environment, variable.Name+"="+variable.Value)
		}
		p.command = []string{"trackgen"}
		for _, argument := range container.Args {
			p.command = append(p.command, arguments.Replace(argument))
		}
		p.command = append(p.command, "--shard-tracks", "100", "--workers", "1")
		parts = append(parts, p)
	}
	return parts
}

// slurmParts returns the processes of examples/slurm/dataset.sbatch, an array of 8 tasks.
func slurmParts(t *testing.T, folder string) (parts []part) {
	t.Helper()
	text, err := os.ReadFile("../examples/slurm/dataset.sbatch")
	require.NoError(t, err)
	require.Contains(t, string(text), "\n#SBATCH --array=0-7\n")
	for i := range 8 {
		parts = append(parts, part{
			command: []string{"bash", "../examples/slurm/dataset.sbatch", folder, "--tracks", fmt.Sprint(schedulerTracks),
				"--shard-tracks", "100"},
			environment: []string{fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", i), "SLURM_ARRAY_TASK_MIN=0",
				"SLURM_ARRAY_TASK_MAX=7", "SLURM_ARRAY_TASK_COUNT=8", "SLURM_CPUS_PER_TASK=1"},
		})
	}
	return parts
}

// The examples for schedulers run here as their scheduler would run them: all processes at once, of which one is killed
// and started again. The manifest is that of one process.
func TestExamplesOfSchedulersAtOnce(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	output, err := exec.Command("trackgen", "dataset", "--tracks", fmt.Sprint(schedulerTracks), "--shard-tracks", "100",
		"--out", whole, "--quiet").CombinedOutput()
	require.NoError(t, err, "%s", output)
	want, err := os.ReadFile(filepath.Join(whole, "manifest.json"))
	require.NoError(t, err)
	for name, partsOf := range map[string]func(*testing.T, string) []part{
		"kubernetes": kubernetesParts, "slurm": slurmParts,
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "tracks")
			parts := partsOf(t, folder)
			require.Len(t, parts, 8)
			var running sync.WaitGroup
			for i, p := range parts {
				running.Go(func() { p.run(t, i == 3) })
			}
			running.Wait()
			have, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, have), "%s", have)
			assert.Equal(t, contents(t, whole), contents(t, folder))
		})
	}
}

// run runs the process to its end; one that is killed is started again.
func (p part) run(t *testing.T, kill bool) {
	start := func() (*exec.Cmd, *bytes.Buffer) {
		command, output := exec.Command(p.command[0], p.command[1:]...), new(bytes.Buffer)
		command.Env, command.Stdout, command.Stderr = append(os.Environ(), p.environment...), output, output
		assert.NoError(t, command.Start())
		return command, output
	}
	command, output := start()
	if kill {
		time.Sleep(30 * time.Millisecond) // it has begun, or has a shard; either is right
		_ = command.Process.Kill()        // it may have ended
		_ = command.Wait()
		command, output = start()
	}
	assert.NoError(t, command.Wait(), "%v: %s", p.environment, output)
}
