package machine

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// begin and end are the first and the last lines of the rewritten assembly. The label at the end is where all returns
// go, and what follows the code in the Go function comes next. Pending sums in the upper halves of registers would slow
// Go's own float instructions down, so the halves are cleared.
const (
	begin = "\t.text\n\t.p2align\t6\n"
	end   = "\t.p2align\t3\n" + returnLabel + ":\n"

	returnLabel = ".Lkg_return"
	leave       = "\tvzeroupper\n\tjmp\t" + returnLabel
)

// dropped are the directives that say nothing about the bytes of the code.
var dropped = map[string]bool{
	".text": true, ".file": true, ".globl": true, ".type": true, ".size": true, ".ident": true, ".addrsig": true,
	".hidden": true, ".local": true, ".weak": true,
}

// placed are the directives that make bytes, or align them.
var placed = map[string]bool{
	".p2align": true, ".byte": true, ".short": true, ".long": true, ".quad": true, ".zero": true, ".ascii": true,
	".asciz": true, ".set": true,
}

// parts is the assembly of one function and of its constants.
type parts struct {
	code      []string // instructions and labels of the function
	constants []string
}

// rewrite returns the assembly of one function as one section that needs no stack frame and leaves at its end, and the
// bytes of the frame that Go must provide.
func rewrite(assembly string) (text string, frame int64, err error) {
	p, err := split(assembly)
	if err != nil {
		return "", 0, err
	}
	body, frame, err := prologue(p.code)
	if err != nil {
		return "", 0, err
	}
	if body, err = returns(body, frame); err != nil {
		return "", 0, err
	}
	for _, line := range body {
		if err := checkInstruction(line); err != nil {
			return "", 0, err
		}
	}
	lines := append(body, p.constants...)
	return begin + strings.Join(lines, "\n") + "\n" + end, frame, nil
}

// split takes assembly apart. It leaves out comments and what does not become bytes.
func split(assembly string) (*parts, error) {
	p := &parts{}
	inCode, entered := true, false
	for line := range strings.Lines(assembly) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimRight(line, " \t\r\n")
		word, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
		label, isLabel := strings.CutSuffix(word, ":")
		switch {
		case word == "":
			continue
		case word == ".section":
			name, _, _ := strings.Cut(rest, ",")
			switch {
			case strings.HasPrefix(name, ".rodata"):
				inCode = false
			case strings.HasPrefix(name, ".text"):
				inCode = true
			case strings.HasPrefix(strings.Trim(name, `"`), ".note"):
			default:
				return nil, fault(line, "the code has memory of its own")
			}
			continue
		case word == ".text":
			inCode = true
			continue
		case dropped[word]:
			continue
		case isLabel && inCode && !strings.HasPrefix(label, ".L"):
			if label != Entry || entered {
				return nil, fault(line, "the code has a function besides its entry (functions must be inlined)")
			}
			entered = true
			continue
		case !isLabel && strings.HasPrefix(word, ".") && !placed[word]:
			return nil, fault(line, "the code has an unknown directive")
		}
		if inCode {
			if !entered {
				continue // the alignment of the function
			}
			p.code = append(p.code, line)
		} else {
			p.constants = append(p.constants, line)
		}
	}
	if !entered {
		return nil, fmt.Errorf("the code has no function %s", Entry)
	}
	return p, nil
}

var (
	pushed  = regexp.MustCompile(`^\s*pushq\s+%\w+$`)
	popped  = regexp.MustCompile(`^\s*popq\s+%\w+$`)
	lowered = regexp.MustCompile(`^\s*subq\s+\$(-?\d+), %rsp$`)
	raised  = regexp.MustCompile(`^\s*addq\s+\$(-?\d+), %rsp$`)
)

// prologue takes the instructions that make the frame from the beginning of the code.
func prologue(code []string) (body []string, frame int64, err error) {
	for i, line := range code {
		if strings.HasSuffix(strings.TrimSpace(line), ":") { // the label of the first block
			body = append(body, line)
			continue
		}
		if pushed.MatchString(line) {
			frame += 8
			continue
		}
		if found := lowered.FindStringSubmatch(line); found != nil {
			bytes, err := strconv.ParseInt(found[1], 10, 32)
			if err != nil {
				return nil, 0, fault(line, "the frame cannot be read")
			}
			frame += bytes
			continue
		}
		body = append(body, code[i:]...)
		break
	}
	if frame < 0 {
		return nil, 0, fmt.Errorf("the code has a frame of %d bytes", frame)
	}
	return body, frame, nil
}

// returns replaces each return, and the instructions before it that release the frame, by a jump to the end.
func returns(code []string, frame int64) ([]string, error) {
	var body []string
	found := false
	for _, line := range code {
		if strings.TrimSpace(line) != "retq" {
			body = append(body, line)
			continue
		}
		found = true
		kept, released, err := epilogue(body)
		if err != nil {
			return nil, err
		}
		if released != frame {
			return nil, fault(line, "a return releases %d of the %d bytes of the frame", released, frame)
		}
		body = append(kept, leave)
	}
	if !found {
		return nil, errors.New("the code never returns")
	}
	return body, nil
}

// epilogue takes the instructions that release the frame from the end of code, and returns how many bytes they release.
func epilogue(code []string) (rest []string, released int64, err error) {
	for ; len(code) > 0; code = code[:len(code)-1] {
		last := code[len(code)-1]
		match := raised.FindStringSubmatch(last)
		switch {
		case match != nil:
			bytes, err := strconv.ParseInt(match[1], 10, 32)
			if err != nil {
				return nil, 0, fault(last, "the frame cannot be read")
			}
			released += bytes
		case popped.MatchString(last):
			released += 8
		case strings.TrimSpace(last) != "vzeroupper":
			return code, released, nil
		}
	}
	return code, released, nil
}
