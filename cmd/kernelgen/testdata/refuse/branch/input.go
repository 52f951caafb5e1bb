package branch

//kernel:thread
func work(i int32, out []float32, n []int32) {
outer: // want "branch: label outer"
	for j := int32(0); j < 3; j++ {
		for {
			break outer // want "branch: break with a label"
		}
		goto end // want "branch: goto with a label"
	}
end: // want "branch: label end"
	out[i] = 1

}
