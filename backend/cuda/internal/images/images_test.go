//go:build unix

package images_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend/cuda/internal/images"
)

const limit = 1 << 20

func open(t *testing.T, directory string, limit int64) *images.Cache {
	c, err := images.Open(directory, limit)
	require.NoError(t, err)
	return c
}

func requireImage(t *testing.T, c *images.Cache, s images.Source, want string) {
	t.Helper()
	image, ok := c.Read(s)
	require.True(t, ok)
	require.Equal(t, want, image)
}

func requireNone(t *testing.T, c *images.Cache, s images.Source) {
	t.Helper()
	image, ok := c.Read(s)
	require.False(t, ok)
	require.Empty(t, image)
}

// files lists the files of a directory.
func files(t *testing.T, directory string) (names []string) {
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, filepath.Join(directory, entry.Name()))
	}
	return names
}

var source = images.Source{Code: "code", Compiler: "a 1", Target: "sm_90"}

func TestWriteAndRead(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "made", "for us")
	c := open(t, directory, limit)
	requireNone(t, c, source)
	for _, image := range []string{"\x7fELF\x00 of the first", ""} {
		require.NoError(t, c.Write(source, image))
		requireImage(t, c, source, image)
		requireImage(t, open(t, directory, limit), source, image)
	}
	require.Len(t, files(t, directory), 1, "nothing else is left")
	for _, other := range []images.Source{{"code2", "a 1", "sm_90"}, {"code", "a 2", "sm_90"}, {"code", "a 1", "sm_86"},
		{"code", "a ", "1sm_90"}} {
		requireNone(t, c, other)
	}
	about, err := os.Stat(directory)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), about.Mode().Perm())
	c.Remove(source)
	requireNone(t, c, source)
	require.ErrorContains(t, c.Write(source, strings.Repeat("x", images.MaxImage+1)), "67108865 bytes")
	requireNone(t, c, source)
}

// A file that is damaged in any byte, cut or longer is not read, and the next Write replaces it.
func TestDamage(t *testing.T) {
	directory := t.TempDir()
	c := open(t, directory, limit)
	require.NoError(t, c.Write(source, "the image"))
	path := files(t, directory)[0]
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	damaged := [][]byte{nil, whole[:len(whole)-1], append(bytes.Clone(whole), 0), whole[:20]}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 0x10
		damaged = append(damaged, flipped)
	}
	for _, content := range damaged {
		require.NoError(t, os.WriteFile(path, content, 0o600))
		requireNone(t, c, source)
	}
	require.NoError(t, c.Write(source, "the image"))
	requireImage(t, c, source, "the image")
}

// A file of another source, under the name of this one, is not read.
func TestForeignFile(t *testing.T) {
	directory := t.TempDir()
	c := open(t, directory, limit)
	require.NoError(t, c.Write(source, "mine"))
	mine := files(t, directory)[0]
	other := source
	other.Target = "sm_86"
	require.NoError(t, c.Write(other, "of another GPU"))
	for _, path := range files(t, directory) {
		if path != mine {
			require.NoError(t, os.Rename(path, mine))
		}
	}
	requireNone(t, c, source)
}

// Files that others could have written are not read, nor is anything but a file.
func TestTrust(t *testing.T) {
	directory := t.TempDir()
	c := open(t, directory, limit)
	require.NoError(t, c.Write(source, "mine"))
	path := files(t, directory)[0]
	for _, mode := range []os.FileMode{0o620, 0o602, 0o666} {
		require.NoError(t, os.Chmod(path, mode))
		requireNone(t, c, source)
	}
	require.NoError(t, os.Chmod(path, 0o644))
	requireImage(t, c, source, "mine")
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(path, 12345, 0))
		requireNone(t, c, source)
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	requireNone(t, c, source)
	require.Error(t, c.Write(source, "mine"))
	require.Equal(t, []string{path}, files(t, directory), "what could not be renamed is removed")
}

// If images take more than the limit, those not used for the longest time go, until three quarters are left.
func TestEviction(t *testing.T) {
	directory := t.TempDir()
	c := open(t, directory, 10_000)
	of := func(i int) images.Source { return images.Source{Code: fmt.Sprint(i)} }
	image := strings.Repeat("x", 1000-89) // a file of 1000 bytes
	stale, fresh := filepath.Join(directory, "new-1"), filepath.Join(directory, "new-2")
	for path, age := range map[string]time.Duration{stale: 2 * time.Hour, fresh: time.Minute} {
		require.NoError(t, os.WriteFile(path, []byte("a part"), 0o600))
		then := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, then, then))
	}
	old := time.Now().Add(-24 * time.Hour)
	for i := range 10 {
		before := files(t, directory)
		require.NoError(t, c.Write(of(i), image))
		for _, path := range files(t, directory) {
			if !strings.Contains(strings.Join(before, "\n"), path) {
				about, err := os.Stat(path)
				require.NoError(t, err)
				require.Equal(t, int64(1000), about.Size())
				age := old.Add(time.Duration(i) * time.Minute)
				require.NoError(t, os.Chtimes(path, age, age))
			}
		}
	}
	require.NoFileExists(t, stale)
	require.FileExists(t, fresh)
	requireImage(t, c, of(0), image) // now the youngest
	require.NoError(t, c.Write(of(10), image))
	for i := range 11 {
		if _, ok := c.Read(of(i)); ok != (i == 0 || i > 4) {
			t.Errorf("image %d: kept is %v", i, ok)
		}
	}
}

// Without a directory to write to, Open and Write say so, and what is there can be read.
func TestUnwritable(t *testing.T) {
	parent := t.TempDir()
	inTheWay := filepath.Join(parent, "file")
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o600))
	c, err := images.Open(filepath.Join(inTheWay, "cache"), limit)
	require.ErrorContains(t, err, inTheWay)
	requireNone(t, c, source)
	require.Error(t, c.Write(source, "image"))
	c.Remove(source)
	if os.Geteuid() == 0 {
		t.Log("an administrator can write to a directory without permissions")
		return
	}
	directory := filepath.Join(parent, "cache")
	require.NoError(t, open(t, directory, limit).Write(source, "image"))
	require.NoError(t, os.Chmod(directory, 0o500))
	defer func() { _ = os.Chmod(directory, 0o700) }()
	c, err = images.Open(directory, limit)
	require.ErrorContains(t, err, directory)
	require.Error(t, c.Write(source, "other"))
	requireImage(t, c, source, "image")
}

// Several users of one directory, as several processes are, see whole images only, while others remove them.
func TestSharedDirectory(t *testing.T) {
	directory := t.TempDir()
	var group sync.WaitGroup
	for user := range 4 {
		group.Go(func() {
			c, err := images.Open(directory, 20_000) // evicts all the time
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 100 {
				s := images.Source{Code: fmt.Sprint((i + user) % 10)}
				if image, ok := c.Read(s); ok && image != strings.Repeat(s.Code, 4000) {
					t.Error("a part of an image was read")
				}
				if err := c.Write(s, strings.Repeat(s.Code, 4000)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	var bytes int64
	for _, path := range files(t, directory) {
		about, err := os.Stat(path)
		require.NoError(t, err)
		bytes += about.Size()
	}
	require.LessOrEqual(t, bytes, int64(4*20_000))
}
