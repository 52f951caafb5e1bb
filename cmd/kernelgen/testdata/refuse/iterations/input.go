package iterations

type number float64

const text = "text"

func whole(n int) float64 { return float64(n) }

func many(list ...float64) float64 { return list[0] }

func two(a, b float64) float64 { return a + b }

func typed(n number) float64 { return float64(n) }

// want +2 "directive: .1 .. is no expression .numbers, integer scalars"
//
//kernel:iterations 1 +
//kernel:thread
func a(i int32) {
}

// want +2 "directive: in the bound on loop iterations, x is of type float32"
//
//kernel:iterations n + x
//kernel:thread
func b(i int32, n int32, x float32) {
}

// want +2 "directive: in the bound on loop iterations, list is of type ..int32"
//
//kernel:iterations list
//kernel:thread
func c(i int32, list []int32) {
}

// want +2 "directive: in the bound on loop iterations, n is no slice of the kernel"
//
//kernel:iterations len(n)
//kernel:thread
func d(i int32, n int32) {
}

// want +2 "directive: in the bound on loop iterations, i is no scalar"
//
//kernel:iterations i
//kernel:thread
func e(i int32) {
}

// want +2 "directive: in the bound on loop iterations, text is no scalar, and no number"
//
//kernel:iterations text
//kernel:thread
func f(i int32) {
}

// want +2 "directive: in the bound on loop iterations, n % 2 is not allowed"
//
//kernel:iterations n % 2
//kernel:thread
func g(i int32, n int32) {
}

// want +2 "directive: in the bound on loop iterations, whole is no function of 1 numbers"
//
//kernel:iterations whole(n)
//kernel:thread
func h(i int32, n int32) {
}

// want +2 "directive: in the bound on loop iterations, many is no function of 2 numbers"
//
//kernel:iterations many(n, n)
//kernel:thread
func k(i int32, n int32) {
}

// want +2 "directive: in the bound on loop iterations, two is no function of 1 numbers"
//
//kernel:iterations two(n)
//kernel:thread
func l(i int32, n int32) {
}

// want +2 "directive: in the bound on loop iterations, typed is no function of 1 numbers"
//
//kernel:iterations typed(n)
//kernel:thread
func m(i int32, n int32) {
}

// want +2 "directive: in the bound on loop iterations, math.Sqrt.n. is not allowed"
//
//kernel:iterations math.Sqrt(n)
//kernel:thread
func o(i int32, n int32) {
}

// want +2 "directive: in the bound on loop iterations, max is no function of 0 numbers"
//
//kernel:iterations max()
//kernel:thread
func p(i int32, n int32) {
}

// want +4 "directive: q has two bounds on its loop iterations .one."
//
//kernel:thread
//kernel:iterations n
//kernel:iterations n
func q(i int32, n int32) {
}

// want +2 "directive: .// kernel:iterations. is a comment and no directive .write //kernel:iterations."
//
// kernel:iterations 5
func r(i int32) {
}
