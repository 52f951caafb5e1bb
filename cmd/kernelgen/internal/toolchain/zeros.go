package toolchain

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	comparedFloats = regexp.MustCompile(`^\s*(%\S+) = fcmp \w+ float (\S+), (\S+)$`)
	selectedFloats = regexp.MustCompile(`^\s*(%\S+) = select i1 (%\S+), float (\S+), float (\S+)$`)
)

// keepZeros changes LLVM's text of a module such that PTX keeps the signs of zeros. LLVM 19 makes min.f32 of
// x < 0 ? x : 0 and max.f32 of its opposite, also of two variables where one is never a NaN. C and Go return the second
// zero where both are zeros; these instructions return -0 and +0. LLVM makes neither of a selection of integers, so the
// bits of the floats are selected, which is no more work for a device.
func keepZeros(module string) string {
	lines := strings.Split(module, "\n")
	compared := map[string][2]string{}
	for i, line := range lines {
		if strings.HasPrefix(line, "define ") {
			clear(compared)
		}
		if found := comparedFloats.FindStringSubmatch(line); found != nil {
			compared[found[1]] = [2]string{found[2], found[3]}
		}
		found := selectedFloats.FindStringSubmatch(line)
		if found == nil || !mayOrderZeros(compared[found[2]], [2]string{found[3], found[4]}) {
			continue
		}
		lines[i] = selectBits(i, found[1], found[2], found[3], found[4])
	}
	return strings.Join(lines, "\n")
}

// selectBits returns the selection on a line as one of the bits of its floats. number names it.
func selectBits(number int, result, condition, first, second string) string {
	return fmt.Sprintf("  %%kg.first.%[1]d = bitcast float %[4]s to i32\n"+
		"  %%kg.second.%[1]d = bitcast float %[5]s to i32\n"+
		"  %%kg.bits.%[1]d = select i1 %[3]s, i32 %%kg.first.%[1]d, i32 %%kg.second.%[1]d\n"+
		"  %[2]s = bitcast i32 %%kg.bits.%[1]d to float", number, result, condition, first, second)
}

// mayOrderZeros reports whether the smaller or the greater of two values that may be zeros is selected.
func mayOrderZeros(compared, selected [2]string) bool {
	for i := range 2 {
		compared[i], selected[i] = withoutSign(compared[i]), withoutSign(selected[i])
		if !strings.HasPrefix(compared[i], "%") && compared[i] != floatZero {
			return false
		}
	}
	return compared == selected || compared == [2]string{selected[1], selected[0]}
}

const floatZero = "0.000000e+00"

// withoutSign returns +0 for the constant -0, which no comparison tells apart.
func withoutSign(value string) string {
	if value == "-"+floatZero {
		return floatZero
	}
	return value
}
