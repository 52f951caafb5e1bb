package machine

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
	"github.com/trackgen-go/trackgen/internal/required"
)

func compiler(t *testing.T) *toolchain.Toolchain {
	t.Helper()
	tools, err := toolchain.FindLanes()
	if errors.Is(err, toolchain.ErrMissing) {
		required.Skip(t, required.Tools, "%v", err)
	}
	require.NoError(t, err)
	return tools
}

// entry is the assembly of a function with these instructions.
func entry(instructions string) string {
	return "\t.text\n\t.globl\tkg_entry\nkg_entry:\n" + instructions + "\tretq\n"
}

// Every instruction that code must not have is refused, and the message says why.
func TestInstructionsAreChecked(t *testing.T) {
	for instruction, why := range map[string]string{
		"vfmadd213ps %ymm1, %ymm2, %ymm0":   "a fused multiply-add",
		"vfnmsub231ss (%rax), %xmm2, %xmm0": "a fused multiply-add",
		"vrcpps %ymm0, %ymm0":               "an approximation",
		"vrsqrtss %xmm0, %xmm0, %xmm0":      "an approximation",
		"rcpss %xmm0, %xmm1":                "an approximation",
		"fld1":                              "x87",
		"movd %eax, %mm0":                   "x87",
		"mulps %xmm0, %xmm1":                "SSE between those of AVX",
		"movups (%rax), %xmm0":              "SSE between those of AVX",
		"vaddps %zmm0, %zmm1, %zmm2":        "AVX-512",
		"vaddps %ymm16, %ymm1, %ymm2":       "AVX-512",
		"vpcmpeqd %ymm0, %ymm1, %k1":        "AVX-512",
		"movq %fs:40, %rax":                 "memory of a thread of C",
		"vmovaps %ymm0, (%rsp)":             "must be aligned",
		"vmovdqa 32(%rax), %ymm0":           "must be aligned",
		"vmovntps %ymm0, (%rax)":            "must be aligned",
		"callq memset@PLT":                  "a call",
		"callq *%rax":                       "a call",
		"ud2":                               "out of place",
		"vldmxcsr (%rax)":                   "out of place",
		"syscall":                           "out of place",
		"pushq %rbx":                        "stack pointer",
		"popq %rbx":                         "stack pointer",
		"andq $-32, %rsp":                   "stack pointer",
		"movq %rbp, %rsp":                   "stack pointer",
		"leave":                             "stack pointer",
		"movq %rax, -8(%rsp)":               "below the stack pointer",
		"jmp memcpy@PLT":                    "a jump out of the code",
	} {
		_, _, err := rewrite(entry("\tnop\n\t" + instruction + "\n\tnop\n"))
		require.ErrorContains(t, err, why, instruction)
		require.ErrorContains(t, err, instruction)
	}
	for _, instruction := range []string{
		"vmulps %ymm0, %ymm1, %ymm2", "vmovaps .LCPI0_3(%rip), %ymm0", "vmovups %ymm0, 32(%rsp)", "movl %eax, 8(%rsp)",
		"jmp .LBB0_2", "jmpq *%rax", "popcntl %eax, %eax", "vmovaps %ymm0, %ymm1", "leaq 8(%rsp), %rax",
		"vsqrtps %ymm0, %ymm1", "vbroadcastss .LCPI0_1(%rip), %ymm15",
	} {
		_, _, err := rewrite(entry("\t" + instruction + "\n\tnop\n"))
		require.NoError(t, err, instruction)
	}
}

// The frame and the returns are taken out, and what is released must be what was taken.
func TestFrames(t *testing.T) {
	text, frame, err := rewrite(entry("\tpushq\t%rbp\n\tsubq\t$40, %rsp\n\tnop\n\taddq\t$40, %rsp\n\tpopq\t%rbp\n"))
	require.NoError(t, err)
	require.Equal(t, int64(48), frame)
	require.Equal(t, begin+"\tnop\n"+leave+"\n"+end, text)

	for name, c := range map[string]struct{ assembly, says string }{
		"nothing is released": {entry("\tpushq\t%rbp\n\tnop\n"), "a return releases 0 of the 8 bytes"},
		"too much is":         {entry("\tnop\n\taddq\t$8, %rsp\n"), "a return releases 8 of the 0 bytes"},
		"no return":           {"kg_entry:\n\tnop\n", "the code never returns"},
		"no entry":            {"\t.text\n\tnop\n", "the code has no function kg_entry"},
		"two functions":       {entry("") + "other:\n\tretq\n", "a function besides its entry"},
		"variables":           {entry("") + "\t.section\t.data,\"aw\"\n\t.long\t1\n", "the code has memory of its own"},
		"zeroed variables":    {entry("") + "\t.section\t.bss,\"aw\",@nobits\n", "the code has memory of its own"},
		"a directive":         {entry("\t.cfi_startproc\n"), "an unknown directive"},
		"a negative frame":    {entry("\tsubq\t$-8, %rsp\n\tnop\n"), "a frame of -8 bytes"},
	} {
		_, _, err := rewrite(c.assembly)
		require.ErrorContains(t, err, c.says, name)
	}
}

