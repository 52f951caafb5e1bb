//go:build !race

package sequences

const slowness = 1
