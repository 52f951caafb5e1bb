package world

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/trackgen-go/trackgen"
)

const (
	// chunkTime is the target time of a chunk: work stops between two chunks, and the page shows each.
	chunkTime = 100 * time.Millisecond
	// leastChunk keeps the cores of a CPU busy, unless its tracks take much longer.
	leastChunk, slow = 4, 5 * chunkTime
	// chunkBytes limits the device memory of a chunk.
	chunkBytes = 256 << 20
	// mostIterations limits the loops of a track. Kernels run to their end: a track that takes minutes could not be
	// stopped when the slider moves on.
	mostIterations = 40_000_000
)

// pace remembers how long tracks take, so that chunks take about chunkTime. The cost of a track follows the bound of
// its loops for each generator.
type pace struct {
	mutex   sync.Mutex
	perLoop map[string]float64 // seconds of a track for each iteration, by generator
}

// size returns the number of tracks of a chunk.
func (p *pace) size(generator string, iterations, most int) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	seconds := p.perLoop[generator] * float64(iterations)
	if seconds == 0 {
		seconds = chunkTime.Seconds() * float64(iterations) / 400_000 // 24 tracks at the default settings
	}
	size := max(1, int(chunkTime.Seconds()/seconds))
	if size < leastChunk && seconds*leastChunk < slow.Seconds() {
		size = leastChunk
	}
	return min(size, most)
}

// note remembers how long a chunk took.
func (p *pace) note(generator string, iterations, tracks int, took time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.perLoop == nil {
		p.perLoop = make(map[string]float64)
	}
	measured := took.Seconds() / float64(tracks) / float64(max(iterations, 1))
	if known := p.perLoop[generator]; known > 0 {
		measured = math.Sqrt(known * measured)
	}
	p.perLoop[generator] = measured
}

// afford returns the bound of the loops of one track and the most tracks of a chunk, or an error for settings that need
// too much time or memory for a page.
func afford(demand trackgen.Demand, err error) (iterations, most int, _ error) {
	if err != nil {
		return 0, 0, err
	}
	total := 0.0
	for _, k := range demand.Kernels {
		total += float64(k.Launches) * float64(k.Iterations)
	}
	switch megabytes := demand.BytesPerEnv >> 20; {
	case total > mostIterations:
		return 0, 0, tooMuch(fmt.Sprintf("%.3g steps in sequence", total), fmt.Sprintf("%.3g", float64(mostIterations)))
	case demand.BytesPerEnv > chunkBytes:
		return 0, 0, tooMuch(fmt.Sprint(megabytes, " MiB"), fmt.Sprint(chunkBytes>>20))
	}
	return int(total), max(1, int(chunkBytes/max(demand.BytesPerEnv, 1))), nil
}

// tooMuch returns the error for settings whose tracks need too much for a page.
func tooMuch(needed, most string) error {
	return &Refused{[]Problem{{Field: "settings", Value: needed, Allowed: "at most " + most,
		Message: fmt.Sprintf("a track of these settings may take %s: must be at most %s here; the command has no such limit",
			needed, most)}}}
}
