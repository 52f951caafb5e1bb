//go:build cgo && linux

package cuda

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
)

// links is a function that is called once for each kernel that is compiled for the cache.
const links = "cuLinkComplete"

// cacheIn turns the cache on for a test.
func cacheIn(t *testing.T, directory string) { t.Setenv(cacheVariable, directory) }

// imageFiles lists the images of a cache.
func imageFiles(t *testing.T, directory string) []string {
	files, err := filepath.Glob(filepath.Join(directory, "*.image"))
	require.NoError(t, err)
	return files
}

// useOnce opens a device, runs a kernel and closes it.
func useOnce(t *testing.T, options ...backend.Option) {
	d := openDevice(t, options...)
	x := view(t, d, 10)
	require.NoError(t, increment(d.DefaultStream(), x))
	require.Equal(t, int32(1), get(t, d, x))
	require.NoError(t, errors.Join(x.Buffer.Close(), d.Close()))
}

// What was compiled once is read by the next device, of each version of the driver.
func TestCache(t *testing.T) {
	for _, version := range versions {
		e := start(t, version, 1)
		directory := filepath.Join(t.TempDir(), "cache")
		cacheIn(t, directory)
		useOnce(t)
		require.Equal(t, 1, e.Calls(links))
		require.Len(t, imageFiles(t, directory), 1)
		useOnce(t)
		require.Equal(t, 1, e.Calls(links))

		d := openTest(t)
		require.NoError(t, d.Load(kernels.Defs...))
		require.Equal(t, len(kernels.Defs), e.Calls(links))
		d.compiler.keeping.Wait()
		require.Len(t, imageFiles(t, directory), len(kernels.Defs))
	}
}

// The directory is that of the environment, else that of the option. Without one there is no cache, because the
// linker's code may be slower.
func TestCacheDirectory(t *testing.T) {
	e := start(t, 12080, 1)
	environment, option := t.TempDir(), t.TempDir()
	count := func() [2]int { return [2]int{len(imageFiles(t, environment)), len(imageFiles(t, option))} }
	cacheIn(t, backend.CacheOff)
	useOnce(t, backend.CacheDirectory(option))
	require.Equal(t, [2]int{0, 0}, count())
	cacheIn(t, environment)
	useOnce(t, backend.CacheDirectory(option))
	require.Equal(t, [2]int{1, 0}, count())
	cacheIn(t, "")
	useOnce(t, backend.CacheDirectory(option))
	require.Equal(t, [2]int{1, 1}, count())
	useOnce(t, backend.CacheDirectory(backend.CacheOff))
	useOnce(t)
	require.Equal(t, [2]int{1, 1}, count())
	require.Equal(t, 2, e.Calls(links))
}

// Kernels are compiled again for another version of the driver, another file of it, and another GPU.
func TestCacheOfAnotherDriver(t *testing.T) {
	directory := t.TempDir()
	for i, version := range []int{12040, 12080, 13000} {
		e := start(t, version, 1)
		cacheIn(t, directory)
		useOnce(t)
		require.Equal(t, 1, e.Calls(links))
		require.Len(t, imageFiles(t, directory), 2*i+1)
		e.SetAttribute(attributeMajor, 9)
		useOnce(t)
		require.Equal(t, 2, e.Calls(links))
	}
	e := start(t, 13000, 1)
	cacheIn(t, directory)
	file, err := os.OpenFile(e.Path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString("an update")
	require.NoError(t, errors.Join(err, file.Close()))
	useOnce(t)
	require.Equal(t, 1, e.Calls(links))
}

// An image that is damaged, or that the driver refuses, is replaced.
func TestCacheIsNotTrusted(t *testing.T) {
	e := start(t, 12080, 1)
	directory := t.TempDir()
	cacheIn(t, directory)
	useOnce(t)
	path := imageFiles(t, directory)[0]
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)/2], 0o600))
	useOnce(t)
	require.Equal(t, 2, e.Calls(links))
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, whole, now)

	// An image of another GPU under the right name and with the right checksum: the driver refuses it.
	d := openDevice(t)
	from := d.cache.source(strings.Repeat("x", 10))
	image, found := d.cache.Read(from)
	require.False(t, found)
	require.Empty(t, image)
	require.NoError(t, d.cache.Write(from, "\x7fELF of something else\n"))
	m, keep := d.loadCached(from.Code)
	require.Zero(t, m)
	require.Nil(t, keep, "it is no PTX either")
	_, found = d.cache.Read(from)
	require.False(t, found, "it is gone")
	require.NoError(t, d.Close())
}

// A directory that cannot be written to is a warning, and everything works.
func TestCacheThatCannotBeWritten(t *testing.T) {
	e := start(t, 12080, 1)
	inTheWay := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o600))
	cacheIn(t, filepath.Join(inTheWay, "cache"))
	var warnings []backend.Warning
	useOnce(t, backend.Warnings(func(w backend.Warning) { warnings = append(warnings, w) }))
	require.Len(t, warnings, 1)
	warning := warnings[0].(CacheWarning)
	require.Equal(t, "cuda:0", warning.Device)
	require.Equal(t, filepath.Join(inTheWay, "cache"), warning.Directory)
	require.Error(t, warning.Err)
	for _, text := range []string{inTheWay, "cuda:0", cacheVariable} {
		require.Contains(t, warning.Warning(), text)
	}
	require.Zero(t, e.Calls(links), "nobody could use it")
}

// If a call of the linker fails, the compiler does its work, and the linker is not tried again. A mistake in the text
// is reported as without a cache.
func TestLinkerFails(t *testing.T) {
	for _, call := range []string{"cuLinkCreate", "cuLinkAddData", links, "cuLinkDestroy"} {
		e := start(t, 12080, 1)
		directory := t.TempDir()
		cacheIn(t, directory)
		d := openTest(t)
		e.FailNext(call, 999)
		require.NoError(t, d.Prepare(incrementDef), call)
		require.Equal(t, call, e.Failed())
		require.True(t, d.cache.broken.Load())
		require.Empty(t, imageFiles(t, directory))
		before := e.Calls("cuLinkCreate")
		require.NoError(t, d.Load(kernels.Defs...))
		require.Equal(t, before, e.Calls("cuLinkCreate"))
	}
	e := start(t, 12080, 1)
	cacheIn(t, t.TempDir())
	d := openTest(t)
	bad := *incrementDef
	module := *bad.Module
	module.PTX = strings.Replace(module.PTX, ".version", ".vrsion", 1)
	bad.Module = &module
	require.ErrorContains(t, d.Load(&bad), "ptxas fatal")
	require.False(t, d.cache.broken.Load(), "the linker is not to blame")
	require.NoError(t, d.Load(incrementDef))
	require.Equal(t, 1, e.Calls(links))
}

// Devices that load the same kernels at once, as several processes do, share a directory.
func TestCacheIsShared(t *testing.T) {
	start(t, 12080, 1)
	directory := t.TempDir()
	cacheIn(t, directory)
	failures := make(chan error)
	for range 4 {
		go func() {
			d, err := backend.Open("cuda:0")
			if err == nil {
				err = errors.Join(d.Load(kernels.Defs...), d.Close())
			}
			failures <- err
		}()
	}
	for range 4 {
		require.NoError(t, <-failures)
	}
	require.Len(t, imageFiles(t, directory), len(kernels.Defs))
	others, err := filepath.Glob(filepath.Join(directory, "new-*"))
	require.NoError(t, err)
	require.Empty(t, others)
}
