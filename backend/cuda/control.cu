// The kernels that decide conditional nodes, and one with which the probe counts. They are a module of their own, because a driver without conditional nodes
// may refuse a module that names cudaGraphSetConditional. The driver resolves that name when it loads the module.
//
//   clang-19 -x cuda --cuda-device-only -S -O2 -nocudainc -nocudalib -std=c++17 --cuda-gpu-arch=sm_70
//     --cuda-feature=+ptx70 control.cu -o control.ptx

extern "C" __attribute__((device)) void cudaGraphSetConditional(unsigned long long handle, unsigned int value);

#define KERNEL extern "C" __attribute__((global)) void

// Runs before an IF node.
KERNEL trackgen_set_if(unsigned long long handle, const int *flag) {
	cudaGraphSetConditional(handle, *flag != 0);
}

// Runs before a WHILE node. It sets left, the number of iterations that are left, to limit, which is 1 or more.
KERNEL trackgen_begin_while(unsigned long long handle, const int *flag, int *left, int limit) {
	*left = limit;
	cudaGraphSetConditional(handle, *flag != 0);
}

// Runs at the end of the body of a WHILE node.
KERNEL trackgen_next_while(unsigned long long handle, const int *flag, int *left) {
	*left -= 1;
	cudaGraphSetConditional(handle, *flag != 0 && *left > 0);
}

// Counts how often the body of a conditional runs. It has the interface of the kernels of package kernel, with one group
// of one lane.
KERNEL trackgen_count(int n, int *word, int length) { *word += 1; }
