package lanes

import "go/types"

// class is how the values of an expression in the lanes relate to each other. Later ones hold less.
type class uint8

const (
	unset       class = iota
	uniform           // the same in all lanes: one scalar
	consecutive       // lane l has the value of lane 0 plus l: one scalar, that of lane 0
	mixed             // each lane has one of several uniform values
	near              // consecutive but for some lanes, such as the index of the next point of a closed line
	varying
)

// vector says whether values of the class are vectors of lanes.
func (c class) vector() bool { return c > consecutive }

// letter stands for the class in the names of functions.
func (c class) letter() string { return [...]string{"u", "u", "c", "v", "n", "v"}[c] }

// join returns the class of a variable that has values of two classes, in all lanes alike.
func join(a, b class) class {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == unset || a == b:
		return b
	case b == varying:
		return varying
	case a == uniform && b == mixed:
		return mixed
	}
	return near // one of them is consecutive or near
}

// parted returns the class of a variable of which only some lanes take a value.
func parted(c class) class {
	switch c {
	case unset, uniform:
		return mixed
	case consecutive:
		return near
	}
	return c
}

// spread returns the class of what is computed from values of a class.
func spread(c class) class {
	if c <= uniform {
		return uniform
	}
	return varying
}

// ofType returns a class as a variable of a type can have it: what no index is varies, if it is not uniform.
func ofType(c class, t types.Type) class {
	if basic, ok := t.Underlying().(*types.Basic); ok && basic.Kind() == types.Int32 {
		return c
	}
	return spread(c)
}

// sum returns the class of a + b, or of a - b.
func sum(a, b class, minus bool) class {
	a, b = max(a, uniform), max(b, uniform)
	switch {
	case a == uniform && b == uniform:
		return uniform
	case b == uniform && (a == consecutive || a == near):
		return a
	case a == uniform && !minus && (b == consecutive || b == near):
		return b
	}
	return varying
}
