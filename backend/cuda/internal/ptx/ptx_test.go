package ptx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend/cuda/internal/ptx"
)

const module = `// made by a compiler
.version 7.0
.target sm_70
.global .align 4 .b8 table[4] = {0, 1, 2, 3};
	// .globl	k_first
.visible .entry k_first(
	.param .u32 k_first_param_0
)
.maxntid 64, 1, 1
{
	{ // call seq
	}
	ret;
}
	// .globl	k_first_too
.visible .entry k_first_too()
{
	ret;
}
.visible .entry k_last(){
	ret;
}
`

func TestKernel(t *testing.T) {
	require.Equal(t, []string{"k_first", "k_first_too", "k_last"}, ptx.Entries(module))
	first := ptx.Kernel(module, "k_first")
	require.Equal(t, []string{"k_first"}, ptx.Entries(first))
	for _, kept := range []string{".version", "table[4]", ".maxntid 64", "call seq"} {
		require.Contains(t, first, kept)
	}
	require.Equal(t, 1, strings.Count(first, "ret;"))
	require.Equal(t, []string{"k_first_too"}, ptx.Entries(ptx.Kernel(module, "k_first_too")))
	require.Equal(t, []string{"k_last"}, ptx.Entries(ptx.Kernel(module, "k_last")))
	require.Equal(t, first, ptx.Kernel(first, "k_first"))
}

// A text that cannot be taken apart is left whole, and so is one without the kernel: the driver then says what is
// wrong.
func TestKernelOfOtherTexts(t *testing.T) {
	for _, text := range []string{"", "nothing", strings.TrimSuffix(module, "}\n"),
		strings.ReplaceAll(module, "\n}", "\n }"),
		strings.ReplaceAll(module, "k_last", "k_lost"), strings.ReplaceAll(module, ".visible ", "")} {
		require.Equal(t, text, ptx.Kernel(text, "k_last"))
	}
	crlf := strings.ReplaceAll(module, "\n", "\r\n")
	require.Equal(t, []string{"k_last"}, ptx.Entries(ptx.Kernel(crlf, "k_last")))
}
