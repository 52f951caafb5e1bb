package entries

//kernel:thread
func é(i int32, x []int32) { x[i] = 1 }

//kernel:thread
func u00e9(i int32, x []int32) { x[i] = 1 } // want "name: kernels é and u00e9 are both k_u00e9 in CUDA C .rename one."
