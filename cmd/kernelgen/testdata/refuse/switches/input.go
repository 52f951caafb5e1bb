package switches

//kernel:thread
func work(i int32, out []float32, n []int32) {
	switch n[i] {
	case 1, 2:
		out[i] = 1
		fallthrough // want "switch: fallthrough"
	case n[0]: // want "switch: a case that is no constant"
		break
	default:
	}
	switch {
	case n[i] > 2:
		break // want "switch: a break that leaves a switch without a tag"
	}
	switch out[i] { // want "switch: a switch on a float32"
	case 1:
	}
	for {
		switch {
		case n[i] > 2:
			continue
		}
		break
	}

}
