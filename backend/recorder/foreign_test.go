package recorder

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// shared is a device whose streams somebody else can capture.
type shared struct {
	fake
	capture *guestCapture // in which all streams take part, or nil
	unknown error         // if not nil, the driver's answer instead of the capture
	synced  func()        // called when an event is waited for
	marks   int           // number of marks made and not dropped
}

func (d *shared) MakeStream() (*Stream, backend.Stream) {
	s := new(Adoptable)
	return &s.Stream, s
}

func (d *shared) NewQueue(*Stream) (Queue, error) { return &sharedQueue{fakeQueue{f: &d.fake}, d}, nil }

func (d *shared) NewMark(string) (uint64, error) {
	d.marks++
	return 1, nil
}

func (d *shared) DropMark(uint64) { d.marks-- }

func (d *shared) Await(string, uint64) error {
	if d.synced != nil {
		d.synced()
	}
	return nil
}

type sharedQueue struct {
	fakeQueue
	d *shared
}

func (*sharedQueue) Handle() uintptr { return 7 }

func (q *sharedQueue) Foreign(string) (Foreign, error) {
	if q.d.capture == nil || q.d.unknown != nil {
		return nil, q.d.unknown
	}
	return q.d.capture, nil
}

func (q *sharedQueue) CaptureID() uint64 {
	if q.d.capture == nil {
		return 0
	}
	return q.d.capture.ID()
}

// guestCapture is a capture that somebody else has begun on the default stream.
type guestCapture struct {
	ForeignCapture
	origin  Queue
	emitted []Operation
	anchors []any
}

func (c *guestCapture) ID() uint64                       { return 3 }
func (c *guestCapture) Joined(q Queue) bool              { return q != c.origin }
func (c *guestCapture) Join(Queue, uint64) (bool, error) { return true, nil }

func (c *guestCapture) Emit(_ Queue, o *Operation) error {
	c.emitted = append(c.emitted, o.clone())
	return o.Uses(func(k Keeper, _ string) error { k.Retain(); return nil })
}

func (c *guestCapture) Anchor(_ Queue, owner any) error {
	c.anchors = append(c.anchors, owner)
	return nil
}

func openShared(t *testing.T) (*shared, backend.View) {
	d := new(shared)
	require.NoError(t, d.Start(d, d, LimitsCUDA, false))
	b, err := d.Alloc(4)
	require.NoError(t, err)
	return d, backend.View{Buffer: b, Bytes: 4}
}

// In a capture of somebody else, an operation goes to their graph at once, and a body goes there as a whole. While the
// body is open, only its stream may record. Afterwards the recorder keeps nothing for the capture.
func TestForeignCapture(t *testing.T) {
	d, v := openShared(t)
	base := d.base.self
	side, err := d.NewStream()
	require.NoError(t, err)
	require.Equal(t, backend.CaptureNone, base.Capture())
	c := &guestCapture{origin: d.base.queue}
	c.Begin(c)
	d.capture = c
	require.Equal(t, backend.CaptureForeign, base.Capture())
	require.Equal(t, backend.CaptureJoined, side.Capture())
	require.Equal(t, uint64(3), base.(*Adoptable).CaptureID())
	require.NoError(t, errors.Join(base.Fill(v, 1), base.Anchor(t)))
	require.Len(t, c.emitted, 1)
	require.Equal(t, []any{t}, c.anchors)
	require.ErrorIs(t, base.Sync(), backend.ErrCapture)
	require.ErrorIs(t, base.BeginCapture(), backend.ErrCapture)
	_, err = base.EndCapture()
	require.ErrorContains(t, err, "did not begin with BeginCapture")

	require.NoError(t, base.If(v, func(inner backend.Stream) error {
		require.Equal(t, backend.CaptureForeign, inner.Capture())
		require.Equal(t, uint64(3), inner.(*Adoptable).CaptureID())
		require.Zero(t, inner.(*Adoptable).Handle())
		require.ErrorIs(t, base.Fill(v, 1), backend.ErrCapture, "on the outer stream")
		require.ErrorIs(t, side.Fill(v, 1), backend.ErrCapture, "on another stream of the capture")
		return errors.Join(inner.Fill(v, 2), inner.If(v, func(in backend.Stream) error { return in.Fill(v, 3) }))
	}))
	require.Len(t, c.emitted, 2)
	require.Len(t, c.emitted[1].Body.Operations, 2)
	failure := errors.New("the body fails")
	b, err := d.Alloc(4)
	require.NoError(t, err)
	require.ErrorIs(t, base.If(v, func(in backend.Stream) error {
		return errors.Join(in.Fill(backend.View{Buffer: b, Bytes: 4}, 2), b.Close(), failure)
	}), failure)
	require.False(t, b.(*Buffer).Memory().Retain(), "the body that failed keeps its memory")
	require.Len(t, c.emitted, 2)
	require.Empty(t, c.base().kept)
	require.Zero(t, d.ran)

	err = base.If(v, func(inner backend.Stream) error {
		d.capture = nil
		return inner.Fill(v, 2)
	})
	require.ErrorIs(t, err, backend.ErrCapture, "the capture has ended meanwhile")
	require.Len(t, c.emitted, 2)
	require.NoError(t, base.Fill(v, 1))
	require.Equal(t, 1, d.ran)
}

