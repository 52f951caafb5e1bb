//go:build unix

package command

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience limits how long tests wait for an event that should happen soon.
const patience = 2 * time.Minute

// waitForFiles waits until the files of a folder have at least this many bytes in total.
func waitForFiles(t *testing.T, folder string, bytes int64) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		var total int64
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil {
				total += info.Size()
			}
		}
		if total >= bytes {
			return
		}
	}
	t.Fatal("no file grew")
}

func exitCodeOf(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return exitDone
}

// TestInterrupt interrupts trackgen while it writes. No partial file remains, and an existing file keeps its contents.
func TestInterrupt(t *testing.T) {
	for _, test := range []struct {
		name   string
		signal os.Signal
		file   string
	}{
		{"SIGINT npz", os.Interrupt, "tracks.npz"},
		{"SIGTERM npz", syscall.SIGTERM, "tracks.npz"},
		{"SIGINT csv", os.Interrupt, "tracks.csv"},
		{"SIGINT json", os.Interrupt, "tracks.json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, test.file)
			require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
			command := exec.Command("trackgen", "generate", "--envs", "10000000", "--chunk", "16", "--out", path, "--plot",
				filepath.Join(folder, "tracks.png"))
			var stdout, stderr bytes.Buffer
			command.Stdout, command.Stderr = &stdout, &stderr
			require.NoError(t, command.Start())
			waitForFiles(t, folder, 100_000)
			require.NoError(t, command.Process.Signal(test.signal))
			assert.Equal(t, exitInterrupted, exitCodeOf(command.Wait()))
			assert.Equal(t, "trackgen: interrupted; unfinished files were removed\n", stderr.String())
			assert.Empty(t, stdout.String())
			entries, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Len(t, entries, 1, "%v", entries)
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, "old", string(content))
		})
	}
}

// TestKilled kills trackgen while it writes. The next run in the folder removes the unfinished files of the killed run,
// but not those of a run that is in progress.
func TestKilled(t *testing.T) {
	folder := t.TempDir()
	names := func() (names []string) {
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	start := func(name string) *exec.Cmd {
		path := filepath.Join(folder, name)
		command := exec.Command("trackgen", "generate", "--envs", "10000000", "--chunk", "16", "--out", path)
		require.NoError(t, command.Start())
		return command
	}
	killed := start("killed.csv")
	waitForFiles(t, folder, 100_000)
	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())
	left := names()
	require.Len(t, left, 1)

	atWork := start("at work.csv")
	const often = 5 * time.Millisecond
	require.Eventually(t, func() bool { return !slices.Contains(names(), left[0]) }, patience, often, "the leftover goes")
	waitForFiles(t, folder, 100_000)
	unfinished := names()
	require.Len(t, unfinished, 1)
	require.NoError(t, exec.Command("trackgen", "generate", "--out", filepath.Join(folder, "a.npz"), "--quiet").Run())
	assert.ElementsMatch(t, append(unfinished, "a.npz"), names())
	require.NoError(t, atWork.Process.Signal(os.Interrupt))
	assert.Equal(t, exitInterrupted, exitCodeOf(atWork.Wait()))
	assert.Equal(t, []string{"a.npz"}, names())
}

// TestInterruptRows interrupts trackgen while it prints rows.
func TestInterruptRows(t *testing.T) {
	command := exec.Command("trackgen", "generate", "--envs", "10000000", "--chunk", "4", "--format", "csv")
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	require.NoError(t, command.Start())
	rows := bufio.NewReader(stdout)
	for range 3 {
		_, err := rows.ReadString('\n')
		require.NoError(t, err)
	}
	require.NoError(t, command.Process.Signal(os.Interrupt))
	_, err = io.Copy(io.Discard, rows)
	require.NoError(t, err)
	assert.Equal(t, exitInterrupted, exitCodeOf(command.Wait()))
	assert.Contains(t, stderr.String(), "interrupted")
}

