// Package repulsive holds the kernels that grow a small circle into a long closed curve which repels itself and the
// walls and discs around it (docs/spec/pipeline.md, section 4.6).
//
// The curve descends a tangent-point energy along its gradient in a Sobolev inner product, while its length is raised a
// little in each iteration: the method of Yu, Schumacher and Crane, "Repulsive Curves", ACM Transactions on Graphics
// 40(2), 2021. One group is one env, with its curve in shared memory. One launch makes many iterations.
//
// Lengths are in units of the scale of the track until the curve is done.
package repulsive
