package command

import (
	"context"
	"math"
	"time"

	"github.com/trackgen-go/trackgen"
)

const (
	// chunkBytes limits the device memory for the arrays of one chunk. Its tracks need less host memory.
	chunkBytes = 256 << 20
	// maxChunk is large enough to fill a GPU.
	maxChunk = 4096
	// chunkTime is the target time of a chunk: short enough for progress in every second and a prompt Ctrl-C, and
	// long compared to the launches and the allocations of a chunk.
	chunkTime = 400 * time.Millisecond
	// chunkGrowth is the largest factor from one chunk to the next. The time of a few tracks says little about that of
	// many: their costs differ, and few do not fill the device.
	chunkGrowth = 16
)

// plan describes a batch of tracks to generate.
type plan struct {
	config trackgen.Config // num_envs counts the whole batch
	schedule
}

// schedule says in which chunks, that fit in memory, a batch is generated. What an env gets does not depend on them.
type schedule struct {
	chunk int     // largest number of envs generated at a time
	adapt bool    // adapt the size of chunks to the time that they take (see nextChunk), at most chunk
	first int32   // seed of the first env if seeds is nil
	seeds []int32 // one per env, or nil for first, first+1, ...
	epoch int32
}

// defaultChunk returns the number of tracks that fit within the limits of a chunk.
func defaultChunk(config trackgen.Config) (int, error) {
	perEnv, err := config.BytesPerEnv()
	if err != nil {
		return 0, err
	}
	c := config.Resolved()
	return largestChunk(perEnv, c.NumEnvs, c.MaxEnvs()), nil
}

// largestChunk returns the number of envs that fit within the limits of a chunk.
func largestChunk(bytesPerEnv int64, envs, mostEnvs int) int {
	return max(1, min(int(chunkBytes/bytesPerEnv), maxChunk, envs, mostEnvs))
}

// nextChunk returns the size of the next chunk, at most most, after a chunk of the given size took the given time. At
// the same speed, the next chunk takes about chunkTime. The same size needs no new generator, so nextChunk keeps it if
// the chunk took between half and twice chunkTime.
func nextChunk(size int, took time.Duration, most int) int {
	took = max(took, 1)
	if took > chunkTime/2 && took < 2*chunkTime {
		return size
	}
	next := float64(size) * min(float64(chunkTime)/float64(took), chunkGrowth)
	return max(1, min(int(next), most))
}

// seedsOf returns the seeds of envs [lo, hi).
func (p schedule) seedsOf(lo, hi int) []int32 {
	if p.seeds != nil {
		return p.seeds[lo:hi]
	}
	seeds := make([]int32, hi-lo)
	for i := range seeds {
		seeds[i] = p.first + int32(lo+i)
	}
	return seeds
}

// lastSeed returns the largest first seed with which the seeds of all envs are int32 values.
func lastSeed(envs int) int64 { return math.MaxInt32 - int64(envs) + 1 }

// result holds the counters and the time of a run.
type result struct {
	counters trackgen.Counters
	elapsed  time.Duration // time to generate and read the tracks, without writing them
}

// generate generates the whole batch and calls take with each chunk, in the order of the envs. take may keep the chunk.
func (p plan) generate(ctx context.Context, device trackgen.Device, take func(*trackgen.Batch) error) (result, error) {
	made := production[*trackgen.Batch]{schedule: p.schedule, envs: p.config.NumEnvs, things: thingsOf(courseTracks),
		take: take}
	made.open = func(_ int, seeds []int32) (producer[*trackgen.Batch], error) {
		config := p.config
		config.NumEnvs = len(seeds)
		generator, err := trackgen.NewGenerator(device, config, trackgen.WithSeeds(seeds), trackgen.WithEpoch(p.epoch))
		if err != nil {
			return nil, err
		}
		return trackProducer{generator}, nil
	}
	return made.run(ctx)
}

// trackProducer makes chunks of tracks.
type trackProducer struct{ *trackgen.Generator }

// SetFirstEnv does nothing, because tracks do not depend on the numbers of their envs.
func (p trackProducer) SetFirstEnv(context.Context, int) error { return nil }

func (p trackProducer) again(ctx context.Context) error {
	_, err := p.Generate(ctx)
	return err
}

func (p trackProducer) read(ctx context.Context) (*trackgen.Batch, trackgen.Counters, error) {
	counters, err := p.Counters(ctx)
	if err != nil {
		return nil, counters, err
	}
	batch, err := p.Track().Batch(ctx)
	return batch, counters, err
}
