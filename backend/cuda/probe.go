//go:build cgo && linux

package cuda

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// controlPTX is the module of the kernels that decide conditional nodes, compiled from control.cu.
//
//go:embed control.ptx
var controlPTX string

// controlEntries are its kernels: for an IF, for a WHILE, and for the end of the body of a WHILE.
var controlEntries = [3]string{"trackgen_set_if", "trackgen_begin_while", "trackgen_next_while"}

// probe loads the control kernels and runs a graph with conditionals and loops (decision D9). If captures do not
// support conditionals, it returns the reason. An error means that the device does not work.
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
	if words != probeResult {
		return false, fmt.Sprintf("conditional nodes gave %v, want %v", words, probeResult), nil
	}
	return true, "", nil
}

// absent separates two kinds of errors. If the driver has no conditionals, it refuses the control kernels, the nodes or
// the captures of bodies; absent then returns the reason. Any other error means that the device does not work.
func absent(err error) (bool, string, error) {
	var failed *Error
	if errors.As(err, &failed) {
		switch failed.Code {
		case codeNotSupported, codeInvalidValue, codeInvalidImage, codeNoBinary, codeInvalidPTX, codeUnsupportedPTX,
			codeInvalidSource,
			codeSymbolNotFound, codeObjectInitFailed, codeIllegalState, codeNotFound:
			return false, "the probe found none: " + failed.Error(), nil
		}
		if failed.Is(backend.ErrCapture) {
			return false, "the probe found none: " + failed.Error(), nil
		}
	}
	return false, "", err
}

func (d *device) loadControl() error {
	const op = "load the kernels of conditionals"
	m, f := d.context.loadModule(controlPTX)
	if err := f.as(d.info.Name, op); err != nil {
		return err
	}
	d.mu.Lock()
	d.loaded = append(d.loaded, m)
	d.mu.Unlock()
	var functions [3]functionHandle
	for i, entry := range controlEntries {
		functions[i], _, f = d.context.function(m, entry)
		if err := f.as(d.info.Name, op); err != nil {
			return err
		}
	}
	d.context.setControl(functions[0], functions[1], functions[2])
	return nil
}

// probeWords is the number of words that the probe's graph works on, and probeResult their values after it has run: the
// flags of two conditionals, 1 and 0; the results of their bodies; the flag of a loop that clears it, and the result of
// its body; the flag of a loop that ends at its limit, and the result of its body.
const probeWords = 8

var probeResult = [probeWords]uint32{1, 0, 7, 0, 0, 7, 1, 7}

// runProbe runs the probe's graph and returns the words.
func (d *device) runProbe() (words [probeWords]uint32, err error) {
	keep := func(closer interface{ Close() error }) { err = errors.Join(err, closer.Close()) }
	b, err := d.Alloc(4 * probeWords)
	if err != nil {
		return words, err
	}
	defer keep(b)
	host, err := d.AllocHost(4 * probeWords)
	if err != nil {
		return words, err
	}
	defer keep(host)
	s, err := d.NewStream()
	if err != nil {
		return words, err
	}
	defer keep(s)
	if err := s.BeginCapture(); err != nil {
		return words, err
	}
	steps := recordProbe(s.(*recorder.Adoptable), b, host)
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

func recordProbe(s *recorder.Adoptable, b backend.Buffer, host backend.HostBuffer) error {
	word := func(i int64) backend.View { return backend.View{Buffer: b, Offset: 4 * i, Bytes: 4} }
	write := func(i int64) func(backend.Stream) error {
		return func(inner backend.Stream) error { return inner.Fill(word(i), 7) }
	}
	return errors.Join(
		s.Fill(word(0), 1),
		s.If(word(0), write(2)),
		s.If(word(1), write(3)),
		s.Fill(word(4), 1),
		s.Repeat(word(4), 1000, func(inner backend.Stream) error {
			return errors.Join(inner.Fill(word(4), 0), inner.Fill(word(5), 7))
		}),
		s.Fill(word(6), 1),
		s.Repeat(word(6), 2, write(7)),
		s.Download(host, 0, backend.View{Buffer: b, Bytes: 4 * probeWords}),
	)
}
