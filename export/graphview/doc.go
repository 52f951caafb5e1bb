// Package graphview lists the work in a captured graph and draws it.
//
//	view, err := graphview.Of(graph) // as a capture of any backend ended with it
//	...
//	err = view.SVG(file)
//
// A view shows what the device will do at each replay, in the order in which it was recorded: launches with their
// kernel and size, copies, fills, and conditionals and loops around the work that they guard. What is in a graph
// depends on what was captured and never on data, so the same program gives the same picture each time.
package graphview
