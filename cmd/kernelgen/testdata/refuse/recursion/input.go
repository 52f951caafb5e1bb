package recursion

//kernel:thread
func work(i int32, out []float32, n []int32) {
	out[i] = first(3)

}

func first(n int32) float32 { return second(n) }

func second(n int32) float32 {
	if n > 0 {
		return first(n - 1) // want "recursion: first calls itself"
	}
	return 1
}
