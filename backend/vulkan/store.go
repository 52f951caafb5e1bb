//go:build cgo && (linux || darwin)

package vulkan

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
)

// store keeps compiled pipelines and findings of the probe between processes, in a directory that may be deleted at any
// time. The file names contain a hash of the device, the driver, the execution modes and the shaders. A file that
// cannot be read or written, or that is damaged, is treated as missing.
type store struct {
	directory string // empty if there is none
	device    string // key of the device, the driver and the execution modes
	saved     []byte // content of the file of pipelines
}

// maxStored is the maximum size in bytes of a file that is read.
const maxStored = 64 << 20

func newStore(directory string, d *description, controls floatControls) store {
	h := sha256.New()
	h.Write(d.deviceUUID[:])
	h.Write(d.driverUUID[:])
	h.Write(d.properties.PipelineCacheUUID[:])
	for _, n := range []uint32{d.properties.VendorID, d.properties.DeviceID, d.properties.DriverVersion,
		d.properties.ApiVersion} {
		_ = binary.Write(h, binary.LittleEndian, n) // a hash never returns an error
	}
	h.Write(controls.key())
	return store{directory: directory, device: hex.EncodeToString(h.Sum(nil)[:12])}
}

// path returns the name of a file, empty if there is no directory.
func (s *store) path(kind string) string {
	if s.directory == "" {
		return ""
	}
	return filepath.Join(s.directory, s.device+"-"+kind)
}

// read returns what write has written, nil if there is no valid file.
func (s *store) read(kind string) []byte {
	path := s.path(kind)
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err != nil || info.Size() > maxStored {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil || len(content) < sha256.Size {
		return nil
	}
	sum, data := content[:sha256.Size], content[sha256.Size:]
	if own := sha256.Sum256(data); !bytes.Equal(sum, own[:]) {
		return nil
	}
	return data
}

// write replaces a file atomically, so that a reader sees either the old or the new one.
func (s *store) write(kind string, data []byte) {
	path := s.path(kind)
	if path == "" || os.MkdirAll(s.directory, 0o755) != nil {
		return
	}
	file, err := os.CreateTemp(s.directory, "new-*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(data)
	_, err = file.Write(append(sum[:], data...))
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // losing the file costs only time
	}
}

// pipelines returns the stored pipelines of the driver.
func (s *store) pipelines() []byte {
	s.saved = s.read("pipelines")
	return s.saved
}

// savePipelines stores the pipelines of the driver if they have changed.
func (s *store) savePipelines(data []byte) {
	if len(data) > 0 && !bytes.Equal(data, s.saved) {
		s.write("pipelines", data)
	}
}

// findingVersion changes with what a finding says about the same results.
const findingVersion = 2

// findingKind names the finding of this version of the probe.
func findingKind() string {
	sum := sha256.Sum256(append([]byte{findingVersion}, probeCode...))
	return "floats-" + hex.EncodeToString(sum[:6])
}

// finding returns the stored result of the probe.
func (s *store) finding() (finding, bool) {
	var f finding
	data := s.read(findingKind())
	if data == nil || json.Unmarshal(data, &f) != nil {
		return finding{}, false
	}
	return f, true
}

func (s *store) saveFinding(f finding) {
	if data, err := json.Marshal(f); err == nil {
		s.write(findingKind(), data)
	}
}
