//go:build unix

package export

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAtomicFilePermissionsFollowTheUmask(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	target := filepath.Join(t.TempDir(), "out.txt")
	require.NoError(t, WriteFile(target, func(w io.Writer) error { return nil }))
	info, err := os.Stat(target)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), info.Mode().Perm())
}

func TestUnwritableTargets(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.Mkdir(at("folder"), 0o755))
	require.NoError(t, os.WriteFile(at("file"), nil, 0o600))
	require.NoError(t, os.Symlink("nowhere", at("dangling")))
	require.NoError(t, os.Symlink("loop", at("loop")))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	require.NoError(t, os.Mkdir(at("closed"), 0o555))
	require.NoError(t, os.WriteFile(at("readonly"), nil, 0o444))
	for target, want := range map[string]string{
		"":                           `cannot write "": no file name given`,
		at("folder"):                 "it is a folder",
		at("folder") + "/":           "ends in a path separator",
		at("missing/out.npz"):        `folder "` + at("missing") + `": no such file or directory`,
		at("file/out.npz"):           "not a directory",
		at("dangling"):               "following the symbolic link",
		at("loop"):                   "following the symbolic link",
		at("pipe"):                   "not a regular file",
		"/dev/null":                  "not a regular file",
		at("nul\x00character"):       "invalid argument",
		at(strings.Repeat("n", 256)): "file name too long",
		at("closed/out.npz"):         "permission denied",
		at("readonly"):               "permission denied",
	} {
		if os.Geteuid() == 0 && want == "permission denied" {
			continue // root may access everything
		}
		err := Probe(target)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "cannot write ")
		require.NotContains(t, err.Error(), ".trackgen-", "the temporary file means nothing to the reader")
		_, err = NewNPZWriter(target, Shape{1, 1}, Metadata{})
		require.ErrorContains(t, err, want)
	}
	requireFiles(t, folder, "folder", "file", "dangling", "loop", "pipe", "closed", "readonly")
	require.NoError(t, Probe(at("new")))
	require.NoError(t, Probe(at("file")))
	requireFiles(t, folder, "folder", "file", "dangling", "loop", "pipe", "closed", "readonly")
}

func TestReadNPZDoesNotWaitForAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.npz")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, _, err := ReadNPZ(pipe)
	require.ErrorContains(t, err, "is not a regular file")
}
