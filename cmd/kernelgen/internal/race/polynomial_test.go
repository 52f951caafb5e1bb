package race

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// evaluate returns p for values of its atoms.
func evaluate(p polynomial, values map[atom]int64) int64 {
	sum := int64(0)
	for _, m := range p {
		product := m.coefficient
		for _, a := range m.factors {
			product *= values[a]
		}
		sum += product
	}
	return sum
}

// drawIndex draws an index over the item, two uniform atoms of which the first is a stride, and ranged atoms.
func drawIndex(t *rapid.T, p *phase, stride, other polynomial, ranged []polynomial) polynomial {
	sum := number(rapid.Int64Range(-3, 3).Draw(t, "constant"))
	add := func(q polynomial, factor int64) {
		var ok bool
		sum, ok = sum.plus(q, factor)
		require.True(t, ok)
	}
	times := func(q, r polynomial) polynomial {
		product, ok := q.times(r)
		require.True(t, ok)
		return product
	}
	add(single(item), rapid.SampledFrom([]int64{0, 0, 1, 2, 4, -1}).Draw(t, "item"))
	add(times(single(item), stride), rapid.SampledFrom([]int64{0, 0, 1, 2}).Draw(t, "item*stride"))
	add(stride, rapid.SampledFrom([]int64{0, 0, 1, -1}).Draw(t, "stride"))
	add(other, rapid.SampledFrom([]int64{0, 0, 1, 2, -2}).Draw(t, "other"))
	for _, r := range ranged {
		add(r, rapid.SampledFrom([]int64{0, 1, 1, -1, 2}).Draw(t, "ranged"))
		if rapid.IntRange(0, 4).Draw(t, "scaled") == 0 {
			add(times(r, stride), 1)
		}
	}
	return sum
}

// TestDistinctIsSound draws pairs of indices. Where the proof says that two items are apart, it looks for two items
// that are not.
func TestDistinctIsSound(t *testing.T) {
	proven := 0
	rapid.Check(t, func(t *rapid.T) {
		p := &phase{atoms: newAtomTable()}
		stride, other := p.atoms.uniformAtom("stride"), p.atoms.uniformAtom("other")
		var ranged []polynomial
		var ends []int64
		for range rapid.IntRange(0, 2).Draw(t, "ranges") {
			end := rapid.Int64Range(0, 4).Draw(t, "end")
			high := number(end)
			if end == 4 {
				high, _ = stride.plus(number(1), -1)
			}
			r, ok := p.atoms.rangedAtom(nil, high)
			require.True(t, ok)
			ranged, ends = append(ranged, r), append(ends, end)
		}
		left := drawIndex(t, p, stride, other, ranged)
		var right polynomial
		if rapid.Bool().Draw(t, "same") {
			right, _ = left.plus(number(rapid.Int64Range(-2, 2).Draw(t, "offset")), 1)
		} else {
			right = drawIndex(t, p, stride, other, ranged)
		}
		a := &access{indices: []index{{left, true}}}
		b := &access{indices: []index{{right, true}}}
		if !p.distinct(a, b) {
			return
		}
		proven++
		strideAtom, otherAtom := p.atoms.uniform["stride"], p.atoms.uniform["other"]
		for s := int64(1); s <= 4; s++ {
			for o := int64(-2); o <= 2; o++ {
				values := func(i int64, r []int64) map[atom]int64 {
					m := map[atom]int64{item: i, strideAtom: s, otherAtom: o}
					for k, q := range ranged {
						for _, monomial := range q {
							m[monomial.factors[0]] = r[k]
						}
					}
					return m
				}
				limits := make([]int64, len(ends))
				for k, end := range ends {
					limits[k] = end
					if end == 4 {
						limits[k] = s - 1
					}
				}
				for _, r := range grid(limits) {
					for _, q := range grid(limits) {
						for i := range int64(5) {
							for j := range int64(5) {
								if i != j && evaluate(left, values(i, r)) == evaluate(right, values(j, q)) {
									t.Fatalf("items %d and %d meet: stride %d, other %d, ranged %v and %v, %s and %s",
										i, j, s, o, r, q, left.key(), right.key())
								}
							}
						}
					}
				}
			}
		}
	})
	require.Positive(t, proven, "nothing was proven, so nothing was tested")
}

// grid returns all points from 0 up to the limits.
func grid(limits []int64) [][]int64 {
	points := [][]int64{nil}
	for _, limit := range limits {
		var longer [][]int64
		for _, point := range points {
			for v := int64(0); v <= limit; v++ {
				longer = append(longer, append(append([]int64(nil), point...), v))
			}
		}
		points = longer
	}
	return points
}
