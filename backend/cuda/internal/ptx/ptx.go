// Package ptx takes texts of PTX apart, so that the driver compiles only the kernels that a program uses.
package ptx

import "strings"

// entryPrefix begins the line of a kernel, which ends with a line that is a closing brace.
const entryPrefix = ".visible .entry "

// Kernel returns a module that holds one kernel of a module, with everything that is outside of kernels. If the text is
// not laid out as kernelgen's compiler does, or has no such kernel, it returns the whole text.
func Kernel(text, entry string) string {
	var one strings.Builder
	found := false
	complete := walk(text, func(line, kernel string) {
		found = found || kernel == entry
		if kernel == "" || kernel == entry {
			one.WriteString(line)
		}
	})
	if !found || !complete {
		return text
	}
	return one.String()
}

// Entries returns the names of the kernels of a module, in the order of the text.
func Entries(text string) (names []string) {
	last := ""
	walk(text, func(_, kernel string) {
		if kernel != "" && kernel != last {
			names = append(names, kernel)
		}
		last = kernel
	})
	return names
}

// walk calls visit with each line and the kernel that it belongs to, which is empty outside of kernels. It returns
// whether the last kernel is complete.
func walk(text string, visit func(line, kernel string)) bool {
	kernel := ""
	for line := range strings.Lines(text) {
		if kernel == "" && strings.HasPrefix(line, entryPrefix) {
			kernel, _, _ = strings.Cut(line[len(entryPrefix):], "(")
			kernel = strings.TrimSpace(kernel)
		}
		visit(line, kernel)
		if strings.TrimRight(line, "\r\n") == "}" {
			kernel = ""
		}
	}
	return kernel == ""
}
