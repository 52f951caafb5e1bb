package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
)

// WorkError says where a producer's work failed. Unknown parts are empty.
type WorkError struct {
	Producer string // label of the producer
	Stage    string // ID of the stage
	Op       string // what was being done
	Err      error  // why it failed

	part *WorkError // the same failure with fewer parts known
}

// Error lists the known parts, outermost first, and the cause.
func (e *WorkError) Error() string {
	var text strings.Builder
	if e.Producer != "" {
		fmt.Fprintf(&text, "%s: ", label(e.Producer))
	}
	if e.Stage != "" {
		fmt.Fprintf(&text, "stage %q: ", e.Stage)
	}
	if e.Op != "" {
		fmt.Fprintf(&text, "%s: ", e.Op)
	}
	fmt.Fprint(&text, e.Err)
	return text.String()
}

// Unwrap returns the cause, or the error that had fewer parts.
func (e *WorkError) Unwrap() error {
	if e.part != nil {
		return e.part
	}
	return e.Err
}

// Operation returns Op.
func (e *WorkError) Operation() string { return e.Op }

// Doing adds to err what was being done, unless err or an error that it wraps has a method Operation() string that
// returns op. It returns nil if err is nil.
func Doing(op string, err error) error { return withLocation(WorkError{Op: op}, err) }

// InProducer adds to err the name of the producer, unless err or an error that it wraps has it. It returns nil if err
// is nil.
func InProducer(name string, err error) error { return withLocation(WorkError{Producer: name}, err) }

// withLocation prepends to err those parts of at that err does not already have.
func withLocation(at WorkError, err error) error {
	if err == nil {
		return nil
	}
	if at.Producer != "" && anyError(err, func(e error) bool { return producerOf(e) == at.Producer }) {
		at.Producer = ""
	}
	if at.Stage != "" && slices.Contains(stagesOf(err), at.Stage) {
		at.Stage = ""
	}
	if at.Op != "" && anyError(err, func(e error) bool { return operationOf(e) == at.Op }) {
		at.Op = ""
	}
	if at.Producer == "" && at.Stage == "" && at.Op == "" {
		return err
	}
	// For errors.As, one error with all known parts is better than one error per part.
	//nolint:errorlint // errors between err and a work error that it wraps would be lost
	if inner, ok := err.(*WorkError); ok && at.Op == "" && inner.Producer == "" && (at.Stage == "" || inner.Stage == "") {
		merged := *inner
		merged.part, merged.Producer = inner, at.Producer
		if at.Stage != "" {
			merged.Stage = at.Stage
		}
		return &merged
	}
	return &WorkError{Producer: at.Producer, Stage: at.Stage, Op: at.Op, Err: err}
}

// producerOf returns the producer that err itself names, empty if none.
func producerOf(err error) string {
	switch e := err.(type) { //nolint:errorlint // anyError visits the errors that err wraps
	case *WorkError:
		return e.Producer
	case *NotCapturableError:
		return e.Name
	case *LegacyPluginStreamError:
		return e.Name
	}
	return ""
}

// stagesOf returns the stages that err names. Stages named together with a producer do not count, because another
// producer may have stages of the same names.
func stagesOf(err error) (stages []string) {
	anyError(err, func(e error) bool {
		switch e := e.(type) { //nolint:errorlint // anyError visits the errors that e wraps
		case *WorkError:
			if e.Producer != "" {
				return true
			}
			if e.Stage != "" {
				stages = append(stages, e.Stage)
			}
		case *NotCapturableError:
			stages = append(stages, e.StageIDs...)
		}
		return false
	})
	return stages
}

// operationOf returns the operation that err itself names, empty if none.
func operationOf(err error) string {
	if e, ok := err.(interface{ Operation() string }); ok {
		return e.Operation()
	}
	return ""
}

// anyError reports whether match holds for err or an error that it wraps. It does not look inside an error that
// matches.
func anyError(err error, match func(error) bool) bool {
	for err != nil {
		if match(err) {
			return true
		}
		switch e := err.(type) { //nolint:errorlint // anyError visits the errors that err wraps
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			return slices.ContainsFunc(e.Unwrap(), func(part error) bool { return anyError(part, match) })
		default:
			return false
		}
	}
	return false
}

// inLaunch adds to a backend's error the launch that failed.
func inLaunch(kernel string, err error) error {
	names := func(op string) bool { return anyError(err, func(e error) bool { return operationOf(e) == op }) }
	switch {
	case names("kernel " + kernel):
		return err
	case names("launch"): // the backend names the operation, but not the kernel
		return Doing("kernel "+kernel, err)
	default:
		return Doing("launch "+kernel, err)
	}
}

// closedError returns the error of using a closed array.
func closedError(op, arg string) error {
	what := "array " + arg
	if arg == "array" {
		what = arg
	}
	return &backend.ClosedError{Op: op, What: what}
}
