//go:build cgo && linux

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// If the driver does not report the capture of a stream, nothing may be emitted, and the error is the driver's.
func TestUnknownCapture(t *testing.T) {
	e := start(t, 12080, 1)
	s := newStream(t, openTest(t))
	e.FailNext("cuStreamGetCaptureInfo", 700)
	require.Equal(t, backend.CaptureInvalidated, s.Capture())
	require.ErrorContains(t, s.CaptureFailure(), "cuStreamGetCaptureInfo failed with 700")
	e.FailNext("cuStreamGetCaptureInfo", 700)
	err := exec.RefuseCapture(s, "generate", "the stream is being captured")
	require.ErrorIs(t, err, backend.ErrDeviceLost)
	require.NotErrorIs(t, err, backend.ErrCapture)
	require.NoError(t, exec.RefuseCapture(s, "generate", "the stream is being captured"))
	require.NoError(t, s.CaptureFailure())
}

// If the driver does not report whether a capture of somebody else has ended, nothing is given back.
func TestUnknownCaptureHoldsFrees(t *testing.T) {
	e := start(t, 12080, 2)
	o := newOwner(t, e)
	d := openTest(t)
	main := o.newStream(1)
	s := adopt(t, d, main)
	b, err := d.Alloc(64)
	require.NoError(t, err)
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.Equal(t, backend.CaptureForeign, s.Capture())
	frees := e.Calls("cuMemFree")
	e.FailNext("cuStreamGetCaptureInfo", 999)
	require.NoError(t, b.Close())
	require.Equal(t, frees, e.Calls("cuMemFree"), "memory is freed during a capture")
	graph, executable := o.end(main)
	o.destroy(graph, executable)
	require.NoError(t, view(t, d, 1).Buffer.Close())
	require.Greater(t, e.Calls("cuMemFree"), frees)
}
