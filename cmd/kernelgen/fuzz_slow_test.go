//go:build slow

package main

import "testing"

// TestSplicedSourcesSlow compiles all accepted splices for devices. Flag -rapid.checks sets how many are tried.
func TestSplicedSourcesSlow(t *testing.T) { spliceSources(t, compilers(t), 1<<30) }
