//go:build cgo && linux

package cuda

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// valued is the begin of kernels in which thread 7, for which %p1 is false, gives the word t the value 5. %p2 is false
// for thread 8 alone, and %rd2 is the address of the thread's word of the buffer.
const valued = `
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd2, %rd2, %rd1;
	setp.ne.s32 %p1, %r1, 7;
	setp.ne.s32 %p2, %r1, 8;
	@!%p1 st.shared.u32 [t], 5;
	bar.sync 0;`

// speculative are kernels in which all threads load a word that thread 7 writes without a barrier between, and which
// are right because other threads do not use what they loaded. words are those of the buffer that are not 0.
var speculative = []struct {
	name, body string
	words      map[int]uint32
}{
	{"used on a branch", valued + `
	ld.shared.u32 %r3, [t];
	@%p1 bra done;
	and.b32 %r3, %r3, 3;
	st.shared.u32 [t], %r3;
	st.global.u32 [%rd2], %r3;
	done:`, map[int]uint32{7: 1}},
	{"loaded before a loop", valued + `
	ld.shared.u32 %r3, [t];
	mov.u32 %r4, %r1;
	again: setp.ne.s32 %p3, %r4, 7;
	@%p3 bra next;
	and.b32 %r3, %r3, 3;
	st.shared.u32 [t], %r3;
	next: add.s32 %r4, %r4, 64;
	setp.lt.s32 %p3, %r4, 256;
	@%p3 bra again;
	bar.sync 0;
	@!%p2 ld.shared.u32 %r5, [t];
	@!%p2 st.global.u32 [%rd2], %r5;`, map[int]uint32{8: 1}},
	{"loaded by a register with the address", valued + `
	mov.u64 %rd3, s;
	add.s64 %rd4, %rd3, 8;
	@!%p1 st.shared.v2.u32 [%rd4], {%r1, %r1};
	ld.shared.v2.u32 {%r3, %r4}, [s+8];
	ld.shared.u32 %r5, [%rd4+4];
	add.s32 %r5, %r5, %r4;
	@!%p1 st.global.u32 [%rd2], %r5;`, map[int]uint32{7: 14}},
	{"chosen by a select", valued + `
	ld.shared.u32 %r3, [t];
	selp.b32 %r4, 0, %r3, %p1;
	selp.b32 %r5, %r3, 0, %p1;
	@!%p1 st.shared.u32 [t], %r5;
	st.global.u32 [%rd2], %r4;`, map[int]uint32{7: 5}},
	{"replaced by a move", valued + `
	ld.shared.u32 %r3, [t];
	@!%p1 bra store;
	mov.b32 %r3, 0;
	store: @!%p1 st.shared.u32 [t], 6;
	st.global.u32 [%rd2], %r3;`, map[int]uint32{7: 5}},
	{"in a condition that another one decides", valued + `
	ld.shared.u32 %r3, [t];
	setp.ne.s32 %p3, %r3, 5;
	or.pred %p4, %p1, %p3;
	@%p4 bra done;
	not.pred %p5, %p4;
	and.pred %p6, %p5, %p3;
	not.pred %p3, %p3;
	not.pred %p5, %p1;
	and.pred %p6, %p3, %p5;
	st.shared.u32 [t], 6;
	@%p6 st.global.u32 [%rd2], 1;
	done:`, map[int]uint32{7: 1}},
	{"without a value", `
	ld.shared.u32 %r3, [t];
	setp.eq.s32 %p1, %r1, 99;
	@!%p1 bra done;
	st.global.u32 [%rd1], %r3;
	done:`, nil},
	{"used after a barrier", valued + `
	ld.shared.u32 %r3, [t];
	bar.sync 0;
	@!%p1 st.shared.u32 [t], 6;
	@!%p2 st.global.u32 [%rd2], %r3;`, map[int]uint32{8: 5}},
	{"loaded again after a barrier", valued + `
	mov.b32 %r4, 0;
	again: ld.shared.u32 %r3, [t];
	setp.eq.s32 %p3, %r4, 1;
	@%p3 bra use;
	@!%p1 st.shared.u32 [t], 6;
	mov.b32 %r4, 1;
	bar.sync 0;
	bra again;
	use: @!%p2 st.global.u32 [%rd2], %r3;`, map[int]uint32{8: 6}},
}

// A load whose value is not used is no read, because compilers load words before they know whether they need them.
func TestInterpretedSpeculation(t *testing.T) {
	for _, s := range speculative {
		t.Run(s.name, func(t *testing.T) {
			startInterpreter(t, 12080)
			ptx, _ := handText(s.body)
			got, err := runHand(openTest(t), ptx, 1, make([]uint32, handLanes))
			require.NoError(t, err)
			for thread, word := range got {
				require.Equal(t, s.words[thread], word, "the word of thread %d", thread)
			}
		})
	}
}

