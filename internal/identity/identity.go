// Package identity tells whether values can be told apart.
package identity

// Has reports whether v, which is not nil, has an identity: comparing it does not panic, and it equals itself. What it holds
// counts, not its type alone: a struct with an interface in it has none if the interface holds a slice, and a NaN has none.
// It allocates nothing.
func Has(v any) (has bool) {
	defer func() {
		if recover() != nil { // Go cannot compare it; to find out by package reflect allocates
			has = false
		}
	}()
	same := v
	return v == same
}
