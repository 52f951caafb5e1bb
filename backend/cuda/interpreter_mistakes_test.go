//go:build cgo && linux

package cuda

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/kernel"
)

// handWritten is a group kernel with a buffer of integers, whose instructions a test supplies. Before them, %rd1 is the
// address of the buffer, %r1 the thread and %r2 the block.
const handWritten = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k_hand(.param .u32 items, .param .u64 buffer, .param .u32 length)
{
	.reg .pred %p<8>;
	.reg .b16 %rs<8>;
	.reg .b32 %r<16>;
	.reg .f32 %f<8>;
	.reg .b64 %rd<16>;
	.shared .align 8 .b8 s[256];
	.shared .align 4 .b8 t[4];
	.local .align 8 .b8 depot[16];
	ld.param.u64 %rd1, [buffer];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
`

// handLanes is the number of threads of a block of a hand-written kernel.
const handLanes = 64

// handText returns the PTX of a hand-written kernel, and the number of the line with the comment "here".
func handText(body string) (ptx string, here int) {
	ptx = handWritten + body + "\n\tret;\n}\n"
	for i, line := range strings.Split(ptx, "\n") {
		if strings.Contains(line, "// here") {
			here = i + 1
		}
	}
	return ptx, here
}

// handDef returns the definition of a hand-written kernel.
func handDef(ptx string) *kernel.Def {
	def := kernels.FreshDef // a group kernel with the same parameters
	def.Lanes, def.Entry = handLanes, "k_hand"
	def.Module = &kernel.Module{Name: "hand", PTX: ptx}
	return &def
}

// runHand runs blocks of a hand-written kernel with a buffer, and returns its words.
func runHand(d *device, ptx string, blocks int32, words []uint32) ([]uint32, error) {
	l := &launch{buffers: [][]byte{make([]byte, 4*len(words))}}
	for i, word := range words {
		binary.LittleEndian.PutUint32(l.buffers[0][4*i:], word)
	}
	results, err := l.onDevice(d, handDef(ptx), blocks, 0)
	if err != nil {
		return nil, err
	}
	got := make([]uint32, len(words))
	for i := range got {
		got[i] = binary.LittleEndian.Uint32(results[0][4*i:])
	}
	return got, nil
}

// mistakes are kernels that a GPU would run, some of them with undefined results. want is what the interpreter says.
var mistakes = []struct {
	name, body string
	blocks     int32
	want       string // %d is the line of the comment "here"
}{
	{"register without a value", `
	add.s32 %r3, %r4, 1; // here`, 1,
		"line %d of its PTX (add.s32), block 0, thread 0: a register without a value read"},
	{"register without a value in one lane", `
	setp.ne.s32 %p1, %r1, 37;
	@%p1 mov.b32 %r4, 5;
	mov.b32 %r5, %r4;
	add.s32 %r3, %r5, 1; // here`, 1, "line %d of its PTX (add.s32), block 0, thread 37: a register without a value read"},
	{"predicate without a value", `
	@%p1 bra done; // here
	done:`, 1, "line %d of its PTX (bra), block 0, thread 0: a predicate without a value read"},
	{"register without a value stored", `
	st.shared.u32 [s], %r4; // here`, 1,
		"line %d of its PTX (st.shared.u32), block 0, thread 0: a register without a value read"},
	{"choice by a predicate without a value", `
	selp.b32 %r3, 1, 2, %p1; // here`, 1, "line %d of its PTX (selp.b32), block 0, thread 0: a register without a value read"},

	{"shared word without a value", `
	mul.wide.u32 %rd2, %r1, 4;
	mov.u64 %rd3, s;
	add.s64 %rd2, %rd2, %rd3;
	setp.eq.s32 %p1, %r1, 40;
	@!%p1 st.shared.u32 [%rd2], %r1;
	bar.sync 0;
	ld.shared.u32 %r3, [%rd2]; // here`, 1, "line %d of its PTX (ld.shared.u32), block 0, thread 40: " +
		"a read of a word without a value, s in shared memory, byte 160"},
	{"shared word with the value of another block", `
	setp.ne.s32 %p1, %r2, 0;
	@%p1 bra read;
	setp.ne.s32 %p2, %r1, 0;
	@%p2 bra done;
	st.shared.u32 [t], 1;
	bra done;
	read: ld.shared.u32 %r3, [t]; // here
	done:`, 2, "line %d of its PTX (ld.shared.u32), block 1, thread 0: " +
		"a read of a word without a value, t in shared memory, byte 0"},
	{"local word without a value", `
	mov.u64 %rd2, depot;
	st.local.u32 [%rd2], %r1;
	ld.local.v2.u32 {%r3, %r4}, [%rd2]; // here`, 1, "line %d of its PTX (ld.local.v2.u32), block 0, thread 0: " +
		"a read of a word without a value, depot in local memory, byte 4"},

	{"barrier in divergent flow", `
	setp.lt.s32 %p1, %r1, 16;
	@%p1 bra done;
	bar.sync 0; // here
	done:`, 1, "line %d of its PTX (bar.sync), block 0, thread 16: a barrier in divergent flow, " +
		"which thread 0 does not reach with it"},
	{"predicated barrier", `
	setp.ne.s32 %p1, %r1, 33;
	@%p1 bar.sync 0; // here`, 1, "line %d of its PTX (bar.sync), block 0, thread 32: a barrier in divergent flow, " +
		"which thread 33 does not reach with it"},
	{"barrier after some threads returned", `
	setp.lt.s32 %p1, %r1, 60;
	@!%p1 ret;
	bar.sync 0; // here`, 1, "line %d of its PTX (bar.sync), block 0, thread 32: a barrier in divergent flow, " +
		"which thread 60 cannot reach, because it has returned"},
	{"barrier that a warp does not reach", `
	setp.lt.s32 %p1, %r1, 32;
	@%p1 bra done;
	bar.sync 0; // here
	done:`, 1, "line %d of its PTX (bar.sync), block 0, thread 32: a barrier in divergent flow, where the warp of " +
		"thread 0 does not come, because it has returned"},
	{"warps at two barriers", `
	setp.lt.s32 %p1, %r1, 32;
	@%p1 bra other;
	bar.sync 0; // here
	bra done;
	other:
	bar.sync 0;
	done:`, 1, "line %d of its PTX (bar.sync), block 0, thread 32: a barrier in divergent flow, where the warp of " +
		"thread 0 waits at another barrier, on line 23"},

	{"two threads write a shared word", `
	st.shared.u32 [s+8], %r1; // here`, 1, "line %d of its PTX (st.shared.u32), block 0, thread 1: " +
		"a race: a write of what was written by thread 0, s in shared memory, byte 8"},
	{"two threads write the same value", `
	st.shared.u32 [s+8], 5; // here`, 1, "line %d of its PTX (st.shared.u32), block 0, thread 1: " +
		"a race: a write of what was written by thread 0, s in shared memory, byte 8"},
	{"a neighbour reads without a barrier", `
	mul.wide.u32 %rd2, %r1, 4;
	mov.u64 %rd3, s;
	add.s64 %rd2, %rd2, %rd3;
	st.shared.u32 [%rd2], %r1;
	setp.eq.s32 %p1, %r1, 0;
	@!%p1 ld.shared.u32 %r3, [%rd2+-4]; // here`, 1, "line %d of its PTX (ld.shared.u32), block 0, thread 1: " +
		"a race: a read of what was written by thread 0, s in shared memory, byte 0"},
	{"a write after reads of all without a barrier", `
	setp.ne.s32 %p1, %r1, 0;
	@%p1 bra wait;
	st.shared.u32 [t], 1;
	wait: bar.sync 0;
	ld.shared.u32 %r3, [t];
	@%p1 bra done;
	st.shared.u32 [t], 2; // here
	done:`, 1, "line %d of its PTX (st.shared.u32), block 0, thread 0: " +
		"a race: a write of what was read by several threads, t in shared memory, byte 0"},
	{"an atomic write and a plain read", `
	setp.ne.s32 %p1, %r1, 0;
	@%p1 bra wait;
	st.shared.u32 [t], 1;
	wait: bar.sync 0;
	mov.u64 %rd2, t;
	atom.shared.add.u32 %r3, [%rd2], 1;
	ld.shared.u32 %r4, [t]; // here`, 1, "line %d of its PTX (ld.shared.u32), block 0, thread 0: " +
		"a race: a read of what was written by several threads, t in shared memory, byte 0"},
	{"a plain write and an atomic one", `
	setp.eq.s32 %p1, %r1, 0;
	@%p1 st.global.u32 [%rd1], 1;
	atom.global.add.u32 %r3, [%rd1], 1; // here`, 1, "line %d of its PTX (atom.global.add.u32), block 0, thread 1: " +
		"a race: a write of what was written by thread 0, global memory at"},
	{"an atomic write and a plain one of another block, before an atomic one", `
	setp.eq.s32 %p1, %r1, 0;
	setp.eq.s32 %p2, %r2, 0;
	and.pred %p3, %p1, %p2;
	@%p3 st.global.u32 [%rd1], 1;
	bar.sync 0;
	atom.global.add.u32 %r3, [%rd1], 1; // here`, 2, "line %d of its PTX (atom.global.add.u32), block 1, thread 0: " +
		"a race: a write of what was written by several threads of another block, global memory at"},
	{"two threads write a global word", `
	st.global.u32 [%rd1+12], %r1; // here`, 1, "line %d of its PTX (st.global.u32), block 0, thread 1: " +
		"a race: a write of what was written by thread 0, global memory at"},
	{"two blocks write a global word", `
	setp.eq.s32 %p1, %r1, 9;
	@%p1 st.global.u32 [%rd1+12], %r2; // here`, 2, "line %d of its PTX (st.global.u32), block 1, thread 9: " +
		"a race: a write of what was written by thread 9 of another block, global memory at"},
	{"a block reads what another writes", `
	setp.eq.s32 %p1, %r1, 9;
	setp.eq.s32 %p2, %r2, 0;
	and.pred %p3, %p1, %p2;
	@%p3 st.global.u32 [%rd1], 1;
	bar.sync 0;
	ld.global.u32 %r3, [%rd1]; // here`, 2, "line %d of its PTX (ld.global.u32), block 1, thread 0: " +
		"a race: a read of what was written by thread 9 of another block, global memory at"},
	{"a block writes what two others have read", `
	ld.global.u32 %r3, [%rd1];
	bar.sync 0;
	setp.eq.s32 %p1, %r1, 9;
	setp.eq.s32 %p2, %r2, 2;
	and.pred %p3, %p1, %p2;
	@%p3 st.global.u32 [%rd1], 1; // here`, 3, "line %d of its PTX (st.global.u32), block 2, thread 9: " +
		"a race: a write of what was read by several threads of another block, global memory at"},
	{"a read past the cache of what was written", `
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd2, %rd2, %rd1;
	st.global.u32 [%rd2], %r1;
	ld.global.nc.u32 %r3, [%rd2]; // here`, 1, "line %d of its PTX (ld.global.nc.u32), block 0, thread 0: " +
		"a read past the cache of what the launch has written, global memory at"},

	{"two threads write a byte", `
	st.shared.u8 [s+9], %r1; // here`, 1, "line %d of its PTX (st.shared.u8), block 0, thread 1: " +
		"a race: a write of what was written by thread 0, s in shared memory, byte 9"},
	{"a word is read whose bytes others write", `
	cvt.u64.u32 %rd2, %r1;
	mov.u64 %rd3, s;
	add.s64 %rd2, %rd2, %rd3;
	st.shared.u8 [%rd2], %r1; // each thread its own byte
	setp.eq.s32 %p1, %r1, 9;
	@%p1 ld.shared.u32 %r3, [s+8]; // here`, 1, "line %d of its PTX (ld.shared.u32), block 0, thread 9: " +
		"a race: a read of what was written by thread 8, s in shared memory, byte 8"},
	{"a byte is written of a word that another has read", `
	ld.global.u32 %r3, [%rd1+4];
	setp.eq.s32 %p1, %r1, 5;
	@%p1 st.global.u16 [%rd1+6], %r3; // here`, 1, "line %d of its PTX (st.global.u16), block 0, thread 5: " +
		"a race: a write of what was read by several threads, global memory at"},
	{"shared byte without a value", `
	setp.eq.s32 %p1, %r1, 0;
	@%p1 st.shared.u8 [s+4], 1;
	@%p1 ld.shared.u32 %r3, [s+4];
	@%p1 ld.shared.u8 %r3, [s+5]; // here`, 1, "line %d of its PTX (ld.shared.u8), block 0, thread 0: " +
		"a read of a byte without a value, s in shared memory, byte 5"},
	{"local half word without a value", `
	mov.u64 %rd2, depot;
	st.local.u8 [%rd2+1], 1;
	ld.local.u16 %r3, [%rd2+2]; // here`, 1, "line %d of its PTX (ld.local.u16), block 0, thread 0: " +
		"a read of a word without a value, depot in local memory, byte 2"},
	{"misaligned half word", `
	ld.global.u16 %r3, [%rd1+1]; // here`, 1, "line %d of its PTX (ld.global.u16), block 0, thread 0: " +
		"an access of 2 bytes that is misaligned, global memory at"},
	{"byte behind a buffer", `
	ld.global.u8 %r3, [%rd1+256]; // here`, 1, "line %d of its PTX (ld.global.u8), block 0, thread 0: " +
		"a read of 1 bytes out of bounds, global memory at"},

	{"read behind a buffer", `
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd2, %rd2, %rd1;
	ld.global.u32 %r3, [%rd2+4]; // here`, 1, "line %d of its PTX (ld.global.u32), block 0, thread 63: " +
		"a read of 4 bytes out of bounds, global memory at"},
	{"write before a buffer", `
	st.global.u32 [%rd1+-4], %r1; // here`, 1, "line %d of its PTX (st.global.u32), block 0, thread 0: " +
		"a write of 4 bytes out of bounds, global memory at"},
	{"read of no address", `
	mov.u64 %rd2, 0;
	ld.global.u32 %r3, [%rd2]; // here`, 1, "line %d of its PTX (ld.global.u32), block 0, thread 0: " +
		"a read of 4 bytes out of bounds, global memory at 0x0"},
	{"write behind a shared variable", `
	mul.wide.u32 %rd2, %r1, 4;
	mov.u64 %rd3, s;
	add.s64 %rd2, %rd2, %rd3;
	st.shared.u32 [%rd2+4], %r1; // here`, 1, "line %d of its PTX (st.shared.u32), block 0, thread 63: " +
		"a write of 4 bytes out of bounds, shared memory, byte 264"},
	{"read behind all shared variables", `
	ld.shared.u32 %r3, [s+4096]; // here`, 1, "line %d of its PTX (ld.shared.u32), block 0, thread 0: " +
		"a read of 4 bytes out of bounds, shared memory, byte 4104"},
	{"read at the end of all addresses, after one that is right", `
	setp.eq.s32 %p1, %r1, 5;
	selp.b64 %rd2, -4, %rd1, %p1;
	ld.global.u32 %r3, [%rd2]; // here`, 1, "line %d of its PTX (ld.global.u32), block 0, thread 5: " +
		"a read of 4 bytes out of bounds, global memory at 0xfffffffffffffffc"},
	{"write behind local memory", `
	mov.u64 %rd2, depot;
	st.local.u32 [%rd2+64], %r1; // here`, 1, "line %d of its PTX (st.local.u32), block 0, thread 0: " +
		"a write of 4 bytes out of bounds, local memory, byte 72"},
	{"write just behind a local variable", `
	mov.u64 %rd2, depot;
	st.local.u32 [%rd2+16], %r1; // here`, 1, "line %d of its PTX (st.local.u32), block 0, thread 0: " +
		"a write of 4 bytes out of bounds, local memory, byte 24"},
	{"generic write behind shared memory", `
	mov.u64 %rd2, s;
	cvta.shared.u64 %rd2, %rd2;
	st.u32 [%rd2+8192], %r1; // here`, 1, "line %d of its PTX (st.u32), block 0, thread 0: " +
		"a write of 4 bytes out of bounds, shared memory, byte 8200"},
	{"misaligned word", `
	ld.global.u32 %r3, [%rd1+2]; // here`, 1, "line %d of its PTX (ld.global.u32), block 0, thread 0: " +
		"an access of 4 bytes that is misaligned, global memory at"},
	{"misaligned half word, into a register of 16 bits", `
	ld.global.u16 %rs1, [%rd1+1]; // here`, 1, "line %d of its PTX (ld.global.u16), block 0, thread 0: " +
		"an access of 2 bytes that is misaligned, global memory at"},
	{"byte behind a buffer, into a register of 16 bits", `
	ld.global.u8 %rs1, [%rd1+256]; // here`, 1, "line %d of its PTX (ld.global.u8), block 0, thread 0: " +
		"a read of 1 bytes out of bounds, global memory at"},
	{"misaligned pair", `
	st.shared.v2.u32 [s+4], {%r1, %r1}; // here`, 1, "line %d of its PTX (st.shared.v2.u32), block 0, thread 0: " +
		"an access of 8 bytes that is misaligned, s in shared memory, byte 4"},
	{"pair in a variable that is aligned for words", `
	.shared .align 4 .b8 u[16];
	st.shared.v2.u32 [u], {%r1, %r1}; // here`, 1, "line %d of its PTX (st.shared.v2.u32), block 0, thread 0: " +
		"an access of 8 bytes that is misaligned, u in shared memory, byte 0"},

	{"uniform branch of some threads", `
	setp.lt.s32 %p1, %r1, 5;
	@%p1 bra.uni done; // here
	mov.u32 %r3, 1;
	done:`, 1, "line %d of its PTX (bra.uni), block 0, thread 0: " +
		"a uniform branch that some lanes take and others do not"},
	{"loop without an end", `
	again:
	add.s32 %r1, %r1, 1;
	bra again; // here`, 1, "line %d of its PTX (bra), block 0, thread 0: more than 1000 instructions: a loop without an end"},
}

