package twin

import (
	"fmt"
	"math"
)

// Integer is the integer types of kernels.
type Integer interface{ ~int32 | ~uint32 }

// Divide returns x / y.
func Divide[T Integer](r *Run, x, y T, site int32) T {
	divisible(r, x, y, site)
	return x / y
}

// Remainder returns x % y.
func Remainder[T Integer](r *Run, x, y T, site int32) T {
	divisible(r, x, y, site)
	return x % y
}

// DivideAssign is *x /= y.
func DivideAssign[T Integer](r *Run, x *T, y T, site int32) { *x = Divide(r, *x, y, site) }

// RemainderAssign is *x %= y.
func RemainderAssign[T Integer](r *Run, x *T, y T, site int32) { *x = Remainder(r, *x, y, site) }

func divisible[T Integer](r *Run, x, y T, site int32) {
	r.last = site
	if y == 0 {
		r.stop(r.finding(DivisionByZero, site, fmt.Sprintf("%d divided by 0", x)))
	}
	// All bits set is -1 for int32 alone.
	if ones := ^T(0); ones < 0 && y == ones && int64(x) == math.MinInt32 {
		r.stop(r.finding(DivisionOverflow, site, fmt.Sprintf("%d divided by -1", x)))
	}
}
