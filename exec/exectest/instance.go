package exectest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
	"github.com/trackgen-go/trackgen/internal/capture"
)

// instance is one build of a stage with its own stream.
type instance struct {
	device  backend.Device
	stage   exec.Stage
	seed    exec.Array[int32]
	slot    *exec.StageSlot
	stream  backend.Stream
	enqueue exec.Enqueue
	closers []io.Closer
	memory  []region
}

// region is device memory allocated by the stage.
type region struct {
	view        backend.View
	bytesPerEnv int64 // 0 if it is not per env
}

func (i *instance) Envs() int               { return i.seed.Len() }
func (i *instance) Device() backend.Device  { return i.device }
func (i *instance) Seed() exec.Array[int32] { return i.seed }
func (i *instance) Slot() *exec.StageSlot   { return i.slot }

func (i *instance) Keep(c io.Closer) {
	i.closers = append(i.closers, c)
	if array, ok := c.(interface{ View() backend.View }); ok {
		i.memory = append(i.memory, region{view: array.View()})
	}
}

func (i *instance) KeepPerEnv(c io.Closer, view backend.View, bytesPerEnv int64) {
	i.closers = append(i.closers, c)
	i.memory = append(i.memory, region{view: view, bytesPerEnv: bytesPerEnv})
}

// with builds the stage on device, passes it to use and releases it.
func (k *kit) with(device backend.Device, use func(i *instance) error) (err error) {
	i := &instance{device: device, stage: k.stage}
	defer func() {
		for n := len(i.closers) - 1; n >= 0; n-- {
			err = errors.Join(err, i.closers[n].Close())
		}
	}()
	if i.seed, err = exec.FromSlice(device, k.seeds); err != nil {
		return err
	}
	i.closers = append(i.closers, i.seed)
	if i.slot, err = exec.NewStageSlot(device, k.stage.ID(), k.stage.Class()); err != nil {
		return err
	}
	i.closers = append(i.closers, i.slot)
	if i.stream, err = device.NewStream(); err != nil {
		return err
	}
	i.closers = append(i.closers, i.stream)
	if i.enqueue, err = k.stage.Build(i); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	if i.enqueue == nil {
		return errors.New("build: the Enqueue is nil")
	}
	return use(i)
}

// emit emits one generation.
func (i *instance) emit(ctx context.Context) error {
	lc, err := exec.For(ctx, i.device, exec.OnStream(i.stream))
	if err != nil {
		return err
	}
	i.slot.Run(lc, i.enqueue)
	return lc.Err()
}

// generate runs one generation and waits for it.
func (i *instance) generate(ctx context.Context) error {
	if err := i.emit(ctx); err != nil {
		return err
	}
	return i.stream.Sync()
}

// capture records one generation into a graph.
func (i *instance) capture(ctx context.Context) (backend.Graph, error) {
	graph, err := capture.Of(i.stream, func() error { return i.emit(ctx) })
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return graph, nil
}

// replay replays a graph and waits for it.
func (i *instance) replay(graph backend.Graph) error {
	if err := i.stream.Replay(graph); err != nil {
		return err
	}
	return i.stream.Sync()
}

// results returns the regions that are compared.
func (i *instance) results() []region {
	var views []backend.View
	if outputs, ok := i.stage.(Outputs); ok {
		views = outputs.Outputs()
	}
	if len(views) == 0 {
		return i.memory
	}
	var list []region
	for _, view := range views {
		r := region{view: view}
		for _, m := range i.memory {
			if m.view == view {
				r = m
			}
		}
		list = append(list, r)
	}
	return list
}

// snapshot returns the bytes of the results.
func (i *instance) snapshot() (snapshot, error) {
	var s snapshot
	for _, r := range i.results() {
		data, err := i.read(r.view)
		if err != nil {
			return nil, fmt.Errorf("reading results: %w", err)
		}
		s = append(s, data)
	}
	return s, nil
}

// read copies device memory and bypasses the instruments.
func (i *instance) read(view backend.View) (data []byte, err error) {
	if view.Bytes == 0 {
		return nil, nil
	}
	device, stream := i.device, i.stream
	if d, ok := device.(*Device); ok {
		device, stream = d.Device, stream.(*instrumentedStream).Stream
	}
	host, err := device.AllocHost(view.Bytes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	if err := errors.Join(stream.Download(host, 0, view), stream.Sync()); err != nil {
		return nil, err
	}
	return bytes.Clone(host.Bytes()), nil
}

// poison sets flags to value, in stream order.
func (i *instance) poison(flags []backend.View, value uint32) error {
	for _, flag := range flags {
		if err := i.stream.Fill(flag, value); err != nil {
			return err
		}
	}
	return i.stream.Sync()
}

// recorded calls run while a recorder lists what the stage emits.
func (i *instance) recorded(run func() error) (*recorder, error) {
	d := i.device.(*Device)
	r := &recorder{root: i.stream.(*instrumentedStream).root}
	defer d.watch.record(r)()
	return r, run()
}

// snapshot holds the bytes of all results.
type snapshot [][]byte

// equal returns an error that describes the first difference from want.
func (s snapshot) equal(want snapshot, how string) error {
	if len(s) != len(want) {
		return fmt.Errorf("%s: %d results, want %d", how, len(s), len(want))
	}
	for n := range s {
		if at, ok := difference(s[n], want[n]); ok {
			return fmt.Errorf("%s: byte %d of %d of result %d differs", how, at, len(want[n]), n)
		}
	}
	return nil
}

// difference returns the index of the first byte in which a and b differ.
func difference(a, b []byte) (int, bool) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i, true
		}
	}
	return min(len(a), len(b)), len(a) != len(b)
}

// under returns a context with test overrides for loops.
func under(ctx context.Context, t seam.Test) context.Context {
	return context.WithValue(ctx, seam.TestKey{}, &t)
}
