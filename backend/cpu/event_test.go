package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
)

// set is the operations that happen before a point.
type set map[int]bool

func (s set) join(other set) {
	for operation := range other {
		s[operation] = true
	}
}

// A capture over several streams ends without error if and only if every operation happens before the end of the
// origin. The model keeps sets of operations; the backend keeps vector clocks.
func TestJoinedStreamsMatchAModel(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 1})
	x := alloc(t, d, 1)
	rapid.Check(t, func(t *rapid.T) {
		var streams [3]backend.Stream
		var before [3]set // operations before the next one of a stream; nil if the stream does not take part
		for i := range streams {
			s, err := d.NewStream()
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			streams[i] = s
		}
		var events [3]backend.Event
		var points [3]set // operations before an event; nil: not recorded in the capture
		for i := range events {
			e, err := d.NewEvent()
			require.NoError(t, err)
			defer func() { require.NoError(t, e.Close()) }()
			events[i] = e
		}
		require.NoError(t, streams[0].BeginCapture())
		before[0] = set{}
		operations := 0
		for range rapid.IntRange(0, 30).Draw(t, "calls") {
			s := rapid.IntRange(0, 2).Draw(t, "stream")
			e := rapid.IntRange(0, 2).Draw(t, "event")
			switch rapid.IntRange(0, 2).Draw(t, "call") {
			case 0:
				require.NoError(t, streams[s].Launch(quick, launchOf(x)))
				if before[s] != nil {
					before[s][operations] = true
					operations++
				}
			case 1:
				if before[s] == nil {
					continue // cannot wait for an event from outside the capture
				}
				require.NoError(t, streams[s].Record(events[e]))
				points[e] = set{}
				points[e].join(before[s])
			case 2:
				require.NoError(t, streams[s].Wait(events[e]))
				if points[e] == nil {
					continue
				}
				if before[s] == nil {
					before[s] = set{}
				}
				before[s].join(points[e])
			}
			for i, s := range streams {
				want := backend.CaptureJoined
				switch {
				case before[i] == nil:
					want = backend.CaptureNone
				case i == 0:
					want = backend.CaptureOwn
				}
				require.Equal(t, want, s.Capture(), "stream %d", i)
			}
		}
		g, err := streams[0].EndCapture()
		if len(before[0]) < operations {
			require.ErrorIs(t, err, backend.ErrCapture)
		} else {
			require.NoError(t, err)
			require.Equal(t, operations, g.Nodes())
			require.NoError(t, g.Close())
		}
		for _, s := range streams {
			require.Equal(t, backend.CaptureNone, s.Capture())
		}
	})
}
