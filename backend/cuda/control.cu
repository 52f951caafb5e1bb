// The kernel that decides a conditional node. It is a module of its own, because a driver without conditional nodes may
// refuse a module that names cudaGraphSetConditional. The driver resolves that name when it loads the module.
//
//   clang-19 -x cuda --cuda-device-only -S -O2 -nocudainc -nocudalib -std=c++17 --cuda-gpu-arch=sm_70
//     --cuda-feature=+ptx70 control.cu -o control.ptx

extern "C" __attribute__((device)) void cudaGraphSetConditional(unsigned long long handle, unsigned int value);

extern "C" __attribute__((global)) void trackgen_set_if(unsigned long long handle, const int *flag) {
	cudaGraphSetConditional(handle, *flag != 0);
}
