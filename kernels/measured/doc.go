// Package measured holds the kernels that draw the centreline of a real circuit, measured with a width to either side
// at each point, and say whether the road around it is a valid one.
//
// A launch works on one circuit. Widths are pairs: X is the width from the centreline to the right border, Y to the
// left one, as seen in the direction of travel. Package inflation has the kernels that build the road.
package measured
