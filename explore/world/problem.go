package world

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// Problem is something wrong with a request. The page shows it beside the control of the field.
type Problem struct {
	Field   string `json:"field"`   // of the settings, or of the Request: "road.half_width", "seed"; "file" for a file
	Value   string `json:"value"`   // what was given
	Allowed string `json:"allowed"` // what is allowed; empty if Message says it
	Message string `json:"message"` // the whole sentence
}

// Refused is the error for a request with problems.
type Refused struct{ Problems []Problem }

// Error implements error.
func (r *Refused) Error() string {
	var messages []string
	for _, p := range r.Problems {
		messages = append(messages, p.Message)
	}
	return strings.Join(messages, "; ")
}

// ErrBusy is the error of a call while too many others wait.
var ErrBusy = errors.New("busy: too many requests are waiting; try again")

// refuse returns the error for one field.
func refuse(field string, value any, allowed string) error {
	return &Refused{[]Problem{problemOf(field, value, allowed)}}
}

func problemOf(field string, value any, allowed string) Problem {
	text := fmt.Sprint(value)
	return Problem{Field: field, Value: text, Allowed: allowed,
		Message: fmt.Sprintf("%s is %s: must be %s", field, text, allowed)}
}

// problemsOf returns the problems of an error, if it is one of the input: of a configuration, an argument or a file.
// field is the field of an error that names none.
func problemsOf(err error, field string) ([]Problem, bool) {
	var list []Problem
	for _, part := range settings.Parts(err) {
		var refused *Refused
		var wrong *trackgen.ConfigError
		var argument *trackgen.ArgumentError
		var file *trackgen.CircuitError
		var loops *trackgen.LoopsError
		switch {
		case errors.As(part, &refused):
			list = append(list, refused.Problems...)
		case errors.As(part, &wrong):
			list = append(list, Problem{wrong.Field, wrong.Value, wrong.Allowed, wrong.Error()})
		case errors.As(part, &file):
			list = append(list, Problem{"file", file.Value, file.Want, part.Error()})
		case errors.As(part, &argument):
			list = append(list, Problem{argument.Argument, fmt.Sprint(argument.Value), argument.Allowed, part.Error()})
		case errors.As(part, &loops), errors.Is(part, trackgen.ErrConfig), errors.Is(part, trackgen.ErrInvalid):
			list = append(list, Problem{Field: field, Message: part.Error()})
		default:
			return nil, false
		}
	}
	return list, len(list) > 0
}
