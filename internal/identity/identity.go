// Package identity reports whether values can be compared.
package identity

// Has reports whether v, which is not nil, has an identity: comparing it does not panic, and it equals itself. This
// depends on its value, not only on its type: a struct with an interface field has no identity if that field holds a
// slice, and a NaN has none. Has allocates nothing.
func Has(v any) (has bool) {
	defer func() {
		if recover() != nil { // Go cannot compare it; finding that out with package reflect would allocate
			has = false
		}
	}()
	same := v
	return v == same
}