// If the driver does not report the capture, nothing is emitted.
func TestUnknownCapture(t *testing.T) {
	d, v := openShared(t)
	s := d.base.self.(*Adoptable)
	d.unknown = backend.ErrDeviceLost
	require.ErrorIs(t, s.Fill(v, 1), backend.ErrDeviceLost)
	require.Equal(t, backend.CaptureInvalidated, s.Capture())
	require.ErrorIs(t, s.CaptureFailure(), backend.ErrDeviceLost)
	d.unknown = &backend.CaptureError{State: backend.CaptureNone}
	require.ErrorIs(t, s.Fill(v, 1), backend.ErrCapture)
	require.Equal(t, backend.CaptureNone, s.Capture())
	require.NoError(t, s.CaptureFailure())
	require.Zero(t, d.ran)
}

// The mark of an event stays valid while a call waits for it, even if the event is closed.
func TestEventIsClosedWhileACallWaits(t *testing.T) {
	d, _ := openShared(t)
	e, err := d.NewEvent()
	require.NoError(t, err)
	require.NoError(t, d.base.Record(e))
	d.synced = func() {
		require.NoError(t, e.Close())
		require.Equal(t, 1, d.marks)
	}
	require.NoError(t, e.Sync())
	require.Zero(t, d.marks)
	require.NoError(t, e.Close())
	require.ErrorIs(t, e.Sync(), backend.ErrClosed)
	require.Zero(t, d.marks)
}

// Each operation names the operations that it directly follows: on its own stream and on streams that it waited for.
func TestOperationsNameWhatTheyFollow(t *testing.T) {
	f, v := openFake(t, LimitsCPU)
	s := f.base
	side, err := f.NewStream()
	require.NoError(t, err)
	fork, err := f.NewEvent()
	require.NoError(t, err)
	join, err := f.NewEvent()
	require.NoError(t, err)
	require.NoError(t, s.BeginCapture())
	require.NoError(t, errors.Join(s.Fill(v, 0), s.Record(fork), s.Fill(v, 1), side.Wait(fork), side.Fill(v, 2),
		side.Fill(v, 3), side.Record(join), s.Wait(join), s.If(v, func(in backend.Stream) error {
			return errors.Join(in.Fill(v, 5), in.Fill(v, 6))
		})))
	g, err := s.EndCapture()
	require.NoError(t, err)
	var after [][]int
	operations := g.(*Graph).work.Load().Program.Operations
	for _, o := range operations {
		after = append(after, o.After)
	}
	require.Equal(t, [][]int{nil, {0}, {0}, {2}, {1, 3}}, after)
	for _, o := range operations[4].Body.Operations {
		require.Nil(t, o.After)
	}
}
