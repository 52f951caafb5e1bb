// Package recorder holds what the backends share: streams, captures, events, bodies of conditionals, vector clocks,
// graphs, buffers and the references to their memory, the list of open resources, and the checks of arguments. A
// backend embeds a Device and implements a Driver, which runs operations, compiles the work of a graph, and waits. If
// its streams are native streams that others can capture, its queues implement ForeignQueue.
//
// # Who decides what
//
// The recorder checks every argument, the state of every capture, and whether something is closed, before it calls the
// driver. It does so in the same order, and with the same error texts, on every backend. A driver refuses only for
// reasons that it alone can know: a kernel that it has no code for, memory that is used up, a device that is lost.
//
// The recorder decides how long memory is kept (R166). A buffer keeps its memory until Close, a capture until it ends
// without a graph, and a graph until it and all graphs that recorded a replay of it are closed. A driver that works
// after its calls have returned calls Retain and Release of a Keeper for what it still uses.
//
// Package noop is the smallest driver, and the template for a new one.
package recorder
