// Package obstacle holds the kernels that test boxes, such as cars, against discs (docs/spec/course.md, C-77), balls,
// such as drones, against the frames of gates (C-78), and boxes against each other (C-79).
//
// Where boxes move, a test also tells when they first touched something on their way from their positions before. The
// exported functions do the work of one box or ball, for kernels that do several things in one launch.
package obstacle
