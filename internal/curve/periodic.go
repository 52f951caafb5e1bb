package curve

// banded is a periodic, symmetric positive definite system: each unknown has coefficients with itself and with the two
// unknowns on either side, in a ring.
type banded struct {
	diagonal []float64 // [i] of unknown i with itself
	first    []float64 // [i] of unknowns i and i+1
	second   []float64 // [i] of unknowns i and i+2
}

func newBanded(n int) banded {
	return banded{diagonal: make([]float64, n), first: make([]float64, n), second: make([]float64, n)}
}

// smallestRing is the minimum number of unknowns for the banded elimination. In a smaller ring, two unknowns may share
// two coefficients.
const smallestRing = 6

// solve replaces each right-hand side by its solution. It overwrites the system.
func (m banded) solve(sides ...[]float64) {
	n := len(m.diagonal)
	if n < smallestRing {
		m.solveDense(sides)
		return
	}
	// The last two unknowns have coefficients with the first two, so they are eliminated last. borders holds their
	// columns, which become dense.
	inner := n - 2
	borders := [2][]float64{make([]float64, inner), make([]float64, inner)}
	borders[0][0] += m.second[n-2]
	borders[0][inner-1] += m.first[inner-1]
	borders[0][inner-2] += m.second[inner-2]
	borders[1][0] += m.first[n-1]
	borders[1][1] += m.second[n-1]
	borders[1][inner-1] += m.second[inner-1]
	corner := [2][2]float64{{m.diagonal[n-2], m.first[n-2]}, {m.first[n-2], m.diagonal[n-1]}}
	// The coefficients in the rows of the last two unknowns, before they become dense.
	rows := [2][]float64{append([]float64(nil), borders[0]...), append([]float64(nil), borders[1]...)}

	lower1, lower2 := m.factor(inner)
	for _, column := range borders {
		m.substitute(inner, lower1, lower2, column)
	}
	for a := range 2 {
		for b := range 2 {
			corner[a][b] -= dot(rows[a], borders[b])
		}
	}
	determinant := float64(corner[0][0]*corner[1][1]) - float64(corner[0][1]*corner[1][0])
	for _, side := range sides {
		m.substitute(inner, lower1, lower2, side[:inner])
		p, q := side[n-2]-dot(rows[0], side[:inner]), side[n-1]-dot(rows[1], side[:inner])
		x := (float64(p*corner[1][1]) - float64(q*corner[0][1])) / determinant
		y := (float64(q*corner[0][0]) - float64(p*corner[1][0])) / determinant
		for i := range inner {
			side[i] -= float64(borders[0][i]*x) + float64(borders[1][i]*y)
		}
		side[n-2], side[n-1] = x, y
	}
}

// factor decomposes the first n unknowns, without the wrap-around, into L D L'. D replaces the diagonal. factor returns
// the two diagonals of L below the main one.
func (m banded) factor(n int) (lower1, lower2 []float64) {
	lower1, lower2 = make([]float64, n), make([]float64, n)
	for i := range n {
		if i >= 2 {
			lower2[i] = m.second[i-2] / m.diagonal[i-2]
		}
		if i >= 1 {
			above := m.first[i-1]
			if i >= 2 {
				above -= float64(lower2[i] * float64(m.diagonal[i-2]*lower1[i-1]))
			}
			lower1[i] = above / m.diagonal[i-1]
			m.diagonal[i] -= float64(lower1[i] * above)
		}
		if i >= 2 {
			m.diagonal[i] -= float64(lower2[i] * m.second[i-2])
		}
	}
	return lower1, lower2
}

// substitute solves the factored system for one right-hand side.
func (m banded) substitute(n int, lower1, lower2, side []float64) {
	for i := 1; i < n; i++ {
		side[i] -= float64(lower1[i] * side[i-1])
		if i >= 2 {
			side[i] -= float64(lower2[i] * side[i-2])
		}
	}
	for i := range n {
		side[i] /= m.diagonal[i]
	}
	for i := n - 2; i >= 0; i-- {
		side[i] -= float64(lower1[i+1] * side[i+1])
		if i+2 < n {
			side[i] -= float64(lower2[i+2] * side[i+2])
		}
	}
}

// solveDense solves a small ring by dense elimination.
func (m banded) solveDense(sides [][]float64) {
	n := len(m.diagonal)
	full := make([][]float64, n)
	for i := range full {
		full[i] = make([]float64, n)
	}
	for i := range n {
		full[i][i] += m.diagonal[i]
		for distance, band := range [][]float64{m.first, m.second} {
			j := (i + distance + 1) % n
			full[i][j] += band[i]
			full[j][i] += band[i]
		}
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			factor := full[j][i] / full[i][i]
			for k := i; k < n; k++ {
				full[j][k] -= float64(factor * full[i][k])
			}
			for _, side := range sides {
				side[j] -= float64(factor * side[i])
			}
		}
	}
	for _, side := range sides {
		for i := n - 1; i >= 0; i-- {
			side[i] -= dot(full[i][i+1:], side[i+1:])
			side[i] /= full[i][i]
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}
