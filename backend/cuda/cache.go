//go:build cgo && linux

package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/internal/images"
)

// cacheBytes is the maximum size of all images of a cache. All kernels of this module take about 4 MB for a kind of GPU
// and a version of the driver.
const cacheBytes = 128 << 20

// cache keeps what the driver compiled between processes. The driver has a cache of its own, and its linker, from which
// ours gets the code, may make slower code: docs/design/cuda.md says when ours is worth it. It is off unless asked for.
type cache struct {
	*images.Cache
	compiler, target string
	writable         bool
	broken           atomic.Bool // the linker fails where the compiler does not
}

// CacheWarning says that compiled kernels cannot be kept, so that the next process compiles them again. Open issues it.
type CacheWarning struct {
	Device    string // its name, such as "cuda:0"
	Directory string
	Err       error
}

// Warning says what to do about it.
func (w CacheWarning) Warning() string {
	return fmt.Sprintf("%s: kernels that are compiled cannot be kept in %s: %v; %s names another directory, or is off",
		w.Device, w.Directory, w.Err, cacheVariable)
}

// openCache returns the cache of a device, nil if there is none.
func openCache(d *device, about description, options backend.Options, s settings) *cache {
	directory := s.cache
	if directory == "" {
		directory = options.CacheDirectory
	}
	if directory == "" || directory == backend.CacheOff || !d.context.links() {
		return nil
	}
	kept, err := images.Open(directory, cacheBytes)
	if err != nil {
		options.Issue(CacheWarning{Device: d.info.Name, Directory: directory, Err: err})
	}
	return &cache{
		Cache:    kept,
		compiler: fmt.Sprintf("linker of CUDA %s, %s, default options", versionText(d.version), d.library.build()),
		target:   fmt.Sprintf("sm_%d%d", about.major, about.minor),
		writable: err == nil,
	}
}

// source returns what identifies the image of a text.
func (c *cache) source(code string) images.Source {
	return images.Source{Code: code, Compiler: c.compiler, Target: c.target}
}

// loadCached loads the image of a text, from the cache or by the driver's linker, which gives an image that can be
// kept, unlike its compiler. It returns no module if there is no cache, or if anything fails: then the compiler
// decides, and says what is wrong. keep keeps a new image.
func (d *device) loadCached(code string) (m moduleHandle, keep func()) {
	c := d.cache
	if c == nil {
		return 0, nil
	}
	from := c.source(code)
	if image, ok := c.Read(from); ok {
		m, f := d.context.loadModule(image)
		if !f.failed() {
			return m, nil
		}
		if c.writable && refusesImage(f.code) {
			c.Remove(from)
		}
	}
	if !c.writable || c.broken.Load() {
		return 0, nil
	}
	image, f := d.context.link(code)
	if !f.failed() {
		m, f = d.context.loadModule(image)
	}
	if f.failed() {
		return 0, nil
	}
	return m, func() {
		_ = c.Write(from, image) // costs time only: the next process compiles the kernel again
	}
}

// giveUp is called when the compiler did what the linker did not, so that later kernels do not try the linker first.
func (c *cache) giveUp() {
	if c != nil {
		c.broken.Store(true)
	}
}

// refusesImage returns whether a result of loading an image means that it is of no use, and not that the device is.
func refusesImage(code int) bool {
	switch code {
	case codeInvalidValue, codeInvalidImage, codeNoBinary, codeInvalidPTX, codeUnsupportedPTX, codeInvalidSource:
		return true
	}
	return false
}

// build identifies the driver more closely than its version: libraries that are installed as a whole have the build in
// the name of the file.
func (l *library) build() string {
	path := l.file()
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	about, err := os.Stat(path)
	if err != nil {
		return path
	}
	return fmt.Sprintf("%s of %d bytes", filepath.Base(path), about.Size())
}
