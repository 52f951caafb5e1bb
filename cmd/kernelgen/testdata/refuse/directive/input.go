package directive

import "github.com/trackgen-go/trackgen/kernel"

// want +2 "directive: unknown directive //kernel:thread seven"
//
//kernel:thread seven
func a(i int32) { // want "directive: a has 0 of the directives"
}

//kernel:group lanes=64
//kernel:thread
func b(g kernel.Group) { // want "directive: b has 2 of the directives"
}

// want +2 "directive: .lanes=0. is no number of lanes .lanes=1 to lanes=1024."
//
//kernel:group lanes=0
func c(g kernel.Group) {
}

// want +2 "directive: .many. is no number of lanes"
//
//kernel:group many
func d(g kernel.Group) {
}

// want +2 "directive: //kernel:thread stands on no function"
//
//kernel:thread
type e struct{ x int32 }

// want +2 "directive: .// kernel:thread. is a comment and no directive .write //kernel:thread."
//
// kernel:thread
func blank(i int32) {
}

// want +2 "directive: ./. kernel:group. is a comment and no directive .write //kernel:group."

/* kernel:group lanes=64 */
func block(g kernel.Group) {
}
