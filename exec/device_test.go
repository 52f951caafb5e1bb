package exec_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// openCPU opens the CPU and requires at the end of the test that nothing leaked.
func openCPU(t testing.TB) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", backend.Workers(2))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// double is the CPU with the capabilities of another device. It logs what is emitted, and can be made to claim any
// capture state and to fail.
type double struct {
	backend.Device
	caps backend.Caps

	mutex   sync.Mutex
	streams map[backend.Stream]*doubleStream
	log     []string
	anchors []any

	refuseHost error // of AllocHost
	asked      int   // number of queries for the current stream
}

// asGPU returns a double that replays its own graphs, as a GPU does.
func asGPU(t testing.TB) *double { return newDouble(openCPU(t)) }

// openDouble is asGPU for a test that closes the device itself.
func openDouble(t require.TestingT) *double {
	device, err := backend.Open("cpu", backend.Workers(1))
	require.NoError(t, err)
	return newDouble(device)
}

func newDouble(device backend.Device) *double {
	d := &double{Device: device, caps: device.Caps(), streams: map[backend.Stream]*doubleStream{}}
	d.caps.OwnGraphs = true
	d.caps.CheapHostPoll = false
	return d
}

func (d *double) Caps() backend.Caps { return d.caps }

func (d *double) wrap(inner backend.Stream) *doubleStream {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	s := d.streams[inner]
	if s == nil {
		s = &doubleStream{Stream: inner, device: d}
		d.streams[inner] = s
	}
	return s
}

func (d *double) NewStream() (backend.Stream, error) {
	inner, err := d.Device.NewStream()
	if err != nil {
		return nil, err
	}
	return d.wrap(inner), nil
}

func (d *double) AllocHost(bytes int64) (backend.HostBuffer, error) {
	if d.refuseHost != nil {
		return nil, d.refuseHost
	}
	return d.Device.AllocHost(bytes)
}

func (d *double) DefaultStream() backend.Stream { return d.wrap(d.Device.DefaultStream()) }

func (d *double) CurrentStream() backend.Stream {
	d.mutex.Lock()
	d.asked++
	d.mutex.Unlock()
	return d.wrap(d.Device.CurrentStream())
}

func (d *double) SetCurrentStream(s backend.Stream) error {
	return d.Device.SetCurrentStream(s.(*doubleStream).Stream)
}

func (d *double) note(what string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.log = append(d.log, what)
}

// take returns and clears the log.
func (d *double) take() []string {
	log := d.log
	d.log = nil
	return log
}

// doubleStream is a stream of a double.
type doubleStream struct {
	backend.Stream
	device *double
	claim  backend.CaptureState // claimed instead of the real state unless it is CaptureNone
	fail   map[string]error     // by name of the operation
}

func (s *doubleStream) Device() backend.Device { return s.device }

func (s *doubleStream) Capture() backend.CaptureState {
	if s.claim != backend.CaptureNone {
		return s.claim
	}
	return s.Stream.Capture()
}

func (s *doubleStream) do(op string, run func() error) error {
	s.device.note(op)
	if err := s.fail[op]; err != nil {
		return err
	}
	return run()
}

func (s *doubleStream) Launch(def *kernel.Def, launch backend.Launch) error {
	return s.do("launch", func() error { return s.Stream.Launch(def, launch) })
}

func (s *doubleStream) Copy(dst, src backend.View) error {
	return s.do("copy", func() error { return s.Stream.Copy(dst, src) })
}

func (s *doubleStream) Fill(dst backend.View, pattern uint32) error {
	return s.do("fill", func() error { return s.Stream.Fill(dst, pattern) })
}

func (s *doubleStream) Replay(g backend.Graph) error {
	return s.do("replay", func() error { return s.Stream.Replay(g) })
}

func (s *doubleStream) Upload(dst backend.View, src backend.HostBuffer, offset int64) error {
	if err := s.fail["upload"]; err != nil {
		return err
	}
	return s.Stream.Upload(dst, src, offset)
}

func (s *doubleStream) Download(dst backend.HostBuffer, offset int64, src backend.View) error {
	if err := s.fail["download"]; err != nil {
		return err
	}
	return s.Stream.Download(dst, offset, src)
}

func (s *doubleStream) Sync() error { return s.do("sync", s.Stream.Sync) }

func (s *doubleStream) BeginCapture() error { return s.do("begin", s.Stream.BeginCapture) }

func (s *doubleStream) EndCapture() (backend.Graph, error) {
	s.device.note("end")
	if err := s.fail["end"]; err != nil {
		return nil, err
	}
	return s.Stream.EndCapture()
}

func (s *doubleStream) Wait(e backend.Event) error {
	return s.do("wait", func() error { return s.Stream.Wait(e) })
}

func (s *doubleStream) Anchor(owner any) error {
	s.device.anchors = append(s.device.anchors, owner)
	return s.do("anchor", func() error { return s.Stream.Anchor(owner) })
}

// If also works eagerly if the double claims so: it reads the flag on the host.
func (s *doubleStream) If(flag backend.View, body func(backend.Stream) error) error {
	s.device.note("if")
	if err := s.fail["if"]; err != nil {
		return err
	}
	inner := func(stream backend.Stream) error {
		return body(&doubleStream{Stream: stream, device: s.device, fail: s.fail})
	}
	if !s.device.caps.EagerConditionals || s.Stream.Capture() != backend.CaptureNone {
		return s.Stream.If(flag, inner)
	}
	host, err := s.device.AllocHost(4)
	if err != nil {
		return err
	}
	if err := errors.Join(s.Download(host, 0, flag), s.Stream.Sync()); err != nil {
		return errors.Join(err, host.Close())
	}
	taken := [4]byte(host.Bytes()) != [4]byte{}
	if err := host.Close(); err != nil || !taken {
		return err
	}
	return inner(s.Stream)
}

// Repeat forwards to the underlying device.
func (s *doubleStream) Repeat(flag backend.View, limit int32, body func(backend.Stream) error) error {
	return s.do("repeat", func() error {
		return s.Stream.(backend.Repeater).Repeat(flag, limit, func(stream backend.Stream) error {
			return body(&doubleStream{Stream: stream, device: s.device, fail: s.fail})
		})
	})
}

// newArray allocates an array and closes it at the end of the test.
func newArray[T kernel.Element](t testing.TB, device backend.Device, values ...T) exec.Array[T] {
	t.Helper()
	a, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func read[T kernel.Element](t testing.TB, a exec.Array[T]) []T {
	t.Helper()
	values, err := a.Read(context.Background()) // also in cleanups, whose t.Context has ended
	require.NoError(t, err)
	return values
}

// launchContext returns a context on device.
func launchContext(t testing.TB, device backend.Device, options ...exec.Option) *exec.LaunchContext {
	t.Helper()
	lc, err := exec.For(t.Context(), device, options...)
	require.NoError(t, err)
	return lc
}

func newStream(t testing.TB, device backend.Device) backend.Stream {
	t.Helper()
	stream, err := device.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stream.Close()) })
	return stream
}

// capture records what body emits on stream and returns the graph, which it closes at the end of the test.
func capture(t testing.TB, stream backend.Stream, body func()) backend.Graph {
	t.Helper()
	require.NoError(t, stream.BeginCapture())
	body()
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, graph.Close()) })
	return graph
}
