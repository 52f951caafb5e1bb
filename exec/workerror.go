package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
)

// WorkError says where in the work of a producer something failed. A part that is not known is empty.
type WorkError struct {
	Producer string // label of the producer
	Stage    string // ID of the stage
	Op       string // what was being done
	Err      error  // why it failed

	part *WorkError // the same failure, with less known of it
}

// Error names the parts that are known, the outermost first.
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

// Unwrap returns why the work failed, or the error that said less of where it did.
func (e *WorkError) Unwrap() error {
	if e.part != nil {
		return e.part
	}
	return e.Err
}

// Operation returns Op.
func (e *WorkError) Operation() string { return e.Op }

// Doing says what was being done when err happened, unless err, or one that it wraps, has a method
// Operation() string that says so already. Doing of nil is nil.
func Doing(op string, err error) error { return located(WorkError{Op: op}, err) }

// InProducer says of which producer err is, unless err, or one that it wraps, says so already. InProducer of nil is
// nil.
func InProducer(name string, err error) error { return located(WorkError{Producer: name}, err) }

// located returns err with those parts of at in front that it does not name already.
func located(at WorkError, err error) error {
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
	// One error of everything that is known serves errors.As better than one for each part.
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

// producerOf returns the producer that err names by itself, empty if it names none.
func producerOf(err error) string {
	switch e := err.(type) {
	case *WorkError:
		return e.Producer
	case *NotCapturableError:
		return e.Name
	case *LegacyPluginStreamError:
		return e.Name
	}
	return ""
}

// stagesOf returns the stages that err names. Another producer may have stages of the same names, so that those which
// are named together with a producer do not count.
func stagesOf(err error) (stages []string) {
	anyError(err, func(e error) bool {
		switch e := e.(type) {
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

// operationOf returns the operation that err names by itself, empty if it names none.
func operationOf(err error) string {
	if e, ok := err.(interface{ Operation() string }); ok {
		return e.Operation()
	}
	return ""
}

// anyError reports whether match holds for err or for one that it wraps, and goes no deeper where it does.
func anyError(err error, match func(error) bool) bool {
	for err != nil {
		if match(err) {
			return true
		}
		switch e := err.(type) {
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

// ofLaunch says of which launch an error of a backend is.
func ofLaunch(kernel string, err error) error {
	names := func(op string) bool { return anyError(err, func(e error) bool { return operationOf(e) == op }) }
	switch {
	case names("kernel " + kernel):
		return err
	case names("launch"): // the backend says what was being done, but not with which kernel
		return Doing("kernel "+kernel, err)
	default:
		return Doing("launch "+kernel, err)
	}
}

// closed returns the error of an operation on an array that has been closed.
func closed(op, arg string) error {
	what := "array " + arg
	if arg == "array" {
		what = arg
	}
	return &backend.ClosedError{Op: op, What: what}
}
