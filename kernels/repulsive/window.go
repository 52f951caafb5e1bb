package repulsive

// window begins a window of the bounded loop: it takes back the flag unfinished [1], which the iterations of the window set
// again where an env goes on, and notes its number, from 1, in windows [1]. A generation of no envs changes nothing. One
// thread.
//
//kernel:thread
func window(i int32, active []int32, number int32, unfinished, windows []int32) {
	if active[0] == 0 {
		return
	}
	unfinished[i] = 0
	windows[i] = number
}
