package source

import "go/types"

// Size returns the bytes that a value of a type of kernels takes in the memory of a group: 4 per number or bool. It is
// maxSize for everything larger.
func Size(t types.Type) int64 {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		total := int64(0)
		for field := range u.Fields() {
			total += Size(field.Type())
		}
		return total
	case *types.Array:
		element := Size(u.Elem())
		if element > 0 && u.Len() > maxSize/element {
			return maxSize
		}
		return u.Len() * element
	}
	return 4
}

// maxSize stands for every size from there on.
const maxSize = 1 << 40
