// Package spline holds the kernel that draws a closed spline through vertices, the second half of several generators.
// See package centerline for what generators share.
package spline
