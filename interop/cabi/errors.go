package main

// #include <stdlib.h>
// #include "library.h"
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
)

// call runs the work of a function of the header. It stores the error in the thread and returns its status. A panic is
// TG_INTERNAL.
func call(work func() error) (status C.int32_t) {
	defer func() {
		if p := recover(); p != nil {
			status = fail(&panicError{value: p, stack: string(debug.Stack())})
		}
	}()
	if err := work(); err != nil {
		return fail(err)
	}
	return C.TG_OK
}

// fail stores err as the error of the thread and returns its status.
func fail(err error) C.int32_t {
	status := statusOf(err)
	C.tgi_set_error(C.CString(err.Error()), C.CString(string(detailsOf(status, err))))
	return C.int32_t(status)
}

// panicError is a panic, a defect of the library.
type panicError struct {
	value any
	stack string
}

// Error has the stack, so that a report of the defect says where it is.
func (e *panicError) Error() string { return fmt.Sprintf("internal error: %v\n%s", e.value, e.stack) }

// settingError is an error in the text of a configuration.
type settingError struct{ err error }

func (e *settingError) Error() string        { return e.err.Error() }
func (e *settingError) Unwrap() error        { return e.err }
func (e *settingError) Is(target error) bool { return target == config.ErrConfig }

// statuses are the kinds of errors with their status. The first that matches counts: an error inside of a capture or of
// a guard is often of another kind too.
var statuses = []struct {
	kind   error
	status int
}{
	{exectest.ErrViolation, C.TG_VIOLATION},
	{exectest.ErrRunning, C.TG_CONCURRENT},
	{context.Canceled, C.TG_CANCELED},
	{context.DeadlineExceeded, C.TG_CANCELED},
	{config.ErrConfig, C.TG_CONFIG},
	{exec.ErrConcurrentUse, C.TG_CONCURRENT},
	{exec.ErrCapture, C.TG_CAPTURE},
	{backend.ErrDeviceLost, C.TG_DEVICE_LOST},
	{backend.ErrClosed, C.TG_CLOSED},
	{backend.ErrOutOfMemory, C.TG_OUT_OF_MEMORY},
	{exec.ErrDeviceMismatch, C.TG_DEVICE_MISMATCH},
	{backend.ErrUnsupported, C.TG_UNSUPPORTED},
	{backend.ErrUnavailable, C.TG_UNAVAILABLE},
	{backend.ErrInvalid, C.TG_INVALID},
}

// statusOf returns the status of an error.
func statusOf(err error) int {
	if p := (*panicError)(nil); errors.As(err, &p) {
		return C.TG_INTERNAL
	}
	for _, s := range statuses {
		if errors.Is(err, s.kind) {
			return s.status
		}
	}
	return C.TG_FAILED
}

// details are what tg_last_error_details returns.
type details struct {
	Status    int    `json:"status"`
	Message   string `json:"message"`
	Operation string `json:"operation,omitempty"`
	Argument  string `json:"argument,omitempty"`
	Field     string `json:"field,omitempty"`
	Value     string `json:"value,omitempty"`
	Allowed   string `json:"allowed,omitempty"`
	Type      string `json:"type,omitempty"`     // of some errors of captures
	Category  string `json:"category,omitempty"` // of violations
}

// captureType returns the name of the type of an error of captures, or "".
func captureType(err error) string {
	var capturable *exec.NotCapturableError
	var legacy *exec.LegacyPluginStreamError
	switch {
	case errors.As(err, &capturable):
		return "NotCapturableError"
	case errors.As(err, &legacy):
		return "LegacyPluginStreamError"
	case errors.Is(err, exec.ErrNotPrepared):
		return "NotPreparedError"
	}
	return ""
}

// detailsOf describes an error as JSON.
func detailsOf(status int, err error) []byte {
	d := details{Status: status, Message: err.Error()}
	var field *config.Error
	var argument *backend.ArgumentError
	var violation *exectest.Violation
	var working interface{ Operation() string }
	switch {
	case errors.As(err, &field):
		d.Field, d.Value, d.Allowed = field.Field, field.Value, field.Allowed
	case errors.As(err, &argument):
		d.Argument, d.Value, d.Allowed = argument.Argument, fmt.Sprint(argument.Value), argument.Allowed
	}
	d.Type = captureType(err)
	if errors.As(err, &violation) {
		d.Category = violation.Category.String()
	}
	if errors.As(err, &working) {
		d.Operation = working.Operation()
	}
	text, err := json.Marshal(d)
	if err != nil { // strings and numbers can always be written
		return nil
	}
	return text
}

// unsupported is the error of a call that a kind of object does not have.
func unsupported(what, op string) error {
	return &backend.UnsupportedError{Op: op, Device: what}
}
