package cuda

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// forbidden are the instructions that would give other bits than Go, or end a thread before a barrier.
var forbidden = []struct {
	pattern *regexp.Regexp
	reason  string
}{
	{regexp.MustCompile(`^fma\.`), "a fused multiply-add"},
	{regexp.MustCompile(`\.ftz\b`), "flushes denormals"},
	{regexp.MustCompile(`\.approx\b`), "approximates"},
	{regexp.MustCompile(`^div\.full\b`), "approximates"},
	{regexp.MustCompile(`^exit\b`), "ends a thread"},
}

// uncached reads around what the kernel itself writes; constants of the module may be read so.
var uncached = regexp.MustCompile(`^ld\.global\.nc\S*\s+[^\[]*\[([^\]+]+)`)

var (
	constantLine = regexp.MustCompile(`^\.global\s.*\s([\w$]+)\[\d+\]\s*=`)
	movedLine    = regexp.MustCompile(`^mov\.u64\s+(\S+),\s*(\S+);`)
	addedLine    = regexp.MustCompile(`^add\.s64\s+(\S+),\s*(\S+),\s*(\S+);`)
)

// orderedLine is a minimum or maximum of floats that may both be zeros: -0 is below +0 there, and equal in C and Go.
var orderedLine = regexp.MustCompile(`^(?:min|max)\.f32\s+(%\w+), %\w+, (?:%\w+|0f[08]0000000);`)

// comparing are the instructions to which the sign of a zero does not matter.
var comparing = regexp.MustCompile(`^(?:setp\.|(?:min|max)\.f32)`)

var register = regexp.MustCompile(`%\w+`)

var entryLine = regexp.MustCompile(`\.entry\s+(\w+)`)

// Fault is what is wrong with the PTX of one entry.
type Fault struct {
	Entry string
	Err   error
}

// Error says what is wrong.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns what is wrong.
func (f *Fault) Unwrap() error { return f.Err }

// Check verifies the PTX of a package. It has every entry, no instruction that would give other bits, and memory of a
// thread only where items of the source have arrays.
func Check(ptx string, entries []Entry) error {
	local := map[string]bool{}
	missing := map[string]bool{}
	for _, e := range entries {
		local[e.Name] = e.LocalArrays
		missing[e.Name] = true
	}
	current := ""
	fault := func(format string, arguments ...any) error {
		return &Fault{Entry: current, Err: fmt.Errorf(format, arguments...)}
	}
	constants := map[string]bool{} // symbols, and registers that point into them
	ordered := map[string]bool{}   // registers with results of orderedLine
	for number, line := range strings.Split(ptx, "\n") {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		if found := constantLine.FindStringSubmatch(line); found != nil {
			constants[found[1]] = true
		}
		if found := entryLine.FindStringSubmatch(line); found != nil {
			current = found[1]
			maps.DeleteFunc(constants, func(name string, _ bool) bool { return strings.HasPrefix(name, "%") })
			clear(ordered)
			delete(missing, current)
		}
		if strings.HasPrefix(line, ".func") || strings.Contains(line, " .func ") {
			return fault("line %d of the PTX: a call that was not inlined: %s", number+1, line)
		}
		if strings.HasPrefix(line, ".local") && !local[current] {
			return fault(
				"line %d of the PTX: %s keeps variables in memory, though its source has no array of an item: %s",
				number+1, current, line)
		}
		instruction := line
		if strings.HasPrefix(instruction, "@") { // a predicate
			_, instruction, _ = strings.Cut(instruction, " ")
			instruction = strings.TrimSpace(instruction)
		}
		if found := movedLine.FindStringSubmatch(instruction); found != nil {
			constants[found[1]] = constants[found[2]]
		}
		if found := addedLine.FindStringSubmatch(instruction); found != nil {
			constants[found[1]] = constants[found[2]] || constants[found[3]]
		}
		if found := uncached.FindStringSubmatch(instruction); found != nil && !constants[found[1]] {
			return fault("line %d of the PTX: reads past what the kernel writes: %s", number+1, instruction)
		}
		if used, ok := orderedOperand(instruction, ordered); ok {
			return fault("line %d of the PTX: %s has a zero of an unknown sign: %s", number+1, used, instruction)
		}
		if found := orderedLine.FindStringSubmatch(instruction); found != nil {
			ordered[found[1]] = true
		}
		for _, f := range forbidden {
			if f.pattern.MatchString(instruction) {
				return fault("line %d of the PTX: %s: %s", number+1, f.reason, instruction)
			}
		}
	}
	for name := range missing {
		return &Fault{Entry: name, Err: fmt.Errorf("the PTX lacks entry %s", name)}
	}
	return nil
}

// orderedOperand returns the operand of an instruction that is one of the ordered registers, if the sign of a zero
// matters there.
func orderedOperand(instruction string, ordered map[string]bool) (operand string, ok bool) {
	if len(ordered) == 0 || comparing.MatchString(instruction) {
		return "", false
	}
	operands := instruction
	if !strings.HasPrefix(instruction, "st.") { // the others begin with what they write
		_, operands, _ = strings.Cut(instruction, ",")
	}
	for _, name := range register.FindAllString(operands, -1) {
		if ordered[name] {
			return name, true
		}
	}
	return "", false
}
