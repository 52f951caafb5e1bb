package place

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join("dir", "below"), 0o755))
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	require.NoError(t, os.Link("file", "hard"))
	for name, target := range map[string]string{
		"link": "dir", "deep": filepath.Join("dir", "below"), "soft": "file", "dangling": filepath.Join("dir", "new"),
		"far": filepath.Join(here, "dangling"), "loop": "loop", filepath.Join("dir", "up"): filepath.Join("..", "file"),
	} {
		if err := os.Symlink(target, name); err != nil {
			t.Skipf("no symbolic links: %v", err)
		}
	}
	for _, group := range [][]string{
		{"file", "./file", "dir/../file", filepath.Join(here, "file"), "hard", "soft"},
		{"file", "dir/up", "link/up", "link//up", "deep/../up"},
		{"new", "./new", filepath.Join(here, "new"), "dir/../new", "link/../new", "missing/../new", "new/", "new/."},
		{"dir/new", "link/new", "deep/../new", "dangling", "far", "dir/./new"},
		{"dir/new/more", "dangling/more", "far/more", "dir/new/./x/../more"},
		{"dir", "link", "dir/", "link/.", "deep/.."},
		{"dir/below", "deep", "link/below"},
	} {
		first, ok := Of(group[0])
		require.True(t, ok, group[0])
		for _, path := range group[1:] {
			other, ok := Of(path)
			require.True(t, ok, path)
			assert.True(t, first.Is(other), "%s is %s", path, group[0])
		}
		for _, different := range []string{"other", "dir/other", "deep/new", "dir/file"} {
			other, ok := Of(different)
			require.True(t, ok, different)
			assert.False(t, first.Is(other), "%s is not %s", different, group[0])
		}
	}
	for _, path := range []string{"loop", "loop/more", "file/more", os.DevNull} {
		_, ok := Of(path)
		assert.False(t, ok, path)
	}
	root, ok := Of("/nowhere/at/all")
	require.True(t, ok)
	assert.Equal(t, filepath.Join("nowhere", "at", "all"), root.rest)
}

func TestMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	deep, ok := Of(filepath.Join("a", "b", "c"))
	require.True(t, ok)
	var missing []string
	for _, folder := range deep.Missing() {
		missing = append(missing, folder.rest)
	}
	assert.Equal(t, []string{filepath.Join("a", "b"), "a"}, missing)
	here, ok := Of(".")
	require.True(t, ok)
	assert.Empty(t, here.Missing())
}

func TestSplit(t *testing.T) {
	for path, want := range map[string][2]string{
		"a": {".", "a"}, "a/b": {"a", "b"}, "a//b//": {"a", "b"}, "a/../b": {"a/..", "b"},
		"/a": {"/", "a"}, "/": {"/", ""}, "..": {".", ".."},
	} {
		folder, name := Split(path)
		assert.Equal(t, want, [2]string{folder, name}, path)
	}
}