// The interpreter says which thread makes which mistake on which line, and the device is lost.
func TestInterpretedMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			e := startInterpreter(t, 12080)
			e.LimitSteps(1000)
			d := openDevice(t)
			ptx, line := handText(m.body)
			require.NotZero(t, line, "the body has no comment")
			_, err := runHand(d, ptx, m.blocks, make([]uint32, handLanes))
			want := "k_hand, " + strings.Replace(m.want, "%d", fmt.Sprint(line), 1)
			require.ErrorContains(t, err, want)
			require.ErrorIs(t, err, backend.ErrDeviceLost)
			require.Contains(t, e.Complaint(), want)
			require.ErrorIs(t, d.Close(), backend.ErrDeviceLost)
		})
	}
}

// A kernel has the limit of threads that its PTX declares, and a block with more is refused.
func TestInterpretedLimitOfThreads(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	limited := func(threads int) *kernel.Def {
		ptx, _ := handText("")
		return handDef(strings.Replace(ptx, ")\n{", fmt.Sprintf(")\n.maxntid %d, 1, 1\n{", threads), 1))
	}
	require.NoError(t, d.Load(limited(handLanes)))
	err := d.Load(limited(handLanes - 1))
	require.ErrorIs(t, err, backend.ErrUnsupported)
	require.ErrorContains(t, err, "its groups have 64 lanes, and the device can run 63 threads of it together")
	require.ErrorContains(t, d.Load(limited(2048)), ".maxntid outside 1 to 1024: 2048")
}
