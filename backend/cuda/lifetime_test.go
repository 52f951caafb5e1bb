//go:build cgo && linux

package cuda

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// Whatever is closed while work is queued, the work still has its memory. The emulator runs queued work as late as it
// can, and freeing memory does not wait for it.
func TestCloseWhileWorkIsQueued(t *testing.T) {
	for seed := range uint64(20) {
		start(t, 12080, seed)
		d := openTest(t)
		b, err := d.Alloc(4000)
		require.NoError(t, err)
		h, err := d.AllocHost(4000)
		require.NoError(t, err)
		s, err := d.NewStream()
		require.NoError(t, err)
		e, err := d.NewEvent()
		require.NoError(t, err)
		x := backend.View{Buffer: b, Bytes: 4000}
		require.NoError(t, s.BeginCapture())
		require.NoError(t, errors.Join(increment(s, x), s.Download(h, 0, x)))
		g, err := s.EndCapture()
		require.NoError(t, err)
		require.NoError(t, errors.Join(increment(s, x), s.Upload(x, h, 0), s.Replay(g), s.Record(e),
			d.DefaultStream().Wait(e), d.DefaultStream().Fill(x, 3)))
		closers := []interface{ Close() error }{b, h, s, e, g}
		for i := range closers { // in a different order each time
			require.NoError(t, closers[(i+int(seed))%len(closers)].Close())
		}
		require.NoError(t, d.DefaultStream().Sync())
	}
}

// useAll makes, uses and closes one of everything. After an error, it may leave things open.
func useAll(d *device) error {
	b, err := d.Alloc(400)
	if err != nil {
		return err
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	e, err := d.NewEvent()
	if err != nil {
		return err
	}
	x := backend.View{Buffer: b, Bytes: 400}
	for _, step := range []func() error{
		func() error { return increment(s, x) },
		func() error { return s.Record(e) },
		func() error { return d.DefaultStream().Wait(e) },
		func() error { return d.DefaultStream().Fill(x, 1) },
		e.Sync,
		s.BeginCapture,
		func() error {
			return s.(*recorder.Adoptable).Repeat(backend.View{Buffer: b, Bytes: 4}, 2,
				func(in backend.Stream) error { return increment(in, x) })
		},
		func() error {
			g, err := s.EndCapture()
			if err != nil {
				return err
			}
			return errors.Join(s.Replay(g), s.Sync(), g.Close())
		},
		b.Close, s.Close, e.Close,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// A device is closed while other goroutines use it. They get errors, and nothing breaks.
func TestCloseWhileOthersWork(t *testing.T) {
	for seed := range uint64(10) {
		start(t, 12080, seed)
		d := openDevice(t)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 20 {
					if err := useAll(d); err != nil {
						if !errors.Is(err, backend.ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		err := d.Close()
		if err != nil {
			require.ErrorIs(t, err, backend.ErrLeak)
		}
		group.Wait()
	}
}
