package shadows

// Names that are taken in other languages, names that hide others, and letters that others do not have.

type sample struct {
	filter, X, x float32
	λ__, λ_0     int32
}

func precise(half, input float32) float32 { return half - input }

//kernel:thread
func active(i int32, buffer, output, common []float32, patch int32) {
	half := buffer[i]
	{
		half := half + 1
		output[i] = precise(half, 2)
	}
	for i := range patch {
		i := i * 2
		half += float32(i)
	}
	if half := half + 3; half > 2 {
		output[i] = half
	}
	ω := sample{filter: half, λ__: 1, λ_0: 2, X: 3, x: 4}
	_x, x__y, x_ := ω.filter, ω.X, ω.x
	common[i] = _x + x__y - x_ + float32(ω.λ__-ω.λ_0)
	asm, signed, template, gl_Position, KG_LANE := half, half, half, half, half
	common[i] += asm + signed + template + gl_Position + KG_LANE
}
