// Package images keeps compiled kernels in a directory that several processes may share.
//
// Each image is a file, which is written under another name, synced and renamed, so that nobody sees a part of it. A
// file says what it was made from, and has a checksum. One that is damaged, that was made from something else, or that
// somebody else could have written, is not read; the next Write replaces it.
package images

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Source is what an image is made from. Equal sources give images that can stand for one another.
type Source struct {
	Code     string // the text that was compiled
	Compiler string // the compiler with its version and the options that matter
	Target   string // the processor that the image is for
}

// format is the version of the layout of files: a magic of this length, the hash of the source, the length and the
// SHA-256 of the image, the image.
const format = "trackgen image 1\n"

const headerBytes = len(format) + sha256.Size + 8 + sha256.Size

// MaxImage is the maximum size of an image in bytes. Larger ones are not kept.
const MaxImage = 64 << 20

// Names of files: images by the hash of their source, and those that are being written.
const (
	extension = ".image"
	unnamed   = "new-*"
)

// abandoned is the age at which a file that is being written is taken for the remains of a process that has ended.
const abandoned = time.Hour

// hash returns the SHA-256 of a source. Lengths keep sources apart whose texts together are equal.
func (s Source) hash() [sha256.Size]byte {
	sum := sha256.New()
	for _, part := range []string{format, s.Compiler, s.Target, s.Code} {
		_ = binary.Write(sum, binary.LittleEndian, uint64(len(part))) // a hash accepts everything
		_, _ = io.WriteString(sum, part)
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// Cache is a directory of images. Its methods may be called from any goroutine.
type Cache struct {
	directory string
	limit     int64

	mu   sync.Mutex
	used int64 // bytes of the images, as far as this process knows; negative: not counted yet
}

// Open makes a directory that only its user may read. limit is the maximum size of all images, in bytes. An error means
// that images cannot be written there; Read works all the same.
func Open(directory string, limit int64) (*Cache, error) {
	c := &Cache{directory: directory, limit: limit, used: -1}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return c, fmt.Errorf("making the directory for compiled kernels: %w", err)
	}
	file, err := os.CreateTemp(directory, unnamed)
	if err != nil {
		return c, fmt.Errorf("writing compiled kernels: %w", err)
	}
	return c, errors.Join(file.Close(), os.Remove(file.Name()))
}

func (c *Cache) path(source Source) string {
	hash := source.hash()
	return filepath.Join(c.directory, hex.EncodeToString(hash[:])+extension)
}

// Read returns the image of a source, and whether there is one that can be trusted.
func (c *Cache) Read(source Source) (image string, ok bool) {
	path := c.path(source)
	file, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer func() { _ = file.Close() }() // nothing was written
	about, err := file.Stat()
	if err != nil || !trusted(about) || about.Size() < int64(headerBytes) || about.Size() > MaxImage+int64(headerBytes) {
		return "", false
	}
	content, err := io.ReadAll(io.LimitReader(file, about.Size()))
	if err != nil {
		return "", false
	}
	if image, ok = unpack(source, content); ok {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // evicted later; in a directory of others this fails
	}
	return image, ok
}

// pack returns the content of the file of an image.
func pack(source Source, image string) []byte {
	hash, sum := source.hash(), sha256.Sum256([]byte(image))
	content := make([]byte, 0, headerBytes+len(image))
	content = append(content, format...)
	content = append(content, hash[:]...)
	content = binary.LittleEndian.AppendUint64(content, uint64(len(image)))
	content = append(content, sum[:]...)
	return append(content, image...)
}

// unpack returns the image in the content of a file.
func unpack(source Source, content []byte) (string, bool) {
	if len(content) < headerBytes {
		return "", false
	}
	image := string(content[headerBytes:])
	if !bytes.Equal(content, pack(source, image)) {
		return "", false
	}
	return image, true
}

// Write keeps the image of a source. It removes the images that were not used for the longest time if there are too
// many.
func (c *Cache) Write(source Source, image string) error {
	if len(image) > MaxImage {
		return fmt.Errorf("writing a compiled kernel: it has %d bytes, at most %d are kept", len(image), MaxImage)
	}
	content := pack(source, image)
	if err := c.write(c.path(source), content); err != nil {
		return fmt.Errorf("writing a compiled kernel: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used >= 0 {
		c.used += int64(len(content))
	}
	if c.used < 0 || c.used > c.limit {
		c.evict()
	}
	return nil
}

func (c *Cache) write(path string, content []byte) (err error) {
	file, err := os.CreateTemp(c.directory, unnamed) // only its user may read and write it
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Remove removes the image of a source, so that nobody reads it again. One that cannot be removed is left.
func (c *Cache) Remove(source Source) { _ = os.Remove(c.path(source)) }

// evict counts the images and, if they are too large together, removes the oldest until three quarters of the limit are
// left, so that this is rare. It also removes what processes that ended have left unfinished. What other processes
// remove at the same time is gone in any case. The caller holds c.mu.
func (c *Cache) evict() {
	c.used = 0
	entries, err := os.ReadDir(c.directory)
	if err != nil {
		return
	}
	var images []fs.FileInfo
	for _, entry := range entries {
		about, err := entry.Info()
		switch {
		case err != nil || !about.Mode().IsRegular():
		case strings.HasSuffix(about.Name(), extension):
			images = append(images, about)
			c.used += about.Size()
		case strings.HasPrefix(about.Name(), strings.TrimSuffix(unnamed, "*")) && time.Since(about.ModTime()) > abandoned:
			_ = os.Remove(filepath.Join(c.directory, about.Name()))
		}
	}
	if c.used <= c.limit {
		return
	}
	slices.SortFunc(images, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, about := range images {
		if c.used <= c.limit/4*3 {
			return
		}
		if os.Remove(filepath.Join(c.directory, about.Name())) == nil {
			c.used -= about.Size()
		}
	}
}