// usedSpeculations are kernels like the speculative ones, but a thread uses what it loaded. want is what the
// interpreter says of the line with the comment "here".
var usedSpeculations = []struct{ name, body, want string }{
	{"used by all threads", valued + `
	ld.shared.u32 %r3, [t];
	st.global.u32 [%rd2], %r3;
	@!%p1 st.shared.u32 [t], 6; // here`, "(st.shared.u32), block 0, thread 7: " +
		"a race: a write of what was read by several threads, t in shared memory, byte 0"},
	{"used on a branch, before a write", valued + `
	ld.shared.u32 %r3, [t];
	@%p2 bra write;
	st.global.u32 [%rd2], %r3;
	write: @!%p1 st.shared.u32 [t], 6; // here`, "(st.shared.u32), block 0, thread 7: " +
		"a race: a write of what was read by thread 8, t in shared memory, byte 0"},
	{"used on a branch, before a write of another warp", valued + `
	ld.shared.u32 %r3, [t];
	@!%p2 st.global.u32 [%rd2], %r3;
	setp.eq.s32 %p3, %r1, 40;
	@%p3 st.shared.u32 [t], 6; // here`, "(st.shared.u32), block 0, thread 40: " +
		"a race: a write of what was read by thread 8, t in shared memory, byte 0"},
	{"used on a branch, after a write", valued + `
	ld.shared.u32 %r3, [t]; // here
	@!%p1 st.shared.u32 [t], 6;
	@!%p2 st.global.u32 [%rd2], %r3;`, "(ld.shared.u32), block 0, thread 8: " +
		"a race: a read of what was written by thread 7, t in shared memory, byte 0"},
	{"used after a barrier", valued + `
	ld.shared.u32 %r3, [t]; // here
	@!%p1 st.shared.u32 [t], 6;
	bar.sync 0;
	@!%p1 st.shared.u32 [t], 6;
	bar.sync 0;
	@!%p2 st.global.u32 [%rd2], %r3;`, "(ld.shared.u32), block 0, thread 8: " +
		"a race: a read of what was written by thread 7, t in shared memory, byte 0"},
	{"barrier left out", `
	setp.ne.s32 %p1, %r1, 7;
	@!%p1 st.shared.u32 [t], 5;
	bar.sync 0;
	@!%p1 st.shared.u32 [t], 6;
	ld.shared.u32 %r3, [t]; // here
	setp.gt.s32 %p2, %r1, 20;
	@%p2 bra done;
	st.global.u32 [%rd1], %r3;
	done:`, "(ld.shared.u32), block 0, thread 0: " +
		"a race: a read of what was written by thread 7, t in shared memory, byte 0"},
	{"derived and chosen", valued + `
	ld.shared.u32 %r3, [t]; // here
	@!%p1 st.shared.u32 [t], 6;
	add.s32 %r4, %r3, 1;
	selp.b32 %r5, %r1, %r4, %p2;
	st.global.u32 [%rd2], %r5;`, "(ld.shared.u32), block 0, thread 8: " +
		"a race: a read of what was written by thread 7, t in shared memory, byte 0"},
	{"in the choice of a select", valued + `
	ld.shared.u32 %r3, [t]; // here
	@!%p1 st.shared.u32 [t], 6;
	setp.gt.s32 %p3, %r3, 2;
	selp.b32 %r5, 1, 2, %p3;
	@!%p2 st.global.u32 [%rd2], %r5;`, "(ld.shared.u32), block 0, thread 8: " +
		"a race: a read of what was written by thread 7, t in shared memory, byte 0"},
	{"in a condition that no other one decides", valued + `
	ld.shared.u32 %r3, [t]; // here
	@!%p1 st.shared.u32 [t], 6;
	setp.gt.s32 %p3, %r3, 2;
	or.pred %p4, %p3, %p2;
	@%p4 bra done;
	st.global.u32 [%rd2], 1;
	done:`, "(ld.shared.u32), block 0, thread 8: " +
		"a race: a read of what was written by thread 7, t in shared memory, byte 0"},
	{"in the predicate of a move", valued + `
	ld.shared.u32 %r3, [t]; // here
	@!%p1 st.shared.u32 [t], 6;
	@%p2 bra done;
	setp.gt.s32 %p3, %r3, 2;
	@%p3 mov.b32 %r3, 1;
	done:`, "(ld.shared.u32), block 0, thread 8: " +
		"a race: a read of what was written by thread 7, t in shared memory, byte 0"},
	{"in an address", valued + `
	ld.shared.u32 %r3, [t]; // here
	@!%p1 st.shared.u32 [t], 6;
	mul.wide.u32 %rd3, %r3, 4;
	add.s64 %rd3, %rd3, %rd1;
	@!%p2 ld.global.u32 %r4, [%rd3];`, "(ld.shared.u32), block 0, thread 8: " +
		"a race: a read of what was written by thread 7, t in shared memory, byte 0"},
	{"half a word", valued + `
	ld.shared.u16 %r3, [t+2]; // here
	@!%p1 st.shared.u8 [t+3], 6;
	@!%p2 st.global.u32 [%rd2], %r3;`, "(ld.shared.u16), block 0, thread 8: " +
		"a race: a read of what was written by thread 7, t in shared memory, byte 3"},
	{"without a value", `
	setp.eq.s32 %p1, %r1, 9;
	ld.shared.u32 %r3, [t]; // here
	@!%p1 bra done;
	st.shared.u32 [t], 5;
	st.global.u32 [%rd1], %r3;
	done:`, "(ld.shared.u32), block 0, thread 9: a read of a word without a value, t in shared memory, byte 0"},
}

// A load is a read, with all checks, when its value is used, whenever that is.
func TestInterpretedUsesOfSpeculation(t *testing.T) {
	for _, s := range usedSpeculations {
		t.Run(s.name, func(t *testing.T) {
			e := startInterpreter(t, 12080)
			d := openDevice(t)
			ptx, line := handText(s.body)
			_, err := runHand(d, ptx, 1, make([]uint32, handLanes))
			want := fmt.Sprintf("k_hand, line %d of its PTX ", line) + s.want
			require.ErrorContains(t, err, want)
			require.Contains(t, e.Complaint(), want)
			require.ErrorIs(t, d.Close(), backend.ErrDeviceLost)
		})
	}
}
