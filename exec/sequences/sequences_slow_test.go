//go:build slow

package sequences

import (
	"flag"
	"testing"
	"time"
)

var howLong = flag.Duration("for", time.Hour, "how long random programs run on all devices")

// Each run tests new programs, on each device in turn. A failure reports the seed and the program.
func TestManyRandomPrograms(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seeds from %d on", seed)
	ran := 0
	for end := time.Now().Add(*howLong); time.Now().Before(end) && !t.Failed(); {
		for _, k := range kinds() {
			t.Run(k.name, func(t *testing.T) { k.runBatch(t, seed) })
			seed += batch + 1
			ran += batch + 1
		}
	}
	t.Logf("%d programs", ran)
}
