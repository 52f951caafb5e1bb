// Package iterations counts the iterations of loops for the bounds that kernels state (//kernel:iterations). It counts
// them like the devices that end long loops early. Numbers are float64, so that products do not overflow.
package iterations

import "math"

// Loop returns the count for a loop of n iterations whose body counts body iterations of inner loops. The test that
// ends the loop counts as one more.
func Loop(n, body float64) float64 { return max(0, n)*(1+body) + 1 }

// Phase returns the count of one lane for a phase that distributes n items over the lanes, where each item counts at
// most item iterations. Lanes run in parallel, so a round counts as much as its longest item.
func Phase(n, lanes, item float64) float64 { return Loop(math.Ceil(max(0, n)/lanes), item) }

// Search returns the count for a binary search among n elements.
func Search(n float64) float64 { return Loop(math.Ceil(math.Log2(max(1, n))), 0) }
