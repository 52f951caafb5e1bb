//go:build unix

package dataset_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/dataset"
)

// What is no file in the place of one is refused: a link is not followed out of the folder, and a named pipe is not
// waited for.
func TestFoldersWithOtherThings(t *testing.T) {
	device := open(t)
	for _, name := range []string{"_plan.json", "_records/00001.json", "tracks-00001-of-00004.parquet", "manifest.json"} {
		for want, put := range map[string]func(path string) error{
			"a folder":        func(path string) error { return os.Mkdir(path, 0o755) },
			"a named pipe":    func(path string) error { return syscall.Mkfifo(path, 0o644) },
			"a symbolic link": func(path string) error { return os.Symlink("../outside", path) },
		} {
			folder := filepath.Join(t.TempDir(), "set")
			store, err := dataset.Folder(folder)
			require.NoError(t, err)
			require.NoError(t, put(filepath.Join(folder, name)), name)
			_, err = dataset.Make(t.Context(), run(device, store))
			require.ErrorContains(t, err, name+" is "+want+": must be a file of the data set, or nothing: remove it")
			for _, outside := range []string{"../outside", "outside"} {
				assert.NoFileExists(t, filepath.Join(folder, outside))
			}
			require.NoError(t, os.Remove(filepath.Join(folder, name)))
			_, err = dataset.Make(t.Context(), run(device, store))
			require.NoError(t, err)
		}
	}
}

// A manifest that does not say what the records say is found.
func TestVerifyTheManifest(t *testing.T) {
	device, folder := open(t), t.TempDir()
	store, err := dataset.Folder(folder)
	require.NoError(t, err)
	r := run(device, store)
	_, err = dataset.Make(t.Context(), r)
	require.NoError(t, err)
	verify := func() string {
		v, err := dataset.Verify(t.Context(), r, nil)
		require.NoError(t, err)
		require.Empty(t, v.Findings)
		return v.Manifest
	}
	require.Empty(t, verify())
	path := filepath.Join(folder, "manifest.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, wrong := range []string{
		strings.Replace(string(text), "tracks-00001-of", "../../etc/passwd", 1), "{}", "", string(text) + " ",
		strings.Replace(string(text), `"rows": `, `"rows": 4611686018427387904`, 1),
	} {
		require.NoError(t, os.WriteFile(path, []byte(wrong), 0o600))
		require.Equal(t, "different", verify())
	}
	require.NoError(t, os.Remove(path))
	require.Equal(t, "missing", verify())
	_, err = dataset.Make(t.Context(), r)
	require.NoError(t, err)
	require.Empty(t, verify())
}
