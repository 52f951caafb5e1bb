package source

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Diagnostic is one refusal, or a warning, at a place of a kernel source.
type Diagnostic struct {
	Position token.Position
	Rule     string // the name of the rule, such as "product"
	Message  string // what is wrong, and in parentheses what is allowed
	Warning  bool   // reported, but does not stop the generation
	Cause    error  // of the failure of a tool; nil for what kernelgen refuses itself
}

// String returns the diagnostic as file:line:column: rule: message.
func (d Diagnostic) String() string {
	if d.Warning {
		return fmt.Sprintf("%s: warning: %s: %s", d.Position, d.Rule, d.Message)
	}
	return fmt.Sprintf("%s: %s: %s", d.Position, d.Rule, d.Message)
}

// Diagnostics is a list of diagnostics, an error where one of them is a refusal.
type Diagnostics []Diagnostic

// Sort orders the list by position and removes duplicates, such as those in a helper that several kernels use.
func (list *Diagnostics) Sort() {
	slices.SortStableFunc(*list, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.Position.Filename, b.Position.Filename),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Message, b.Message),
		)
	})
	*list = slices.CompactFunc(*list, func(a, b Diagnostic) bool {
		return a.Warning == b.Warning && a.String() == b.String()
	})
}

// Refused says whether the list holds more than warnings.
func (list Diagnostics) Refused() bool {
	return slices.ContainsFunc(list, func(d Diagnostic) bool { return !d.Warning })
}

// Unwrap returns the causes of the diagnostics that have one.
func (list Diagnostics) Unwrap() []error {
	var causes []error
	for _, d := range list {
		if d.Cause != nil {
			causes = append(causes, d.Cause)
		}
	}
	return causes
}

// Error returns the diagnostics, one a line.
func (list Diagnostics) Error() string {
	lines := make([]string, len(list))
	for i, d := range list {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}
