package race

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// atom is an unknown of an index: the item, something that all items see alike, or a number in a known range.
type atom int32

// item is the item of the phase, or the index of a thread kernel.
const item atom = 0

// atomTable knows the atoms of one phase. The bounds of ranged atoms are uniform.
type atomTable struct {
	uniform map[string]atom // by what they stand for
	ranges  map[atom]bounds
	next    atom
}

// bounds is the inclusive range of an atom.
type bounds struct{ low, high polynomial }

func newAtomTable() *atomTable {
	return &atomTable{uniform: map[string]atom{}, ranges: map[atom]bounds{}, next: item + 1}
}

// uniformAtom returns the atom for something that all items see alike.
func (t *atomTable) uniformAtom(key string) polynomial {
	a, ok := t.uniform[key]
	if !ok {
		a = t.next
		t.next++
		t.uniform[key] = a
	}
	return single(a)
}

// rangedAtom returns a new atom of an inclusive range. ok is false if items see different ranges.
func (t *atomTable) rangedAtom(low, high polynomial) (p polynomial, ok bool) {
	negated, fits := polynomial(nil).plus(low, -1)
	if !fits {
		return nil, false
	}
	if high, ok = t.largest(high); !ok {
		return nil, false
	}
	if negated, ok = t.largest(negated); !ok {
		return nil, false
	}
	if low, ok = polynomial(nil).plus(negated, -1); !ok || !t.isUniform(low) || !t.isUniform(high) {
		return nil, false
	}
	return t.newRanged(bounds{low, high}), true
}

func (t *atomTable) newRanged(b bounds) polynomial {
	a := t.next
	t.next++
	t.ranges[a] = b
	return single(a)
}

