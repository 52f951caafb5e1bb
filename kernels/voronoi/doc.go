// Package voronoi holds the kernel of the voronoi generator: its loops run through sites scattered over a square. See
// package centerline for what the generators share.
package voronoi
