//go:build unix

package export

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// childVariable holds the folder in which a child process of the test binary writes until it is killed.
const childVariable = "TRACKGEN_TEST_WRITER"

// TestUnfinishedWriter is the process that other tests kill. Without childVariable it does nothing.
func TestUnfinishedWriter(t *testing.T) {
	folder := os.Getenv(childVariable)
	if folder == "" {
		return
	}
	file, err := CreateAtomic(filepath.Join(folder, "file"))
	require.NoError(t, err)
	_, err = io.WriteString(file, "half")
	require.NoError(t, err)
	b := sampleBatch()
	npz, err := NewNPZWriter(filepath.Join(folder, "tracks.npz"), ShapeOf(b), sampleMetadata())
	require.NoError(t, err)
	require.NoError(t, npz.Append(context.Background(), slice(b, 0, 3)))
	several, err := CreateAtomicFolder(filepath.Join(folder, "several"))
	require.NoError(t, err)
	require.NoError(t, several.WriteFile("a/b", writeText))
	_, err = os.Stdout.WriteString("ready\n")
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, os.Stdin) // ends when the parent process ends
	require.NoError(t, err)
	runtime.KeepAlive([]any{file, npz, several})
}

// startWriter starts a process that writes two files and a folder, and returns while it is writing them.
func startWriter(t *testing.T, folder string) (kill func()) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestUnfinishedWriter$")
	child.Env = append(os.Environ(), childVariable+"="+folder)
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	require.NoError(t, err)
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	var once sync.Once
	kill = func() {
		once.Do(func() {
			assert.NoError(t, child.Process.Kill()) // SIGKILL
			_ = child.Wait()                        // returns an error, because the process was killed
			_ = stdin.Close()
		})
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return kill
}

// temporaries counts the temporary files and folders in a folder.
func temporaries(t *testing.T, folder string) (count int) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), temporaryPrefix) {
			count++
		}
	}
	return count
}

// What a killed process leaves is removed when the next file or folder is created there. The files of a live process
// stay.
func TestLeftoversOfAKilledProcess(t *testing.T) {
	for name, write := range map[string]func(folder string) error{
		"file":         func(folder string) error { return WriteFile(filepath.Join(folder, "new"), writeText) },
		"probe":        func(folder string) error { return Probe(filepath.Join(folder, "new")) },
		"folder probe": func(folder string) error { return ProbeFolder(filepath.Join(folder, "new")) },
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			const each = 4 // a file, an archive with its spool, and a folder
			kill := startWriter(t, folder)
			startWriter(t, folder)
			mine, err := CreateAtomic(filepath.Join(folder, "mine"))
			require.NoError(t, err)
			mySeveral, err := CreateAtomicFolder(filepath.Join(folder, "mine too"))
			require.NoError(t, err)
			require.NoError(t, mySeveral.WriteFile("a", writeText))
			require.NoError(t, write(folder))
			require.Equal(t, 2*each+2, temporaries(t, folder), "all are alive")

			kill()
			require.NoError(t, write(folder))
			require.Equal(t, each+2, temporaries(t, folder), "one is dead")
			require.NoError(t, writeText(mine))
			require.NoError(t, mine.Commit())
			require.NoError(t, mySeveral.WriteFile("b", writeText))
			require.NoError(t, mySeveral.Commit())
			require.Equal(t, "text", string(readFile(t, filepath.Join(folder, "mine"))))
			requireFiles(t, filepath.Join(folder, "mine too"), "a", "b")
			require.Equal(t, each, temporaries(t, folder))
		})
	}
}

// Only files and folders that are certainly leftovers of this package are removed.
func TestWhatIsNoLeftoverStays(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	random := strings.Repeat("A", 26)
	keep := []string{
		".trackgen-notes.tmp", ".trackgen-" + random + ".tmp.bak", ".trackgen-" + strings.Repeat("a", 26) + ".tmp",
		"trackgen-" + random + ".tmp", ".trackgen-" + random + "tmp", ".trackgen-.tmp",
	}
	for _, name := range keep {
		require.NoError(t, os.WriteFile(at(name), nil, 0o600))
	}
	link, unlocked := ".trackgen-"+strings.Repeat("B", 26)+".tmp", ".trackgen-"+strings.Repeat("C", 26)+".tmp"
	require.NoError(t, os.Symlink(keep[0], at(link)))
	require.NoError(t, os.MkdirAll(at(unlocked+"/content"), 0o700))
	keep = append(keep, link, unlocked)

	dead := ".trackgen-" + strings.Repeat("D", 26) + ".tmp"
	require.NoError(t, os.WriteFile(at(dead), nil, 0o600))
	// The process of this folder was killed before it created the lock.
	require.NoError(t, os.Mkdir(at(".trackgen-"+strings.Repeat("E", 26)+".tmp"), 0o700))
	require.NoError(t, Probe(at("new")))
	requireFiles(t, folder, keep...)
}