// rangedAtoms returns the ranged atoms of p in ascending order.
func (t *atomTable) rangedAtoms(p polynomial) []atom {
	found := map[atom]bool{}
	for _, m := range p {
		for _, a := range m.factors {
			if _, ranged := t.ranges[a]; ranged {
				found[a] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// isUniform says whether all items see the same value of p.
func (t *atomTable) isUniform(p polynomial) bool {
	for _, m := range p {
		for _, a := range m.factors {
			if _, ranged := t.ranges[a]; ranged || a == item {
				return false
			}
		}
	}
	return true
}

// monomial is a product of atoms, sorted, with a coefficient that is not zero.
type monomial struct {
	factors     []atom
	coefficient int64
}

func (m monomial) key() string {
	var key strings.Builder
	for _, a := range m.factors {
		key.WriteString(strconv.Itoa(int(a)) + "*")
	}
	return key.String()
}

// polynomial is a sum of monomials by their key. Polynomials never change. A nil map is zero. Whether an index is known
// is stored beside its polynomial.
type polynomial map[string]monomial

// Larger polynomials are given up: no index of a kernel needs them.
const (
	maxCoefficient = 1 << 40
	maxMonomials   = 32
	maxDegree      = 6
)

func number(n int64) polynomial {
	if n == 0 {
		return nil
	}
	return polynomial{"": {coefficient: n}}
}

func single(a atom) polynomial {
	m := monomial{factors: []atom{a}, coefficient: 1}
	return polynomial{m.key(): m}
}

// plus returns p + factor*q; ok is false where that is too large.
func (p polynomial) plus(q polynomial, factor int64) (sum polynomial, ok bool) {
	sum = maps.Clone(p)
	if sum == nil {
		sum = polynomial{}
	}
	for key, m := range q {
		m.coefficient *= factor
		m.coefficient += sum[key].coefficient
		if m.coefficient > maxCoefficient || m.coefficient < -maxCoefficient {
			return nil, false
		}
		if m.coefficient == 0 {
			delete(sum, key)
			continue
		}
		sum[key] = m
	}
	return sum, len(sum) <= maxMonomials
}

// times returns p * q; ok is false where that is too large.
func (p polynomial) times(q polynomial) (product polynomial, ok bool) {
	for _, a := range p {
		for _, b := range q {
			m := monomial{factors: slices.Concat(a.factors, b.factors), coefficient: a.coefficient * b.coefficient}
			if len(m.factors) > maxDegree || abs(a.coefficient) > maxCoefficient/abs(b.coefficient) {
				return nil, false
			}
			slices.Sort(m.factors)
			if product, ok = product.plus(polynomial{m.key(): m}, 1); !ok {
				return nil, false
			}
		}
	}
	return product, true
}

func abs(n int64) int64 { return max(n, -n) }

func (p polynomial) equal(q polynomial) bool {
	difference, ok := p.plus(q, -1)
	return ok && len(difference) == 0
}

// constant returns the value of a polynomial without atoms.
func (p polynomial) constant() (int64, bool) {
	switch len(p) {
	case 0:
		return 0, true
	case 1:
		m, ok := p[""]
		return m.coefficient, ok
	}
	return 0, false
}

// key returns a text that equal polynomials share.
func (p polynomial) key() string {
	var key strings.Builder
	for _, k := range slices.Sorted(maps.Keys(p)) {
		key.WriteString(strconv.FormatInt(p[k].coefficient, 10) + ":" + k + "+")
	}
	return key.String()
}

// split returns p as scale*item + rest; ok is false where p is not linear in the item.
func (p polynomial) split() (scale, rest polynomial, ok bool) {
	scale, rest = polynomial{}, polynomial{}
	for key, m := range p {
		switch count := countOf(m.factors, item); count {
		case 0:
			rest[key] = m
		case 1:
			without := monomial{factors: removed(m.factors, item), coefficient: m.coefficient}
			scale[without.key()] = without
		default:
			return nil, nil, false
		}
	}
	return scale, rest, true
}

func countOf(factors []atom, a atom) int {
	count := 0
	for _, f := range factors {
		if f == a {
			count++
		}
	}
	return count
}

// removed returns factors without one a.
func removed(factors []atom, a atom) []atom {
	i := slices.Index(factors, a)
	return slices.Delete(slices.Clone(factors), i, i+1)
}

// substitute returns p with an atom replaced.
func (p polynomial) substitute(a atom, by polynomial) (result polynomial, ok bool) {
	for key, m := range p {
		part := polynomial{key: m}
		for countOf(m.factors, a) > 0 {
			m = monomial{factors: removed(m.factors, a), coefficient: m.coefficient}
			rest := polynomial{m.key(): m}
			if countOf(m.factors, a) > 0 {
				return nil, false // squared: not needed
			}
			if part, ok = rest.times(by); !ok {
				return nil, false
			}
		}
		if result, ok = result.plus(part, 1); !ok {
			return nil, false
		}
	}
	return result, true
}

// largest returns an upper bound of p without ranged atoms. Other factors of a ranged atom count as strides, which are
// not negative.
func (t *atomTable) largest(p polynomial) (bound polynomial, ok bool) {
	for _, a := range t.rangedAtoms(p) {
		rising, falling := false, false
		for _, m := range p {
			if countOf(m.factors, a) > 0 {
				rising = rising || m.coefficient > 0
				falling = falling || m.coefficient < 0
			}
		}
		by := t.ranges[a].high
		switch {
		case rising && falling:
			return nil, false
		case falling:
			by = t.ranges[a].low
		}
		if p, ok = p.substitute(a, by); !ok {
			return nil, false
		}
	}
	return p, true
}

// atLeastZero says whether p, without the item, is never negative as long as strides are at least 1.
func (t *atomTable) atLeastZero(p polynomial, strides polynomial) bool {
	negated, ok := polynomial(nil).plus(p, -1)
	if !ok {
		return false
	}
	upper, ok := t.largest(negated)
	if !ok {
		return false
	}
	p, ok = polynomial(nil).plus(upper, -1)
	if !ok {
		return false
	}
	// With every stride s = 1 + s', no coefficient may be negative.
	known := map[atom]bool{}
	for _, m := range strides {
		for _, a := range m.factors {
			known[a] = true
		}
	}
	for _, a := range slices.Sorted(maps.Keys(known)) {
		shifted, _ := single(a).plus(number(1), 1)
		if p, ok = p.substitute(a, shifted); !ok {
			return false
		}
	}
	for _, m := range p {
		if m.coefficient < 0 {
			return false
		}
		for _, a := range m.factors {
			if !known[a] {
				return false
			}
		}
	}
	return true
}

// apart returns p with every ranged atom replaced by a new one of the same range: the value that another item sees.
func (t *atomTable) apart(p polynomial) (renamed polynomial, ok bool) {
	for _, a := range t.rangedAtoms(p) {
		if p, ok = p.substitute(a, t.newRanged(t.ranges[a])); !ok {
			return nil, false
		}
	}
	return p, true
}
