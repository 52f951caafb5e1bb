package thread_kernel

//kernel:thread
func set(i int32, args []float32, first int32) {
	args[i] = float32(first)
}
