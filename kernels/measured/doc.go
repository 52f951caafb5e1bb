// Package measured holds the kernels that say whether the road around the centreline of a real circuit, measured with a
// width to either side at each point, is a valid one.
//
// A launch works on one circuit. Package inflation has the kernels that build the road.
package measured
