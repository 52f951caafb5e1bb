package repulsive

// window begins a window of the bounded loop. It clears the flag unfinished[0], which the iterations of the window set
// again where an env goes on, and stores the number of the window, from 1, in windows[0]. It does nothing if no env is
// active. It runs as one thread.
//
//kernel:thread
func window(i int32, active []int32, number int32, unfinished, windows []int32) {
	if active[0] == 0 {
		return
	}
	unfinished[i] = 0
	windows[i] = number
}
