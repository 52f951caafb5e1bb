package dataset

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

const (
	// mostChunk fills a GPU, and takes some 50 MB of host memory in the default configuration.
	mostChunk = 2048
	// chunkBytes limits the device memory of one chunk.
	chunkBytes = 256 << 20
	// chunkTime is the target time of a chunk. A short one leaves the tracks in the caches of a CPU until they are
	// written, and a canceled run ends after about this time. A GPU makes the most tracks of a chunk in less.
	chunkTime = 50 * time.Millisecond
	// chunkGrowth is the largest factor from one chunk to the next: the time of a few tracks says little about that of
	// many.
	chunkGrowth = 16
)

// source generates tracks of one configuration in chunks. What a track is does not depend on them. It is for one
// goroutine.
type source struct {
	device    backend.Device
	config    track.Config
	epoch     int32
	most      int // tracks of a chunk
	size      int // of the next chunk
	generator *track.Generator
	readers   chan *track.Reader // that nobody uses
}

// chunk is a batch of tracks in memory that is used again after it was released.
type chunk struct {
	*track.Batch
	reader *track.Reader
	from   *source
}

func (c chunk) release() { c.from.readers <- c.reader }

// readersOfSource is how many chunks are in memory at a time: one is generated, one waits, one is written.
const readersOfSource = 3

func newSource(device backend.Device, plan Plan) (*source, error) {
	s := &source{device: device, config: plan.Config, epoch: plan.Epoch, size: 1,
		readers: make(chan *track.Reader, readersOfSource)}
	for range readersOfSource {
		s.readers <- new(track.Reader)
	}
	perEnv, err := s.config.BytesPerEnv()
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	s.most = max(1, min(int(chunkBytes/perEnv), mostChunk, s.config.MaxEnvs()))
	return s, nil
}

// close frees the generator and the memory of all chunks, which must be released.
func (s *source) close() error {
	failed := s.closeGenerator()
	for range readersOfSource {
		failed = errors.Join(failed, (<-s.readers).Close())
	}
	return failed
}

func (s *source) closeGenerator() error {
	if s.generator == nil {
		return nil
	}
	err := s.generator.Close()
	s.generator = nil
	return err
}

// next generates the tracks of the first of these seeds, as many as are a chunk.
func (s *source) next(ctx context.Context, seeds []int32) (chunk, error) {
	if err := ctx.Err(); err != nil {
		return chunk{}, err
	}
	start := time.Now()
	seeds = seeds[:min(s.size, len(seeds))]
	if err := s.generate(ctx, seeds); err != nil {
		return chunk{}, fmt.Errorf("dataset: generating %d tracks from seed %d on %s: %w", len(seeds), seeds[0],
			s.device.Info().Name, err)
	}
	var reader *track.Reader
	select {
	case reader = <-s.readers:
	case <-ctx.Done():
		return chunk{}, ctx.Err()
	}
	c := chunk{from: s, reader: reader}
	var err error
	if c.Batch, err = reader.Read(ctx, s.generator.Track()); err != nil {
		c.release()
		return chunk{}, fmt.Errorf("dataset: reading %d tracks from seed %d on %s: %w", len(seeds), seeds[0],
			s.device.Info().Name, err)
	}
	if len(seeds) == s.size { // the rest of a shard says little
		s.adapt(time.Since(start))
	}
	return c, nil
}

// adapt chooses the size of the next chunk after one of the present size took some time. A size that fits stays,
// because it needs no new generator.
func (s *source) adapt(took time.Duration) {
	if took > chunkTime/2 && took < 2*chunkTime {
		return
	}
	next := float64(s.size) * min(float64(chunkTime)/float64(max(took, 1)), chunkGrowth)
	s.size = max(1, min(int(next), s.most))
}

// generate generates the tracks of the seeds, with the present generator if it is of this size.
func (s *source) generate(ctx context.Context, seeds []int32) error {
	if s.generator == nil || s.generator.Config().NumEnvs != len(seeds) {
		if err := s.closeGenerator(); err != nil {
			return err
		}
		config := s.config
		config.NumEnvs = len(seeds)
		made, err := track.NewGenerator(s.device, config, track.WithSeeds(seeds), track.WithEpoch(s.epoch))
		s.generator = made
		return err // a new generator has generated its first tracks
	}
	if err := errors.Join(s.generator.SetSeeds(ctx, seeds), s.generator.SetEpoch(ctx, s.epoch)); err != nil {
		return err
	}
	_, err := s.generator.Generate(ctx)
	return err
}
