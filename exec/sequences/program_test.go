package sequences

import (
	"fmt"
	"strconv"
	"strings"
)

// call is one call of a program. body holds the calls made by the function that is passed to it.
//
// Objects have names: a are arrays of elements, f flags, x0 an array and x a stream of another device, s streams (s0 is
// the default stream), t streams of a foreigner, e events, u events of the foreigner, g graphs, h graphs of the
// foreigner, b, c and d launch contexts, r runners, q registrations.
type call struct {
	op   string
	args []string // names and numbers, and options as key=value
	body []call
}

// has reports whether the call has an option that takes no value.
func (c *call) has(name string) bool {
	for _, arg := range c.args {
		if arg == name {
			return true
		}
	}
	return false
}

// option returns the value of an option, empty if it is missing.
func (c *call) option(key string) string {
	for _, arg := range c.args {
		if value, ok := strings.CutPrefix(arg, key+"="); ok {
			return value
		}
	}
	return ""
}

// optionInt returns the value of an option as a number, 0 if it is missing.
func (c *call) optionInt(key string) int { return number(c.option(key)) }

// arg returns an argument, empty if it is missing.
func (c *call) arg(i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return ""
}

// int returns an argument as a number, 0 if it is not one.
func (c *call) int(i int) int { return number(c.arg(i)) }

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// String returns the call without its body.
func (c *call) String() string { return strings.Join(append([]string{c.op}, c.args...), " ") }

// text returns a program as text that parse reads.
func text(calls []call) string {
	var b strings.Builder
	var write func(calls []call, indent string)
	write = func(calls []call, indent string) {
		for i := range calls {
			b.WriteString(indent + calls[i].String())
			if !hasBody(calls[i].op) {
				b.WriteString("\n")
				continue
			}
			b.WriteString(" {\n")
			write(calls[i].body, indent+"  ")
			b.WriteString(indent + "}\n")
		}
	}
	write(calls, "")
	return b.String()
}

// hasBody reports whether calls of op have a body.
func hasBody(op string) bool {
	switch op {
	case "skip", "loop", "repeat", "stage", "run", "runseg", "prepare", "prepareseg", "seg", "legacy", "go":
		return true
	}
	return false
}

// parse reads a program.
func parse(source string) ([]call, error) {
	stack := [][]call{nil}
	for at, line := range strings.Split(source, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "}":
			inner := stack[len(stack)-1]
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return nil, fmt.Errorf("line %d: unexpected }", at+1)
			}
			outer := stack[len(stack)-1]
			outer[len(outer)-1].body = inner
		default:
			opens := words[len(words)-1] == "{"
			if opens {
				words = words[:len(words)-1]
			}
			if opens != hasBody(words[0]) {
				return nil, fmt.Errorf("line %d: %s has a body exactly if its kind of call has one", at+1, words[0])
			}
			top := len(stack) - 1
			stack[top] = append(stack[top], call{op: words[0], args: words[1:]})
			if opens {
				stack = append(stack, nil)
			}
		}
	}
	if len(stack) != 1 {
		return nil, fmt.Errorf("missing }")
	}
	return stack[0], nil
}

// part parses an argument such as a0 or a0[1:3] into the object and the elements [low, high). high is -1 for the whole
// object.
func part(arg string) (name string, low, high int) {
	name, bounds, ok := strings.Cut(strings.TrimSuffix(arg, "]"), "[")
	if !ok {
		return name, 0, -1
	}
	first, last, _ := strings.Cut(bounds, ":")
	return name, number(first), number(last)
}

// The objects with which every program starts.
var (
	arrayNames   = []string{"a0", "a1", "a2", "a3", "a4", "a5", "f0", "f1", "f2"}
	streamNames  = []string{"s0", "s1", "s2", "s3"}
	foreignNames = []string{"t0", "t1"}
	eventNames   = []string{"e0", "e1", "e2", "e3"}
)

// initial returns the initial elements of an array.
func initial(name string) []int32 {
	switch name {
	case "a4", "a5":
		return []int32{7, 0, 9, 0, 1, 1}
	case "f0":
		return []int32{1}
	case "f1":
		return []int32{0}
	case "f2":
		return []int32{-2}
	default:
		return []int32{int32(name[1] - '0'), 0, 1, 2}
	}
}

// entry is what an interpreter says about a call.
type entry struct {
	text string
	skip bool     // do not make the call: its result would depend on the order in which a device runs work
	sync []string // streams to wait for first
}
