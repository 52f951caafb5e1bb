package export

// heightScale are colours at equal steps of height, from low to high: the scale viridis of S. van der Walt and N. Smith
// (2015). Its lightness grows evenly, so that people of any colour vision, and prints in grey, see the same order.
var heightScale = [...]rgb{
	{0x44, 0x01, 0x54}, {0x47, 0x2d, 0x7b}, {0x3b, 0x52, 0x8b}, {0x2c, 0x72, 0x8e}, {0x21, 0x90, 0x8c},
	{0x27, 0xad, 0x81}, {0x5d, 0xc8, 0x63}, {0xaa, 0xdc, 0x32}, {0xfd, 0xe7, 0x25},
}

// heightColor returns the colour at fraction t, 0 to 1, of a range of heights. It is grey for NaN.
func heightColor(t float64) rgb {
	if t != t {
		return poleColor
	}
	const last = len(heightScale) - 1
	at := clamp(t, 0, 1) * float64(last)
	i := min(int(at), last-1)
	return blend(heightScale[i], heightScale[i+1], at-float64(i))
}

// blend returns the colour at fraction t of the way from a to b.
func blend(a, b rgb, t float64) rgb {
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + float64((float64(y)-float64(x))*t) + 0.5) }
	return rgb{mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)}
}
