//go:build slow

package collision_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A million queries of the search by index have the bits of the scan.
func TestIndexEqualsScanSlow(t *testing.T) {
	total := 0
	for seed := uint64(100); total < 1_000_000; seed++ {
		total += compareWithScan(t, seed, 100, 10)
	}
	require.GreaterOrEqual(t, total, 1_000_000)
	t.Logf("%d queries", total)
}

func TestBordersAgainstFloat64Slow(t *testing.T) {
	total := 0
	for seed := uint64(100); total < 100_000; seed++ {
		total += compareWithFloat64(t, seed, 2000)
	}
	t.Logf("%d queries", total)
}
