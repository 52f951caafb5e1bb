package exec_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

func TestErrorTree(t *testing.T) { // R94-R96, R99
	for _, err := range []error{
		&backend.CaptureError{Op: "prepare", Reason: "no"},
		&exec.NotCapturableError{Name: "p", Detail: "no"},
		&exec.LegacyPluginStreamError{Name: "p", Detail: "no"},
		exec.ErrNotPrepared,
		&backend.CaptureError{Op: "sync"},
	} {
		wrapped := fmt.Errorf("generate: %w", err)
		assert.ErrorIs(t, wrapped, exec.ErrCapture)
		assert.NotErrorIs(t, wrapped, exec.ErrDeviceMismatch)
		assert.NotErrorIs(t, wrapped, backend.ErrInvalid)
	}
	var legacy *exec.LegacyPluginStreamError
	require.ErrorAs(t, errors.Join(&exec.LegacyPluginStreamError{Name: "p"}), &legacy)
	assert.Equal(t, "p", legacy.Name)
	assert.NotErrorIs(t, exec.ErrConcurrentUse, exec.ErrCapture)
}

func TestErrorTexts(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{&backend.ArgumentError{Op: "new array", Argument: "length", Value: -1, Allowed: "0 to 9"},
			"new array: length is -1: must be 0 to 9"},
		{&exec.DeviceMismatchError{Op: "copy", Argument: "source", Have: "cpu", Want: "cuda:0"},
			`copy: source is on device "cpu", want "cuda:0"`},
		{&exec.DeviceMismatchError{Op: "copy", Argument: "source", Have: "cpu", Want: "cpu"},
			`copy: source belongs to another opening of device "cpu"`},
		{&backend.CaptureError{Op: "read array", Reason: "no"}, "read array: no"},
		{&exec.NotCapturableError{}, "the producer cannot be recorded into a capture"},
		{&exec.NotCapturableError{Name: "p", StageIDs: []string{"a", "b"}, Detail: "sorry"},
			`producer "p" cannot be recorded into a capture: its stages ["a" "b"] run on the host: sorry`},
		{&exec.LegacyPluginStreamError{Name: "p", Detail: "sorry"},
			`producer "p" launches on the current stream of its device, which is not the stream being captured: sorry`},
	}
	for _, test := range tests {
		assert.EqualError(t, test.err, test.want)
	}
}
