package toolchain

import (
	"regexp"
	"strings"
)

var (
	blockLabel  = regexp.MustCompile(`^(\d+|[\w.]+):`)
	switchLine  = regexp.MustCompile(`^(\s*switch i\d+ %\S+, label )%(\S+) \[$`)
	switchValue = regexp.MustCompile(`^\s*i\d+ -?\d+, label %(\S+)$`)
)

// keepThreads changes LLVM's text of a module such that no thread leaves a kernel early. Where LLVM has proven that a
// switch has no other values than its cases, NVPTX makes an exit of the default, which no thread reaches. Lanes that
// part before it then have no instruction at which all of them meet again, as a barrier needs. The first case becomes
// the default instead.
func keepThreads(module string) string {
	lines := strings.Split(module, "\n")
	unreachable := map[string]bool{} // labels of blocks, by function
	begin := 0
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "define "):
			clear(unreachable)
			begin = i
		case line == "}":
			lines = withoutUnreachable(lines, begin, i, unreachable)
		case strings.TrimSpace(line) == "unreachable":
			if found := blockLabel.FindStringSubmatch(lines[i-1]); found != nil {
				unreachable[found[1]] = true
			}
		}
	}
	return strings.Join(lines, "\n")
}

// withoutUnreachable changes the switches of one function, which keeps its number of lines.
func withoutUnreachable(lines []string, begin, end int, unreachable map[string]bool) []string {
	for i := begin; i < end-1; i++ {
		found := switchLine.FindStringSubmatch(lines[i])
		if found == nil || !unreachable[found[2]] {
			continue
		}
		if first := switchValue.FindStringSubmatch(lines[i+1]); first != nil {
			lines[i], lines[i+1] = found[1]+"%"+first[1]+" [", ""
		}
	}
	return lines
}
