package exec

import (
	"fmt"
	"log/slog"
)

// Warning is something that works but is probably not what was meant. Each kind is a type of its own, so that a sink can
// filter by type.
type Warning interface {
	// Warning returns the text for people.
	Warning() string
}

// WarnFunc receives the warnings of a runner. It may be called from any goroutine that uses the runner.
type WarnFunc func(Warning)

// LogWarning is the default WarnFunc: one record at level warn on the default logger of log/slog.
func LogWarning(w Warning) { slog.Warn(w.Warning()) }

// IgnoreWarnings returns a WarnFunc that drops the warnings of type W and passes the others on to next, which is LogWarning
// if it is nil:
//
//	Warn: exec.IgnoreWarnings[exec.KeyedGraphLimitWarning](nil)
func IgnoreWarnings[W Warning](next WarnFunc) WarnFunc {
	if next == nil {
		next = LogWarning
	}
	return func(w Warning) {
		if _, ignored := w.(W); !ignored {
			next(w)
		}
	}
}

// KeyedGraphLimitWarning says that a runner holds as many keyed graphs as it may, so that further new keys run eagerly
// (R70, R98). A runner gives it once.
type KeyedGraphLimitWarning struct {
	Name  string // label of the runner
	Limit int    // RunnerOptions.MaxKeyedGraphs
}

// Warning says what happens and what to do about it.
func (w KeyedGraphLimitWarning) Warning() string {
	return fmt.Sprintf("%s holds %d keyed graphs, its limit: new keys run eagerly; use fewer keys or raise MaxKeyedGraphs",
		label(w.Name), w.Limit)
}
