package names

// The generated code has names of its own, which the source may use as well.

//kernel:thread
func names(i, n, lc, l, exec_, run, twin, math, args, first, last, seed int32, out []float32, threads float32) {
	kernel_ := float32(run + twin + math + args + first + last + seed + n + lc + l + exec_)
	out[i] = kernel_ + threads
}
