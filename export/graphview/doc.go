// Package graphview lists the work in a captured graph and draws it.
//
//	view, err := graphview.Of(graph) // the graph of a finished capture of any backend
//	...
//	err = view.SVG(file)
//
// A view shows what the device will do at each replay, in the order in which it was recorded: launches with their
// kernel and size, copies, fills, and conditionals and loops around the work that they guard. The contents of a graph
// depend on what was captured and never on data, so the same program always gives the same picture.
package graphview
