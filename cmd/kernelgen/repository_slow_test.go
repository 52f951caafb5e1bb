//go:build slow

package main

import "testing"

// TestRepositoryIsCurrentSlow is TestRepositoryIsCurrent with the machine code of all packages.
func TestRepositoryIsCurrentSlow(t *testing.T) { requireRepository(t, nil) }
