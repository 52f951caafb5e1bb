// Package recorder holds what the backends share: streams, captures, events, bodies of conditionals, vector clocks,
// graphs, buffers with what keeps their memory, the list of open resources, and the checks of arguments. A backend
// embeds a Device and implements a Driver, which runs an operation, compiles the work of a graph, and waits. Where
// streams are native ones that somebody else can capture, its queues are ForeignQueues.
//
// # Who decides what
//
// The recorder checks every argument, the state of every capture, and whether something is closed, before it calls
// the driver, and does so in the same order with the same words on every backend. A driver refuses only what it
// alone can know: a kernel it has no code for, memory that is used up, a device that is lost.
//
// The recorder decides what keeps memory alive (R166): a buffer until its Close, a capture until it is dropped, a
// graph and every graph that has recorded a replay of it until they are closed. A driver that works after its calls
// have returned keeps what it still uses, with Retain and Release of a Keeper.
//
// Package noop is the smallest driver, and the template of a new one.
package recorder
