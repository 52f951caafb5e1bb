//go:build slow

package randomconfig

import (
	"flag"
	"testing"
	"time"
)

var (
	duration = flag.Duration("for", 10*time.Minute, "how long the random settings run")
	seed     = flag.Uint64("seed", uint64(time.Now().UnixNano()), "which random settings run")
	work     = flag.Float64("work", 3e8, "the most loop iterations of the settings")
	only     = flag.Int("only", -1, "the number of the only settings to run")
)

// Random settings for as long as -for says, on all devices.
func TestManyRandomSettings(t *testing.T) {
	cpu, others := openAll(t)
	t.Logf("-seed %d", *seed)
	end := time.Now().Add(*duration)
	n := search(t, append(cpu, others...), *seed, *work, func(n int) bool { return time.Now().Before(end) })
	t.Logf("%d settings", n)
}
