package collision

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// Option is an option of the constructors of checkers.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }
