// Package hull holds the kernel of the hull generator. See package centerline for what the generators share.
package hull
