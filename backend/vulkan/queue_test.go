//go:build cgo && (linux || darwin)

package vulkan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

// submission is what a submission waits for, and the value that it signals.
type submission struct{ after, value uint64 }

// noteSubmissions returns a change of the settings that adds all submissions to a list.
func noteSubmissions(sent *[]submission) func(*settings) {
	return func(s *settings) {
		s.submit = func(after, value uint64) vk.Result {
			*sent = append(*sent, submission{after, value})
			return vk.Success
		}
	}
}

// A submission waits for the work whose memory it uses, even if the host has already seen that the work has run: what
// another submission wrote is visible only after a wait on the device.
func TestSubmissionsWaitForFinishedWork(t *testing.T) {
	var sent []submission
	d := openTest(t, backend.Options{}, noteSubmissions(&sent))
	s, other := newStream(t, d), newStream(t, d)
	x := alloc(t, d, 1)
	last := func() submission { return sent[len(sent)-1] }

	affine(t, s, x, 2, 1)
	require.NoError(t, s.Sync())
	first := last()
	require.Equal(t, first.value, d.queue.completed, "the host has seen the value")
	affine(t, s, x, 2, 1)
	require.NoError(t, s.Sync())
	require.Equal(t, submission{first.value, first.value + 1}, last(), "the same stream")
	affine(t, other, x, 2, 1)
	require.NoError(t, other.Sync())
	require.Equal(t, submission{first.value + 1, first.value + 2}, last(), "another stream, ordered by the host alone")
	g := recordGraph(t, s, func() { affine(t, s, x, 2, 1) })
	require.NoError(t, s.Replay(g))
	require.NoError(t, s.Sync())
	require.Equal(t, submission{first.value + 2, first.value + 3}, last(), "a graph")

	b, err := d.Alloc(4)
	require.NoError(t, err)
	require.NoError(t, d.queue.drain())
	require.Equal(t, submission{first.value + 3, first.value + 4}, last(), "the zeroing of memory that work has used")
	require.NoError(t, b.Close())
	require.Equal(t, []int32{31}, read(t, d, x))
}

// Work waits for the zeroing of new memory, and a replay for the one before it, even on another stream, because both
// use the memory of gates. The work here takes so long that the host has not seen its end.
func TestSubmissionsWaitForRunningWork(t *testing.T) {
	var sent []submission
	d := openTest(t, backend.Options{}, noteSubmissions(&sent))
	s, other := newStream(t, d), newStream(t, d)
	require.NoError(t, d.queue.drain())
	sent = nil
	const items = 4 << 20
	b, err := d.Alloc(4 * items)
	require.NoError(t, err)
	x := backend.View{Buffer: b, Bytes: 4 * items}
	affine(t, s, x, 1, 1)
	mark := d.queue.submitted
	g := recordGraph(t, s, func() { affine(t, s, x, 2, 1) })
	require.NoError(t, s.Replay(g))
	require.NoError(t, other.Replay(g))
	require.NoError(t, g.Close())
	require.NoError(t, b.Close())
	require.NoError(t, d.queue.drain())
	for i, got := range sent {
		require.Equal(t, submission{mark + uint64(i), mark + uint64(i) + 1}, got)
	}
	require.Len(t, sent, 4, "zeros, the launch and two replays")
}

// The last submission of work that writes host memory makes it visible to the host, even if the copy was in an earlier
// one. Work that does not write host memory needs nothing for it.
func TestHostSeesDownloads(t *testing.T) {
	var last command
	d := openTest(t, backend.Options{}, func(s *settings) {
		s.work = 1
		s.trace = func(_ *recording, c command) { last = c }
	})
	s := newStream(t, d)
	x := alloc(t, d, sequence(200, 1)...)
	host, _ := hostOf(t, d, 800)
	defer func() { require.NoError(t, host.Close()) }()
	require.NoError(t, s.Download(host, 0, x))
	require.Equal(t, hostCommand, last.kind, "eager")
	recordGraph(t, s, func() {
		require.NoError(t, s.Download(host, 0, x))
		affine(t, s, x, 2, 1)
	})
	require.Equal(t, hostCommand, last.kind, "a graph")
	recordGraph(t, s, func() { affine(t, s, x, 2, 1) })
	require.Equal(t, dispatchCommand, last.kind, "without a download")
}
