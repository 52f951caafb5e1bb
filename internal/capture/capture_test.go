package capture_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/noop"
	"github.com/trackgen-go/trackgen/internal/capture"
)

func TestOf(t *testing.T) {
	device, err := noop.Open()
	require.NoError(t, err)
	stream := device.DefaultStream()
	memory, err := device.Alloc(8)
	require.NoError(t, err)
	fill := func() error { return stream.Fill(backend.View{Buffer: memory, Bytes: 8}, 1) }
	graph, err := capture.Of(stream, fill)
	require.NoError(t, err)
	assert.Equal(t, 1, graph.Nodes())
	require.NoError(t, graph.Close())

	failure := errors.New("no work")
	_, err = capture.Of(stream, func() error { return errors.Join(fill(), failure) })
	assert.ErrorIs(t, err, failure)
	assert.Equal(t, backend.CaptureNone, stream.Capture(), "the capture has ended")
	require.NoError(t, stream.BeginCapture())
	_, err = capture.Of(stream, fill)
	assert.ErrorIs(t, err, backend.ErrCapture, "a capture in a capture")
	graph, err = stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, errors.Join(graph.Close(), memory.Close()))
	require.NoError(t, device.Close(), "no graph is left")
}