// An object that refers to what it does not hold is refused.
func TestObjectsAreChecked(t *testing.T) {
	tools := compiler(t)
	for name, c := range map[string]struct{ assembly, says string }{
		"undefined":        {"\t.text\n\tleaq\tmemset(%rip), %rax\n\t.p2align\t3\n", "the code needs memset"},
		"relocation":       {"\t.text\n.Lhere:\n\t.quad\t.Lhere\n", "it has relocations in .rela.text"},
		"another section":  {"\t.text\n\tnop\n\t.p2align\t3\n\t.section\t.rodata\n\t.quad\t1\n", "a section .rodata"},
		"nothing":          {"\t.text\n", "0 bytes of code"},
		"a part of a word": {"\t.text\n\tnop\n", "1 bytes of code"},
	} {
		object, err := tools.Object(c.assembly)
		require.NoError(t, err, name)
		_, err = contents(object)
		require.ErrorContains(t, err, c.says, name)
	}
	_, err := contents([]byte("no object"))
	require.ErrorContains(t, err, "reading the object")
	object, err := tools.Object("\t.text\n\tnop\n\t.p2align\t3\n")
	require.NoError(t, err)
	code, err := contents(object)
	require.NoError(t, err)
	require.Len(t, code, 8)
	require.Equal(t, byte(0x90), code[0])
}

// Texts that clang makes such code of are refused as a whole: nothing of it is taken.
func TestTextsAreChecked(t *testing.T) {
	tools := compiler(t)
	const signature = `extern "C" __attribute__((preserve_none)) void kg_entry(const long *args, int first, int last, ` +
		"void *scratch)"
	for name, c := range map[string]struct{ text, says string }{
		"a call":         {"void f(void *);\n" + signature + "{ f(scratch); *(int *)scratch = 1; }", "a call"},
		"a variable":     {"int n;\n" + signature + "{ n += first; }", "memory of its own|unknown directive"},
		"an error":       {signature + "{ return x; }", "undeclared identifier"},
		"an endless one": {signature + "{ for (;;) *(volatile int *)scratch = 1; }", "never returns"},
	} {
		_, err := Compile(tools, c.text)
		require.Error(t, err, name)
		require.Regexp(t, c.says, err.Error(), name)
	}
	code, err := Compile(tools, signature+"{ ((int *)scratch)[0] = first + last; }")
	require.NoError(t, err)
	require.Zero(t, len(code.Bytes)%8)
	again, err := Compile(tools, signature+"{ ((int *)scratch)[0] = first + last; }")
	require.NoError(t, err)
	require.Equal(t, code, again, "the same text gives the same bytes")
}

// The machine code that the repository carries keeps to the rules that do not need its assembly: it begins at a
// multiple of 64 bytes, clears the upper halves of registers before it ends, and has a frame that Go checks.
func TestCommittedAssembly(t *testing.T) {
	files, err := filepath.Glob("../../../../kernels/*/" + AssemblyFile)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	head := regexp.MustCompile(`(?m)^TEXT ·\w+Lanes\(SB\), 0, \$(\d+)-16\n` +
		`\tMOVQ args\+0\(FP\), R12\n\tMOVL first\+8\(FP\), R13\n\tMOVL last\+12\(FP\), R14\n` +
		`\tLEAQ (\d+)\(SP\), R15\n\tPCALIGN \$64\n`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		functions := head.FindAllSubmatchIndex(text, -1)
		require.Equal(t, strings.Count(string(text), "\nTEXT "), len(functions), file)
		for k, found := range functions {
			end := len(text)
			if k+1 < len(functions) {
				end = functions[k+1][0]
			}
			body := text[found[1]:end]
			require.Contains(t, string(bytesOf(t, body)), "\xc5\xf8\x77", "%s: vzeroupper", file)
			require.Regexp(t, `QUAD \S+\n\tRET\n`, string(body), "%s: the end", file)
		}
	}
}

// bytesOf returns the bytes of lines of QUADs.
func bytesOf(t *testing.T, body []byte) []byte {
	t.Helper()
	var code []byte
	for _, match := range regexp.MustCompile(`QUAD \$0x([0-9a-f]{16})`).FindAllSubmatch(body, -1) {
		var quad uint64
		for _, digit := range match[1] {
			quad = quad<<4 | uint64(strings.IndexByte("0123456789abcdef", digit))
		}
		code = binary.LittleEndian.AppendUint64(code, quad)
	}
	require.NotEmpty(t, code)
	return code
}
