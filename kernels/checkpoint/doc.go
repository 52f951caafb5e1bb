// Package checkpoint holds the kernels of the checkpoint generator: a car with a limited turn rate is steered from
// checkpoint to checkpoint, and its path is closed. See package centerline for what the generators share.
package checkpoint
