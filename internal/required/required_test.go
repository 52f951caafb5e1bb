package required

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// recorder notes how a test ends, and ends its goroutine as a test does.
type recorder struct {
	testing.TB
	ended string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.ended = "failed: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.ended = "skipped: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// ending returns how a test ends.
func ending(test func(tb testing.TB)) string {
	r, done := recorder{ended: "passed"}, make(chan struct{})
	go func() {
		defer close(done)
		test(&r)
	}()
	<-done
	return r.ended
}

func TestSkip(t *testing.T) {
	missing := func(tb testing.TB) { Skip(tb, Vulkan, "there is no %s", "driver") }
	t.Setenv(Vulkan, "")
	assert.Equal(t, "skipped: NOT TESTED: there is no driver", ending(missing))
	t.Setenv(Vulkan, "1")
	assert.Equal(t, "failed: TRACKGEN_REQUIRE_VULKAN=1, and there is no driver", ending(missing))
}

func TestProgram(t *testing.T) {
	t.Setenv(Tools, "1")
	assert.Equal(t, "passed", ending(func(tb testing.TB) { assert.NotEmpty(t, Program(tb, "go")) }))
	t.Setenv("PATH", t.TempDir())
	assert.Equal(t, "failed: TRACKGEN_REQUIRE_KERNEL_TOOLS=1, and spirv-val is not installed (Debian: spirv-tools)",
		ending(func(tb testing.TB) { Program(tb, "spirv-val") }))
}
