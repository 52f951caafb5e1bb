//go:build cgo && (linux || darwin)

package vulkan

import (
	"fmt"
	"math"
)

// finding is the result of the probe of a device's float arithmetic.
type finding struct {
	// Exact: sums, products, comparisons and conversions are correctly rounded, are not contracted, and keep signed zeros
	// and NaN. Only denormals may count as zeros of their sign, where Denormals is false.
	Exact      bool
	Denormals  bool   // sums, products and comparisons keep denormals
	Division   bool   // division is as exact as the rest
	SquareRoot bool   // the same for the square root
	Example    string // a case that shows that the device is not Exact
}

// probeInputs and probeValues are the numbers of inputs and results of a case.
const (
	probeInputs = 3
	probeValues = 10
)

// The results of the probe's shader in order.
const (
	sumValue = iota
	differenceValue
	productValue
	fusedValue
	lostValue
	comparisonValue
	conversionValue // of the bits of x as an integer
	truncationValue
	divisionValue
	rootValue
)

// valueNames names the results. Only the last two can be corrected.
var valueNames = [probeValues]string{"x+y", "x-y", "x*y", "x*y+z", "y-((x+y)-x)", "comparisons", "float(bits of x)",
	"int(x)", "x/y", "sqrt(x)"}

// exactness is how the results of a device compare with those of Go.
type exactness int

const (
	exact exactness = iota
	flushing
	wrong
)

// observations collects the cases of the probe.
type observations struct {
	worst   [probeValues]exactness
	example string // the first wrong case
}

// finding returns what the cases so far say.
func (o *observations) finding() finding {
	arithmetic := exact
	for _, worst := range o.worst[:divisionValue] {
		arithmetic = max(arithmetic, worst)
	}
	// If only division flushes, it is corrected, so that the device keeps denormals everywhere.
	allowed := min(arithmetic, flushing)
	return finding{Exact: arithmetic != wrong, Denormals: arithmetic == exact, Division: o.worst[divisionValue] <= allowed,
		SquareRoot: o.worst[rootValue] <= allowed, Example: o.example}
}

// compare compares the results of a case with Go's. All NaN count as equal: no kernel lets a NaN reach an output.
func (o *observations) compare(inputs *[probeInputs]uint32, results *[probeValues]uint32) {
	c := probedCase{math.Float32frombits(inputs[0]), math.Float32frombits(inputs[1]), math.Float32frombits(inputs[2])}
	for value, got := range results {
		if o.worst[value] == wrong {
			continue
		}
		found := exact
		if value == comparisonValue {
			found = c.classifyComparisons(got)
		} else if value == truncationValue {
			if got != truncated(c.x) {
				found = wrong
			}
		} else if want := math.Float32bits(c.evaluate(value, keepAll)); !sameFloat(want, got) {
			found = c.classify(value, got)
		}
		o.worst[value] = max(o.worst[value], found)
		if found == wrong && value < divisionValue && o.example == "" {
			o.example = fmt.Sprintf("%s is %#08x for x=%#08x y=%#08x z=%#08x", valueNames[value], got, inputs[0], inputs[1],
				inputs[2])
			if value != comparisonValue && value != truncationValue {
				o.example += fmt.Sprintf(", want %#08x", math.Float32bits(c.evaluate(value, keepAll)))
			}
		}
	}
}

// sameFloat returns whether two bit patterns are equal or both NaN.
func sameFloat(a, b uint32) bool { return a == b || isNaN(a) && isNaN(b) }

func isNaN(bits uint32) bool { return bits&0x7fffffff > 0x7f800000 }

// probedCase is the inputs of a case.
type probedCase struct{ x, y, z float32 }

// flushes is a set of the places of a computation where a denormal becomes zero: an input or a result of one operation.
type flushes uint

const (
	keepAll  flushes = 0
	places           = 7
	flushAll flushes = 1<<places - 1
)

// classify returns whether a result that is not Go's is what a device computes that flushes denormals somewhere.
// Devices flush some inputs and keep others, so all sets of places are tried, the most likely one first.
func (c probedCase) classify(value int, got uint32) exactness {
	for set := flushAll; set > keepAll; set-- {
		if sameFloat(math.Float32bits(c.evaluate(value, set)), got) {
			return flushing
		}
	}
	return wrong
}

// evaluate computes a result with flushes at a set of places.
func (c probedCase) evaluate(value int, set flushes) float32 {
	x, y := set.flush(0, c.x), set.flush(1, c.y)
	switch value {
	case sumValue:
		return set.flush(2, x+y)
	case differenceValue:
		return set.flush(2, x-y)
	case productValue:
		return set.product(2, x, y)
	case fusedValue:
		return set.flush(4, set.product(2, x, y)+set.flush(3, c.z))
	case lostValue:
		return set.flush(6, set.flush(5, c.y)-set.flush(4, set.flush(2, x+y)-set.flush(3, c.x)))
	case conversionValue:
		return float32(int32(math.Float32bits(c.x)))
	case divisionValue:
		return set.tiny(2, x/y, float64(x)/float64(y))
	default:
		return float32(math.Sqrt(float64(x)))
	}
}

const minNormal = 0x1p-126

// flush returns zero with the sign of v, if v is a denormal and the place is in the set.
func (f flushes) flush(place int, v float32) float32 { return f.tiny(place, v, float64(v)) }

// tiny does the same where v is unrounded rounded: devices that decide before they round flush what rounds up to the
// smallest normal number too.
func (f flushes) tiny(place int, v float32, unrounded float64) float32 {
	if f&(1<<place) != 0 && math.Abs(unrounded) < minNormal {
		return float32(math.Copysign(0, unrounded))
	}
	return v
}

// product multiplies. The product of two float32 is exact in a float64.
func (f flushes) product(place int, x, y float32) float32 {
	return f.tiny(place, float32(x*y), float64(x)*float64(y))
}

// truncated returns x without its fraction, as an int32, and 0 for a number that does not fit.
func truncated(x float32) uint32 {
	if math.Abs(float64(x)) < 1<<31 {
		return uint32(int32(x))
	}
	return 0
}

// comparisons returns the comparisons of the probe's shader, as bits.
func comparisons(x, y float32) uint32 {
	bits := uint32(0)
	for bit, holds := range [...]bool{x < y, x <= y, x == y, x != x, x == 0, x > y, x >= y, x != y, !(x < y), !(x <= y)} {
		if holds {
			bits |= 1 << bit
		}
	}
	return bits
}

// classifyComparisons compares each comparison with those of Go, in which inputs may be flushed.
func (c probedCase) classifyComparisons(got uint32) exactness {
	if got == comparisons(c.x, c.y) {
		return exact
	}
	var holds, fails uint32
	for set := flushes(0); set < 4; set++ {
		bits := comparisons(set.flush(0, c.x), set.flush(1, c.y))
		holds, fails = holds|bits, fails|^bits
	}
	if got&^holds == 0 && ^got&^fails == 0 {
		return flushing
	}
	return wrong
}
