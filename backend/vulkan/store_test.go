//go:build cgo && (linux || darwin)

package vulkan

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

func storeIn(t *testing.T) *store {
	s := newStore(filepath.Join(t.TempDir(), "made", "when needed"), &description{}, floatControls{})
	return &s
}

func TestStore(t *testing.T) {
	s := storeIn(t)
	require.Nil(t, s.read("pipelines"))
	s.write("pipelines", []byte("first"))
	s.write("pipelines", []byte("second"))
	require.Equal(t, []byte("second"), s.read("pipelines"))
	require.Nil(t, s.read("floats"))
	files, err := os.ReadDir(s.directory)
	require.NoError(t, err)
	require.Len(t, files, 1, "no temporary file is left")

	other := newStore(s.directory, &description{driverUUID: [16]byte{1}}, floatControls{})
	require.Nil(t, other.read("pipelines"), "another driver")
	modes := newStore(s.directory, &description{}, floatControls{rounding: width32})
	require.Nil(t, modes.read("pipelines"), "other execution modes")
	off := newStore("", &description{}, floatControls{})
	off.write("pipelines", []byte("nowhere"))
	require.Nil(t, off.read("pipelines"))
}

func TestStoreIgnoresDamage(t *testing.T) {
	s := storeIn(t)
	s.write("pipelines", []byte("some compiled pipelines"))
	whole, err := os.ReadFile(s.path("pipelines"))
	require.NoError(t, err)
	for i := range whole {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x40
		require.NoError(t, os.WriteFile(s.path("pipelines"), damaged, 0o600))
		require.Nil(t, s.read("pipelines"))
		require.NoError(t, os.WriteFile(s.path("pipelines"), whole[:i], 0o600))
		require.Nil(t, s.read("pipelines"))
	}
	s.saveFinding(finding{Exact: true})
	_, known := s.finding()
	require.True(t, known)
	s.write(findingKind(), []byte("no JSON"))
	_, known = s.finding()
	require.False(t, known)
	require.NoError(t, os.Remove(s.path("pipelines")))
	require.NoError(t, os.Mkdir(s.path("pipelines"), 0o700))
	require.Nil(t, s.read("pipelines"))
	s.write("pipelines", []byte("over a directory"))
	require.Nil(t, s.read("pipelines"))
}

// Concurrent writers, in this process and in others, leave one complete content.
func TestStoreConcurrentWrites(t *testing.T) {
	s := storeIn(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 50 {
				s.write("pipelines", make([]byte, 1000*i+1))
				require.NotNil(t, s.read("pipelines"))
			}
		})
	}
	group.Wait()
}

// A second device finds what the first has compiled and probed.
func TestStoreOfDevice(t *testing.T) {
	directory := t.TempDir()
	for range 2 {
		d := openTest(t, backend.Options{}, func(s *settings) { s.cache = directory })
		require.NoError(t, d.Load(affineDef))
		require.NoError(t, d.Close())
	}
	d := openTest(t, backend.Options{}, func(s *settings) { s.cache = directory })
	require.NotEmpty(t, d.store.saved)
	f, known := d.store.finding()
	require.True(t, known)
	require.Equal(t, d.exact, f)
	s := d.store
	s.write("pipelines", []byte("not data of this driver"))
	damaged := openTest(t, backend.Options{}, func(s *settings) { s.cache = directory })
	require.NoError(t, damaged.Load(affineDef))
}