// terminal runs trackgen with standard output and standard error on a terminal, and returns the text on the terminal.
func terminal(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.Command("trackgen", arguments...)
	command.Env = append(os.Environ(), columnsVariable+"=")
	screen, err := pty.StartWithSize(command, &pty.Winsize{Rows: 24, Cols: 60})
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer screen.Close()
	text, err := io.ReadAll(screen)
	if !errors.Is(err, syscall.EIO) { // Linux returns EIO when the other end is closed
		require.NoError(t, err)
	}
	require.NoError(t, command.Wait())
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func TestTerminal(t *testing.T) {
	t.Run("a bar from the start to the end, and a table instead of JSON", func(t *testing.T) {
		text := terminal(t, "generate", "--envs", "30")
		states, rest, found := strings.Cut(text, "\x1b[2K\r")
		require.True(t, found, "%q", text)
		frames := strings.Split(strings.TrimPrefix(states, "\r"), "\r")
		assert.Regexp(t, `^   0% \| {7}\| \(0/30\) \[0s\] generating `, frames[0])
		assert.Regexp(t, `^ 100% \|█{7}\| \(30/30\) \[\d+s\] (generating, )?[0-9.]+ tracks/s `, frames[len(frames)-1])
		for _, frame := range frames {
			assert.LessOrEqual(t, textWidth(strings.TrimSuffix(frame, "\x1b[0K")), 60, "%q", frame)
		}
		assert.Regexp(t, `^30 bezier tracks\n  seeds      0 to 29, epoch 0\n  valid      30 of 30 \(100\.0 %\)\n`, rest)
		assert.Regexp(t, `\ntrackgen: the tracks are not kept: --out names a file for them, such as --out tracks.npz\n$`, text)
	})
	t.Run("rows instead of a bar", func(t *testing.T) {
		text := terminal(t, "generate", "--envs", "6", "--format", "csv")
		assert.NotContains(t, text, "%")
		assert.Regexp(t, `^env,`, text)
	})
	t.Run("bars of other commands", func(t *testing.T) {
		tracks := filepath.Join(t.TempDir(), "tracks.npz")
		require.NoError(t, exec.Command("trackgen", "generate", "-q", "-n", "40", "-o", tracks).Run())
		for want, arguments := range map[string][]string{
			`\(2/2\).* equal `:                         {"verify", "--devices=cpu", "--generators=hull,polar", "-n2", "--modes=eager"},
			`\(1/1\) \[\d+s\] hull .*"format"`:         {"ledger", "--generators=hull", "-n2"},
			`\(14/14\) \[\d+s\] .* cpu `:               {"ledger", "check", "--devices=cpu", "-n1"},
			`\(40/40\).* tracks/s .*\(40/40\).* wrote`: {"export", tracks, "-o", tracks + ".csv", "--to=points"},
			`\(40/40\).* tracks/s .*\(40/40\).* drew`:  {"plot", tracks, "-o", tracks + ".svg", "--max=40"},
			`\(40/40\).* tracks/s .*file `:             {"stats", tracks},
		} {
			text := strings.ReplaceAll(terminal(t, arguments...), "\n", " ")
			assert.Regexp(t, want, text)
			assert.Contains(t, text, " 100% |")
		}
	})
	t.Run("quiet", func(t *testing.T) {
		text := terminal(t, "generate", "--envs", "6", "--chunk", "1", "--quiet", "--out",
			filepath.Join(t.TempDir(), "tracks.csv"))
		assert.Empty(t, text)
	})
	t.Run("help fills the terminal", func(t *testing.T) {
		longest := 0
		for line := range strings.Lines(terminal(t, "generate", "--help")) {
			longest = max(longest, len([]rune(strings.TrimRight(line, "\n"))))
		}
		assert.True(t, longest > 50 && longest <= 60, longest)
	})
	t.Run("devices", func(t *testing.T) {
		assert.Regexp(t, `^NAME +DESCRIPTION`, terminal(t, "devices"))
	})
}
