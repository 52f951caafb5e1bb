//go:build cgo

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
)

// A panic is a status, with the place in the message.
func TestPanicIsAStatus(t *testing.T) {
	const internal = 13
	assert.EqualValues(t, internal, call(func() error { panic("a defect") }))
	assert.EqualValues(t, internal, call(func() error {
		var list []int
		return fmt.Errorf("%d", list[len(list)])
	}))
	assert.EqualValues(t, internal, statusOf(fmt.Errorf("wrapped: %w", &panicError{value: "x"})))
	assert.Zero(t, call(func() error { return nil }))
}

// Each kind of error has its status; of several, that which says most.
func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{
		{&backend.ArgumentError{}, 1}, {&config.Error{}, 2}, {&settingError{errors.New("x")}, 2}, {exec.ErrCapture, 3},
		{&backend.ClosedError{}, 4}, {closedError("x"), 4}, {&backend.UnsupportedError{}, 5},
		{&backend.OutOfMemoryError{}, 6}, {backend.ErrDeviceLost, 7}, {&exec.DeviceMismatchError{}, 8},
		{exec.ErrConcurrentUse, 9}, {exectest.ErrRunning, 9}, {context.Canceled, 10}, {context.DeadlineExceeded, 10},
		{&exectest.Violation{}, 11}, {errors.New("x"), 14}, {&leftOpenError{}, 14}, {&backend.UnavailableError{}, 15},
		{errors.Join(errors.New("x"), &config.Error{}, &backend.ArgumentError{}), 2},
		{fmt.Errorf("x: %w", errors.Join(exec.ErrCapture, context.Canceled)), 10},
	} {
		assert.Equal(t, c.status, statusOf(fmt.Errorf("doing: %w", c.err)), "%T %v", c.err, c.err)
	}
}

// Details are JSON with what the error knows, whatever its text.
func TestDetails(t *testing.T) {
	var d details
	text := "quote \" backslash \\ line\nbreak \xff"
	require.NoError(t, json.Unmarshal(detailsOf(1, fmt.Errorf("x: %w", &backend.ArgumentError{Op: "step", Argument: text,
		Value: 7, Allowed: "8"})), &d))
	assert.Equal(t, details{Status: 1, Message: d.Message, Operation: "step",
		Argument: "quote \" backslash \\ line\nbreak �", Value: "7", Allowed: "8"}, d)
	assert.Contains(t, d.Message, "must be 8")
}
