package wording_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/internal/wording"
)

func TestFault(t *testing.T) {
	for message, want := range map[string]string{
		`track: generate: producer "track.bezier": stage "mine": launch mine.k: n is -1: must be 0 to 9`: "",
		"fill: closed\ncopy: closed":             "",
		"copy: copy: closed":                     "the clause copy twice",
		`stage "a": build: class of stage "a"`:   `the name stage "a" twice`,
		"launch m.k: kernel m.k: out of range":   "the kernel m.k twice",
		"it holds launches only (R40)":           "the number of a rule: (R40)",
		"copy: ":                                 "an empty clause",
		`launch a.b: previous launch is a.c`:     "",
		`launch a.b: launch a.c is not finished`: "",
	} {
		assert.Equal(t, want, wording.Fault(message), message)
	}
}
