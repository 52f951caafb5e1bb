package signature

import "github.com/trackgen-go/trackgen/kernel"

//kernel:thread
func Exported(i int32) { // want "kernel: Exported is exported"
}

//kernel:thread
func noIndex(i uint32) { // want "kernel: the first parameter of noIndex is of type uint32 .a thread kernel takes its int32 index.*"
}

//kernel:group
func noGroup(i int32) { // want "kernel: the first parameter of noGroup is of type int32 .a group kernel takes a kernel.Group.*"
}

//kernel:thread
func nothing() { // want "kernel: nothing has no parameters"
}

//kernel:thread
func result(i int32) int32 { // want "kernel: result returns values"
	return i
}

//kernel:thread
func generic[T any](i int32, x T) { // want "kernel: generic is a method, generic or variadic"
}

type receiver struct{ x int32 }

//kernel:thread
func (r receiver) method(i int32) { // want "kernel: method is a method, generic or variadic"
}

//kernel:thread
func good(i int32, g kernel.Group) { // want "kernel: parameter g is of type .*Group"
}
