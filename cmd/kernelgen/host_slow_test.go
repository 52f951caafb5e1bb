//go:build slow

package main

import "testing"

// TestHostGeneratorsSlow compares more envs, and under the sanitizers.
func TestHostGeneratorsSlow(t *testing.T) {
	t.Run("plain", func(t *testing.T) { generateOnHost(t, nil, 256) })
	t.Run("native", func(t *testing.T) { generateOnHost(t, native, 256) })
	t.Run("sanitized", func(t *testing.T) { generateOnHost(t, sanitized, 32) })
	t.Run("fibres", func(t *testing.T) { generateOnHost(t, fibres, 8) })
}