// Where the file system refuses locks, files are still written, and leftovers stay.
func TestWritingWithoutLocks(t *testing.T) {
	t.Cleanup(func() { lockFile = openLocked })
	denied := &fs.PathError{Op: "open", Err: syscall.EACCES}
	for _, refusal := range []error{syscall.ENOLCK, syscall.ENOTSUP, errors.ErrUnsupported, denied} {
		folder := t.TempDir()
		dead := temporaryPrefix + strings.Repeat("D", 26) + temporarySuffix
		require.NoError(t, os.WriteFile(filepath.Join(folder, dead), nil, 0o600))
		lockFile = func(string) (*os.File, error) { return nil, refusal }
		require.NoError(t, WriteFile(filepath.Join(folder, "file"), writeText))
		several, err := CreateAtomicFolder(filepath.Join(folder, "several"))
		require.NoError(t, err)
		require.NoError(t, several.Commit())
		requireFiles(t, folder, dead, "file", "several")
	}
}

// If a file cannot be opened for locking for a reason other than permissions, that does not mean that locks are
// missing.
func TestTooManyOpenFilesForTheLock(t *testing.T) {
	t.Cleanup(func() { lockFile = openLocked })
	lockFile = func(path string) (*os.File, error) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EMFILE}
	}
	folder := t.TempDir()
	require.ErrorIs(t, Probe(filepath.Join(folder, "file")), syscall.EMFILE)
	require.ErrorIs(t, ProbeFolder(filepath.Join(folder, "several")), syscall.EMFILE)
	requireFiles(t, folder)
}

// If another process removes a file as a leftover before it is locked, it is created again.
func TestTemporaryRemovedBeforeItIsLocked(t *testing.T) {
	for name, create := range map[string]func(string) (temporary, error){"file": newFile, "folder": newFolder} {
		for how, interfere := range map[string]func(t *testing.T, made temporary){
			"removed": func(t *testing.T, made temporary) {
				removeDeadFile(made.path)
				removeDeadFolder(made.path)
			},
			"about to be removed": func(t *testing.T, made temporary) {
				lock, err := openLocked(made.lockPath())
				require.NoError(t, err)
				t.Cleanup(func() { release(lock) })
			},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				folder := t.TempDir()
				attempts := 0
				made, err := makeTemporary(folder, func(path string) (temporary, error) {
					made, err := create(path)
					if attempts++; attempts < 3 && err == nil {
						interfere(t, made)
					}
					return made, err
				})
				require.NoError(t, err)
				require.Equal(t, 3, attempts)
				require.NotNil(t, made.lock)
				requireFiles(t, folder, filepath.Base(made.path))
				require.NoError(t, made.remove())
				requireFiles(t, folder)
			})
		}
	}
}

// Many writers and cleaners run at once, in processes and goroutines, and every file gets its name.
func TestWritersAndCleanersAtOnce(t *testing.T) {
	folder := t.TempDir()
	kill := startWriter(t, folder)
	const writers, files = 8, 40
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range files {
				name := filepath.Join(folder, string(rune('a'+w)))
				if i%2 == 0 {
					assert.NoError(t, WriteFile(name, writeText))
				} else if several, err := CreateAtomicFolder(name + "-" + string(rune('A'+i))); assert.NoError(t, err) {
					assert.NoError(t, several.WriteFile("b", writeText))
					assert.NoError(t, several.Commit())
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, 4, temporaries(t, folder), "those of the live process")
	kill()
	removeDeadAll(t, folder)
	require.Zero(t, temporaries(t, folder))
}

// removeDeadAll looks for leftovers even if a large folder was searched recently.
func removeDeadAll(t *testing.T, folder string) {
	t.Helper()
	for !isDue(folder) {
	}
	removeLeftovers(folder)
}

// A process that creates many files in a large folder does not search it for each of them.
func TestLeftoversOfLargeFolders(t *testing.T) {
	const folder = "a folder that only this test names"
	require.True(t, isDue(folder))
	looked(folder, 63)
	require.True(t, isDue(folder), "small")
	looked(folder, 64*3)
	for range 3 {
		require.False(t, isDue(folder))
	}
	require.True(t, isDue(folder))
}
