//go:build slow

package track_test

import "testing"

// Over 100,000 tracks from random settings of the heights.
func TestRandomHillsSlow(t *testing.T) { searchHills(t, 1600, 64) }
