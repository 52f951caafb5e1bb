//go:build slow

package main

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSplicedSourcesSlow compiles all accepted splices for devices. Flag -rapid.checks sets how many are tried.
func TestSplicedSourcesSlow(t *testing.T) {
	vocabulary, sources, tools := loadVocabulary(t), splices(t), compilers(t)
	rapid.Check(t, func(t *rapid.T) { requireTotal(t, vocabulary, sources.Draw(t, "source"), tools) })
}
