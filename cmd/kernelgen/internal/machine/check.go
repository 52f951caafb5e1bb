package machine

import (
	"regexp"
	"strings"
)

// rule is a kind of instructions that the code must not have.
type rule struct {
	pattern *regexp.Regexp // of an instruction with single blanks
	why     string
}

// rules are checked in order. Instructions of AVX begin with v. One of the older kind between them would wait for all
// that are under way.
var rules = []rule{
	{regexp.MustCompile(`^vfn?m(add|sub)`), "a fused multiply-add, whose result differs"},
	{regexp.MustCompile(`^v?r(cp|sqrt)|^vrcp|^vrsqrt`), "an approximation, whose result differs"},
	{regexp.MustCompile(`%mm\d|%st\b|^f\w`), "an instruction of the x87"},
	{regexp.MustCompile(`^[^v]\S* .*%xmm`), "an instruction of SSE between those of AVX"},
	{regexp.MustCompile(`%zmm|%k[0-7]|%[xyz]mm(1[6-9]|2\d|3[01])`), "an instruction of AVX-512"},
	{regexp.MustCompile(`%[fg]s:`), "an access to the memory of a thread of C"},
	{regexp.MustCompile(`^v?mov(ap|dqa|nt)\S* (\(|[^%].*\(|.*, .*\()`), "an access that must be aligned"},
	{regexp.MustCompile(`^call`), "a call (functions must be inlined, and arrays cleared by loops)"},
	{regexp.MustCompile(`^(ud2|int3?|syscall|hlt|cld|std|ldmxcsr|vldmxcsr|fldcw)\b`), "an instruction out of place"},
	{regexp.MustCompile(`^(push|pop)f?[qlw]? |^(pushf|popf|enter|leave|ret)[qlw]?\b`), "a change of the stack pointer"},
	{regexp.MustCompile(`%[er]?spl?$|^x(chg|add)\S* .*%[er]?spl?\b`), "a change of the stack pointer"},
	{regexp.MustCompile(`-\d+\(%rsp`), "an access below the stack pointer"},
	{regexp.MustCompile(`^jmpq? [^.*]`), "a jump out of the code"},
}

// aligned loads of constants are right: the code keeps their alignment.
var constantAccess = regexp.MustCompile(`^v?mov(ap|dqa)\S* \.L\w+(\+\d+)?\(%rip\), %[xy]mm\d+$`)

// checkInstruction refuses what breaks Go's rules for the stack, gives other bits than Go, or needs more than AVX2.
func checkInstruction(line string) error {
	instruction := strings.Join(strings.Fields(line), " ")
	if strings.HasSuffix(instruction, ":") || strings.HasPrefix(instruction, ".") ||
		constantAccess.MatchString(instruction) {
		return nil
	}
	for _, r := range rules {
		if r.pattern.MatchString(instruction) {
			return fault(line, "the code has %s", r.why)
		}
	}
	return nil
}
