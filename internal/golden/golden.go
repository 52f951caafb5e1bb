// Package golden reads the output of the reference system in tests. The files lie beside the checkout and are not part
// of it.
package golden

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
)

// Open opens a file until the test ends. Without the files the test is skipped.
func Open(tb testing.TB, name string) *npz.Reader {
	tb.Helper()
	path := filepath.Join(checkout(tb), "..", "shared", "data", "golden", name)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("NOT TESTED, the golden data is not beside this checkout: %v", err)
	}
	file, err := npz.Open(path)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	tb.Cleanup(func() {
		if err := file.Close(); err != nil {
			tb.Errorf("%s: %v", name, err)
		}
	})
	return file
}

// checkout returns the folder of the module. A test runs in the folder of its package.
func checkout(tb testing.TB) string {
	tb.Helper()
	folder, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			tb.Fatal("the test does not run in a module")
		}
		folder = parent
	}
}

// Array reads an array of a file.
func Array[T int32 | float32](tb testing.TB, file *npz.Reader, name string) (values []T) {
	tb.Helper()
	if err := file.Read(name+".npy", &values); err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return values
}

// field is a field of a configuration.
type field[C any] interface{ Set(c *C, value any) error }

// Configure sets the fields that a configuration of the reference system, as JSON, names. find are the ways to find a
// field by its name there, tried in order.
func Configure[C any, F field[C]](tb testing.TB, c *C, text string, find ...func(name string) (F, bool)) {
	tb.Helper()
	var settings map[string]any
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		tb.Fatal(err)
	}
	for name, value := range settings {
		if err := set(c, name, value, find); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
	}
}

func set[C any, F field[C]](c *C, name string, value any, find []func(name string) (F, bool)) error {
	for _, by := range find {
		if f, ok := by(name); ok {
			return f.Set(c, value)
		}
	}
	return os.ErrNotExist
}
