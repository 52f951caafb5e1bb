package centerline

// Before returns the index before i on a closed loop of n points.
func Before(i, n int32) int32 {
	if i == 0 {
		return n - 1
	}
	return i - 1
}

// After returns the index after i on a closed loop of n points.
func After(i, n int32) int32 {
	if i+1 == n {
		return 0
	}
	return i + 1
}
