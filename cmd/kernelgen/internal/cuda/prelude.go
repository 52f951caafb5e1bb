package cuda

// prelude begins the CUDA C of every package. Compiled for the host, it runs the items of a launch one after the other
// with one lane, from the first item on. A host that runs several lanes defines KG_LANE and the like itself. NAME_host
// takes the parameters of an entry as cuLaunchKernel does.
const prelude = `#ifdef __CUDA__

#define KG_ENTRY(block) extern "C" __attribute__((global)) __attribute__((launch_bounds(block)))
#define KG_MEMBER __attribute__((device)) __attribute__((always_inline))
#define KG_DEVICE static inline KG_MEMBER
#define KG_SHARED __attribute__((shared))
#define KG_BLOCK ((unsigned)__nvvm_read_ptx_sreg_ctaid_x())
#define KG_BLOCKS ((unsigned)__nvvm_read_ptx_sreg_nctaid_x())
#define KG_LANE __nvvm_read_ptx_sreg_tid_x()
#define KG_LANES __nvvm_read_ptx_sreg_ntid_x()
#define KG_BARRIER() __syncthreads()

KG_DEVICE float kg_sqrt(float x) { return __nvvm_sqrt_rn_f(x); }
KG_DEVICE void kg_atomic_add(int *element, int value) { __nvvm_atom_add_gen_i(element, value); }
KG_DEVICE void kg_atomic_max(int *element, int value) { __nvvm_atom_max_gen_i(element, value); }
KG_DEVICE void kg_atomic_or(int *element, int value) { __nvvm_atom_or_gen_i(element, value); }

#else

#define KG_HOST
#define KG_ENTRY(block) extern "C"
#define KG_MEMBER
#define KG_DEVICE static inline

static thread_local unsigned kg_block;

#ifndef KG_LANE
#define KG_LANE 0
#define KG_LANES 1
#define KG_BARRIER() ((void)0)
#define KG_SHARED
#define KG_BLOCK kg_block
#define KG_BLOCKS 1u
#endif

KG_DEVICE float kg_sqrt(float x) { return __builtin_sqrtf(x); }
KG_DEVICE void kg_atomic_add(int *element, int value) {
	__atomic_fetch_add((unsigned *)element, (unsigned)value, __ATOMIC_RELAXED);
}
KG_DEVICE void kg_atomic_or(int *element, int value) { __atomic_fetch_or(element, value, __ATOMIC_RELAXED); }
KG_DEVICE void kg_atomic_max(int *element, int value) {
	int old = __atomic_load_n(element, __ATOMIC_RELAXED);
	while (old < value &&
		!__atomic_compare_exchange_n(element, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
	}
}

#endif

// Integers wrap, as in Go.
KG_DEVICE int kg_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
KG_DEVICE int kg_sub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
KG_DEVICE int kg_mul(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
KG_DEVICE int kg_neg(int a) { return (int)(0u - (unsigned)a); }
KG_DEVICE int kg_shl(int a, int count) { return (int)((unsigned)a << count); }
KG_DEVICE int kg_shl(int a, unsigned count) { return (int)((unsigned)a << count); }
KG_DEVICE int kg_quo(int a, int b) { return b == -1 ? kg_neg(a) : a / b; }
KG_DEVICE int kg_rem(int a, int b) { return b == -1 ? 0 : a % b; }
KG_DEVICE int kg_min(int a, int b) { return a < b ? a : b; }
KG_DEVICE int kg_max(int a, int b) { return a > b ? a : b; }
KG_DEVICE unsigned kg_min(unsigned a, unsigned b) { return a < b ? a : b; }
KG_DEVICE unsigned kg_max(unsigned a, unsigned b) { return a > b ? a : b; }

KG_DEVICE unsigned kg_bits(float x) { return __builtin_bit_cast(unsigned, x); }
KG_DEVICE float kg_float(unsigned bits) { return __builtin_bit_cast(float, bits); }

// kernel.ToInt32: toward zero, saturating, 0 for a NaN.
KG_DEVICE int kg_to_int(float x) {
	if (x >= 2147483648.0f) {
		return 2147483647;
	}
	if (x < -2147483648.0f) {
		return -2147483647 - 1;
	}
	return x == x ? (int)x : 0;
}
`
