package dataset_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/dataset"
	"github.com/trackgen-go/trackgen/track"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, options ...backend.Option) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// small returns a plan of 100 tracks in shards of 30.
func small() dataset.Plan {
	config := track.DefaultConfig()
	config.Generator, config.Road.HalfWidth = "hull", 0.2 // some of its tracks are not valid
	return dataset.Plan{Config: config, First: 7, Tracks: 100, Epoch: 2, ShardTracks: 30}
}

// memory is a store in memory that can fail.
type memory struct {
	mutex   sync.Mutex
	objects map[string][]byte
	created int
	fail    func(name string, created int) error // of Create
	write   func(name string) error              // of Write
}

func newMemory() *memory { return &memory{objects: map[string][]byte{}} }

func (m *memory) Create(_ context.Context, name string) (dataset.Object, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.created++
	if m.fail != nil {
		if err := m.fail(name, m.created); err != nil {
			return nil, err
		}
	}
	return &memoryObject{store: m, name: name}, nil
}

func (m *memory) Open(_ context.Context, name string) (io.ReadCloser, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	text, ok := m.objects[name]
	if !ok {
		return nil, os.ErrNotExist
	}
	return io.NopCloser(newReader(text)), nil
}

func (m *memory) Where(name string) string { return "memory:" + name }

func (m *memory) copy() map[string]string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	result := map[string]string{}
	for name, text := range m.objects {
		result[name] = string(text)
	}
	return result
}

type memoryObject struct {
	store *memory
	name  string
	text  []byte
	done  bool
}

func (o *memoryObject) Write(p []byte) (int, error) {
	o.store.mutex.Lock()
	defer o.store.mutex.Unlock()
	if o.store.write != nil {
		if err := o.store.write(o.name); err != nil {
			return 0, err
		}
	}
	o.text = append(o.text, p...)
	return len(p), nil
}

func (o *memoryObject) Commit() error {
	if o.done {
		return errors.New("committed or aborted before")
	}
	o.done = true
	o.store.mutex.Lock()
	defer o.store.mutex.Unlock()
	o.store.objects[o.name] = o.text
	return nil
}

func (o *memoryObject) Abort() error {
	o.done = true
	return nil
}

type byteReader struct{ rest []byte }

func newReader(text []byte) *byteReader { return &byteReader{text} }

func (r *byteReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// files returns the contents of a folder by name.
func files(t testing.TB, folder string) map[string]string {
	t.Helper()
	result := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		result[filepath.ToSlash(name)] = string(text)
		return err
	}))
	return result
}
