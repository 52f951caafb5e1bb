//go:build cgo && linux

package cuda

import (
	_ "embed"
	"encoding/binary"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
)

// controlPTX is the module with the kernel that decides a conditional node, made from control.cu.
//
//go:embed control.ptx
var controlPTX string

const controlEntry = "trackgen_set_if"

// probe loads the control kernel and runs a graph with two conditionals, one taken and one not (decision D9). It returns
// why captures hold no conditionals, if they do not; an error is a device that does not work.
func (d *device) probe(s settings) (supported bool, reason string, err error) {
	switch {
	case !s.conditionals:
		return false, "turned off by " + conditionalsVariable, nil
	case d.version < conditionalVersion:
		return false, "the driver is older than CUDA " + versionText(conditionalVersion), nil
	}
	if err := d.loadControl(); err != nil {
		return absent(err)
	}
	d.conditionals = true // for the graph of the probe
	words, err := d.runProbe()
	d.conditionals = false
	if err != nil {
		return absent(err)
	}
	if words != [4]uint32{1, 0, 7, 0} {
		return false, "a conditional node took the wrong branch", nil
	}
	return true, "", nil
}

// absent tells the errors of a driver without conditionals from those of a device that does not work.
func absent(err error) (bool, string, error) {
	var failed *Error
	if errors.As(err, &failed) {
		switch failed.Code {
		case codeNotSupported, codeInvalidValue, codeInvalidPTX, codeNotFound:
			return false, "the probe found none: " + failed.Error(), nil
		}
	}
	return false, "", err
}

func (d *device) loadControl() error {
	const op = "load the kernel of conditionals"
	m, f := d.context.loadModule(controlPTX)
	if err := f.as(d.info.Name, op); err != nil {
		return err
	}
	d.mu.Lock()
	d.loaded = append(d.loaded, m)
	d.mu.Unlock()
	fn, _, f := d.context.function(m, controlEntry)
	if err := f.as(d.info.Name, op); err != nil {
		return err
	}
	d.context.setIf(fn)
	return nil
}

// runProbe returns {flag taken, flag not taken, word of the first body, word of the second} after one replay.
func (d *device) runProbe() (words [4]uint32, err error) {
	keep := func(closer interface{ Close() error }) { err = errors.Join(err, closer.Close()) }
	b, err := d.Alloc(16)
	if err != nil {
		return words, err
	}
	defer keep(b)
	host, err := d.AllocHost(16)
	if err != nil {
		return words, err
	}
	defer keep(host)
	s, err := d.NewStream()
	if err != nil {
		return words, err
	}
	defer keep(s)
	word := func(i int64) backend.View { return backend.View{Buffer: b, Offset: 4 * i, Bytes: 4} }
	if err := s.BeginCapture(); err != nil {
		return words, err
	}
	steps := s.Fill(word(0), 1)
	for i := range int64(2) {
		steps = errors.Join(steps, s.If(word(i), func(inner backend.Stream) error { return inner.Fill(word(2+i), 7) }))
	}
	steps = errors.Join(steps, s.Download(host, 0, backend.View{Buffer: b, Bytes: 16}))
	g, err := s.EndCapture()
	if err != nil {
		return words, errors.Join(steps, err)
	}
	defer keep(g)
	if steps != nil {
		return words, steps
	}
	if err := errors.Join(s.Replay(g), s.Sync()); err != nil {
		return words, err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(host.Bytes()[4*i:])
	}
	return words, nil
}
