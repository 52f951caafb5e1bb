package exec

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
)

// Warning describes something that works but is probably not intended. Each kind has its own type, so that a WarnFunc
// can filter by type.
type Warning = backend.Warning

// WarnFunc receives the warnings of a runner. Any goroutine that uses the runner may call it.
type WarnFunc func(Warning)

// LogWarning is the default WarnFunc: it logs the warning at level warn to the default logger of log/slog.
func LogWarning(w Warning) { backend.LogWarning(w) }

// IgnoreWarnings returns a WarnFunc that drops warnings of type W and passes the others to next, or to LogWarning if
// next is nil:
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

// KeyedGraphLimitWarning says that a runner has reached its limit of keyed graphs, so that new keys run eagerly (R70,
// R98). A runner issues it once.
type KeyedGraphLimitWarning struct {
	Name  string // label of the runner
	Limit int    // RunnerOptions.MaxKeyedGraphs
}

// Warning says what happens and how to avoid it.
func (w KeyedGraphLimitWarning) Warning() string {
	return fmt.Sprintf("%s holds %d keyed graphs, its limit: new keys run eagerly; use fewer keys or raise MaxKeyedGraphs",
		label(w.Name), w.Limit)
}
