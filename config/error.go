package config

import (
	"errors"
	"fmt"
)

// ErrConfig matches every error in a configuration.
var ErrConfig = errors.New("invalid configuration")

// Error names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type Error struct {
	Field   string // name as in configuration files
	Value   string
	Allowed string
	Err     error // the cause, if the field alone does not explain it; may be nil
}

// Error implements error.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s is %s: must be %s", e.Field, e.Value, e.Allowed)
	if e.Err != nil {
		text += " (" + e.Err.Error() + ")"
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Is matches ErrConfig.
func (e *Error) Is(target error) bool { return target == ErrConfig }
