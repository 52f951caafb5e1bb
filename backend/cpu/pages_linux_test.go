package cpu

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Large buffers ask for large pages, in the flags of their memory; small ones do not.
func TestLargeBuffersAskForLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("NOT TESTED: this system has no large pages: ", err)
	}
	data := allocate(3*largePage + 5)
	whole := wholeLargePages(data)
	require.Contains(t, []int{2 * largePage, 3 * largePage}, len(whole))
	assert.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(whole)))%largePage)
	assert.Regexp(t, `\bhg\b`, flagsAt(t, &whole[0]))
	data[0], data[len(data)-1] = 1, 1

	assert.Empty(t, wholeLargePages(allocate(largePage/2)))
	assert.Empty(t, wholeLargePages(nil))
}

// flagsAt returns the flags that the system has for the memory at p.
func flagsAt(t *testing.T, p *byte) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	area := regexp.MustCompile(`(?m)^([0-9a-f]+)-([0-9a-f]+) [^\n]*\n(?:[A-Z]\w+:[^\n]*\n)*?VmFlags:([^\n]*)`)
	for _, m := range area.FindAllStringSubmatch(string(text), -1) {
		from, err := strconv.ParseUint(m[1], 16, 64)
		require.NoError(t, err)
		to, err := strconv.ParseUint(m[2], 16, 64)
		require.NoError(t, err)
		if at := uint64(uintptr(unsafe.Pointer(p))); at >= from && at < to {
			return m[3]
		}
	}
	require.Fail(t, "no such memory", fmt.Sprint(p))
	return ""
}
