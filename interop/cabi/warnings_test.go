//go:build cgo

package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/exec"
)

// Warnings are taken in their order, with their types. Of too many, the newest are kept.
func TestWarningsAreKept(t *testing.T) {
	var list warningList
	_, ok := list.take()
	assert.False(t, ok)
	for i := range mostWarnings + 6 {
		list.add(exec.RebindAfterCaptureWarning{Component: fmt.Sprint("race ", i)})
	}
	for i := range mostWarnings {
		w, ok := list.take()
		assert.True(t, ok)
		assert.Equal(t, "RebindAfterCaptureWarning", w.Type)
		assert.Contains(t, w.Text, fmt.Sprint("race ", i+6))
	}
	_, ok = list.take()
	assert.False(t, ok)
}
