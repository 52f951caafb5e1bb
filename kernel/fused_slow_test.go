//go:build slow

package kernel_test

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Go fuses a product with a sum on some processors; the float32(...) around each product keeps it from doing so.
func TestNoFusedOperations(t *testing.T) {
	fused := regexp.MustCompile(`\s(V?FN?M(ADD|SUB|LA|LS)\w*|WFM\w+)\s`)
	product := regexp.MustCompile(`\s(V?F?MULS[SD]?|FMULS|MULSS|FMEEBR|MEEBR)\s`)
	targets := [][]string{
		{"GOARCH=amd64", "GOAMD64=v3"}, {"GOARCH=arm64"}, {"GOARCH=ppc64le"}, {"GOARCH=s390x"}, {"GOARCH=riscv64"},
	}
	for _, target := range targets {
		build := exec.Command("go", "build", "-gcflags=-S", ".")
		build.Env = append(append(os.Environ(), "CGO_ENABLED=0"), target...)
		listing, err := build.CombinedOutput()
		require.NoError(t, err, "%v: %s", target, listing)
		assert.Regexp(t, product, string(listing), "%v: the listing shows no product at all", target)
		assert.Nil(t, fused.Find(listing), "%v: a product and a sum are fused", target)
	}
}
