//go:build unix && slow

package main

import "testing"

// TestDatasetKilledOften is TestDatasetKilled with more kills and larger shards.
func TestDatasetKilledOften(t *testing.T) { killDataset(t, 30, 10_000) }
