//go:build slow

package randomconfig

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	duration = flag.Duration("for", 5*time.Minute, "how long random settings run, and again as long random circuits")
	seed     = flag.Uint64("seed", uint64(time.Now().UnixNano()), "which random settings and circuits run")
	first    = flag.Int("first", 0, "the number of the first settings and circuit of that seed")
	work     = flag.Float64("work", 3e8, "the most loop iterations of the settings")
	devices  = flag.String("devices", "", "names of the devices, the reference first (default all)")
)

// Random settings and circuits for as long as -for says:
//
//	go test -tags slow ./bench/randomconfig -run Many -v -for 1h -timeout 3h
//
// The command emulate adds a CUDA device, which interprets PTX with TRACKGEN_EMULATE=ptx.
func TestManyRandomSettings(t *testing.T) {
	cpu, others := openAll(t)
	all := slices.Concat(cpu, others)
	if *devices != "" {
		all = nil
		for name := range strings.SplitSeq(*devices, ",") {
			all = append(all, openTest(t, name))
		}
	}
	t.Logf("-seed %d", *seed)
	end := time.Now().Add(*duration)
	until := func(n int) bool {
		if n%100 == 0 {
			t.Logf("settings or circuit %d", n)
		}
		return time.Now().Before(end)
	}
	n, runs := search(t, all, *seed, *first, *work, until)
	end = end.Add(*duration)
	imported := searchCircuits(t, all, *seed, *first, until)
	t.Logf("%d settings on %d devices in total, %d circuits", n, runs, imported)
}
