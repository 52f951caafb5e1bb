package toolchain

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// Error says that a compiler failed.
type Error struct {
	Program  string
	Messages []Message // on lines of its input; empty where it names none
	Output   string    // all that it said
	Err      error     // how it ended
}

// Message is what a compiler says of one line of its input.
type Message struct {
	Line int
	Text string
}

// Error returns how the compiler ended and what it said.
func (e *Error) Error() string {
	if e.Output == "" {
		return fmt.Sprintf("%s: %v", e.Program, e.Err)
	}
	return fmt.Sprintf("%s: %v\n%s", e.Program, e.Err, e.Output)
}

// Unwrap returns how the compiler ended.
func (e *Error) Unwrap() error { return e.Err }

// Refused says whether the compiler ran to its end and refused its input. Otherwise the machine is at fault: the
// compiler was killed, or could not be started, or took too long.
func (e *Error) Refused() bool {
	var exit *exec.ExitError
	return errors.As(e.Err, &exit) && exit.Exited()
}

// messages returns what the output of a compiler says of the lines of a file. Clang writes file:line:column: error:
// text, and glslang ERROR: file:line: text.
func messages(file, output string) []Message {
	if file == "" {
		return nil
	}
	pattern := regexp.MustCompile(`^(?:ERROR: )?` + regexp.QuoteMeta(file) +
		`:(\d+):(?:\d+: (?:fatal )?error:)? +(.*)$`)
	var list []Message
	for text := range strings.Lines(output) {
		found := pattern.FindStringSubmatch(strings.TrimRight(text, "\r\n"))
		if found == nil || strings.Contains(found[2], "compilation terminated") {
			continue
		}
		line, err := strconv.Atoi(found[1])
		if err != nil {
			continue
		}
		list = append(list, Message{Line: line, Text: strings.TrimSpace(found[2])})
	}
	return list
}
