// Package wording checks the messages of errors in tests.
package wording

import (
	"regexp"
	"strings"
)

var (
	// named matches a quoted name and the word before it: stage "relax".
	named = regexp.MustCompile(`\w+ "[^"]+"`)
	work  = regexp.MustCompile(`\b(?:launch|kernel) (\S+\.\w+)`)
	rule  = regexp.MustCompile(`\([RDC]\d+[a-z]?\)`)
)

// Fault says what is wrong with the message of an error, empty if nothing is. A line must not repeat a clause, or a
// word with the same name, or the kernel, and must not cite the number of a rule, which tells a reader nothing.
func Fault(message string) string {
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		var kernels []string
		for _, match := range work.FindAllStringSubmatch(line, -1) {
			kernels = append(kernels, match[1])
		}
		for what, parts := range map[string][]string{
			"the clause": strings.Split(line, ": "), "the name": named.FindAllString(line, -1), "the kernel": kernels,
		} {
			if part := repeated(parts); part != "" {
				return what + " " + part + " twice"
			}
		}
		if found := rule.FindString(line); found != "" {
			return "the number of a rule: " + found
		}
		if strings.HasSuffix(line, ":") || strings.Contains(line, ": :") {
			return "an empty clause"
		}
	}
	return ""
}

// repeated returns the first part that occurs twice, empty if there is none.
func repeated(parts []string) string {
	seen := make(map[string]bool, len(parts))
	for _, part := range parts {
		if seen[part] {
			return part
		}
		seen[part] = true
	}
	return ""
}
