package track

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// ShardedGenerator generates one batch on several devices: each has a Generator of its own for successive envs of the
// batch, its shard. Every env has the same seed, and so the same bits, as in a batch that one device makes. The devices
// work at the same time.
//
// Only one goroutine at a time may use a ShardedGenerator; another call returns exec.ErrConcurrentUse. The caller
// closes it before the devices.
type ShardedGenerator struct {
	config Config
	shards []shard
	busy   atomic.Bool // a call is running
}

type shard struct {
	device    backend.Device
	first     int // env of the batch
	generator *Generator
}

// during returns an error with the name of the device.
func (p shard) during(err error) error { return fmt.Errorf("%s: %w", p.device.Info().Name, err) }

// NewShardedGenerator makes a generator of config on each device, and generates once on all. Device r of n has envs
// E*r/n to E*(r+1)/n-1 of the E envs of the batch, rounded down. The options are those of NewGenerator for the whole
// batch, except WithStages and WithStream, which belong to one device.
//
// It returns a *backend.ArgumentError if there is no device, if one is nil or comes twice, or if there are more devices
// than envs, and for an option that does not fit; otherwise the errors of NewGenerator, with the name of the device.
func NewShardedGenerator(devices []backend.Device, config Config, with ...Option) (_ *ShardedGenerator, err error) {
	const op = "new sharded generator"
	if err := config.Validate(); err != nil {
		return nil, err
	}
	o, err := generation.Collect(prefix, op, with)
	if err != nil {
		return nil, err
	}
	config = config.Resolved()
	if err := checkDevices(prefix+op, devices, config.NumEnvs); err != nil {
		return nil, err
	}
	if len(o.Stages) > 0 || o.Seeds.DefaultStream != nil {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "options", Value: "a stage or a stream",
			Allowed: "none of them: they belong to one device"}
	}
	if err := errors.Join(o.CheckSeeds(prefix+op, config.NumEnvs),
		o.CheckComponents(config.NumEnvs, len(config.Mix))); err != nil {
		return nil, err
	}
	if warn := o.Warn; warn != nil {
		var one sync.Mutex // the devices warn at the same time
		o.Warn = func(w exec.Warning) {
			one.Lock()
			defer one.Unlock()
			warn(w)
		}
	}
	s := &ShardedGenerator{config: config}
	for r, device := range devices {
		s.shards = append(s.shards, shard{device: device, first: config.NumEnvs * r / len(devices)})
	}
	err = s.each(context.Background(), func(_ context.Context, r int) error {
		low, high := s.Envs(r)
		part := config
		part.NumEnvs = high - low
		made, err := NewGenerator(s.shards[r].device, part, o.Part(low, high)...)
		s.shards[r].generator = made
		return err
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func checkDevices(op string, devices []backend.Device, envs int) error {
	if len(devices) == 0 || len(devices) > envs {
		return &backend.ArgumentError{Op: op, Argument: "devices", Value: len(devices),
			Allowed: fmt.Sprintf("1 to %d, the number of envs", envs)}
	}
	seen := map[backend.Device]bool{}
	for r, device := range devices {
		if device == nil || seen[device] {
			return &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("devices[%d]", r), Value: device,
				Allowed: "an open device that is in the list once"}
		}
		seen[device] = true
	}
	return nil
}

// each calls f for all shards at once. The first error cancels the others. Errors have the name of the device.
func (s *ShardedGenerator) each(ctx context.Context, f func(ctx context.Context, r int) error) error {
	if len(s.shards) == 0 {
		return &backend.ArgumentError{Op: prefix + "work on several devices", Argument: "generator", Value: nil,
			Allowed: "one made by NewShardedGenerator"}
	}
	if !s.busy.CompareAndSwap(false, true) { // two calls at once would leave the shards in different generations
		return during("work on several devices", exec.ErrConcurrentUse)
	}
	defer s.busy.Store(false)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make([]error, len(s.shards))
	var group sync.WaitGroup
	for r := range s.shards {
		group.Go(func() {
			if err := f(ctx, r); err != nil {
				failed[r] = s.shards[r].during(err)
				cancel()
			}
		})
	}
	group.Wait()
	causes := slices.DeleteFunc(slices.Clone(failed), func(err error) bool { return errors.Is(err, context.Canceled) })
	if err := errors.Join(causes...); err != nil {
		return err
	}
	return errors.Join(failed...)
}

// Config returns the configuration of the whole batch, with every default filled in.
func (s *ShardedGenerator) Config() Config { return s.config }

// Generators returns the generators, one for each device, in the order of the devices.
func (s *ShardedGenerator) Generators() []*Generator {
	var list []*Generator
	for _, part := range s.shards {
		list = append(list, part.generator)
	}
	return list
}

// Envs returns which envs of the batch device r has: low to high-1. r is the index of a device.
func (s *ShardedGenerator) Envs(r int) (low, high int) {
	high = s.config.NumEnvs
	if r+1 < len(s.shards) {
		high = s.shards[r+1].first
	}
	return s.shards[r].first, high
}

// Generate makes the tracks of the current seeds and epochs on all devices, and waits. After an error, the tracks of
// the devices belong to different generations.
//
// A capture holds the work of one device, so Generate returns exec.ErrCapture if the stream of ctx captures.
func (s *ShardedGenerator) Generate(ctx context.Context) error {
	for _, part := range s.shards {
		if _, err := exec.EnsureNotCapturing(ctx, part.device, s.config.producerName(), nil); err != nil {
			return during("generate", part.during(err))
		}
	}
	return s.each(ctx, func(ctx context.Context, r int) error {
		_, err := s.shards[r].generator.Generate(ctx)
		return err
	})
}

// SetSeeds replaces the seeds of all envs, one value for each of the batch, and sets their epochs to 0.
func (s *ShardedGenerator) SetSeeds(ctx context.Context, values []int32) error {
	if len(values) != s.config.NumEnvs {
		return &backend.ArgumentError{Op: prefix + "set seeds", Argument: "seeds length", Value: len(values),
			Allowed: fmt.Sprint(s.config.NumEnvs)}
	}
	return s.each(ctx, func(ctx context.Context, r int) error {
		low, high := s.Envs(r)
		return s.shards[r].generator.SetSeeds(ctx, values[low:high])
	})
}

// SetEpoch sets the epoch of every env.
func (s *ShardedGenerator) SetEpoch(ctx context.Context, epoch int32) error {
	return s.each(ctx, func(ctx context.Context, r int) error {
		return s.shards[r].generator.SetEpoch(ctx, epoch)
	})
}

// Batch copies the tracks of all devices to host memory, as one batch.
func (s *ShardedGenerator) Batch(ctx context.Context) (*Batch, error) {
	parts := make([]*Batch, len(s.shards))
	err := s.each(ctx, func(ctx context.Context, r int) (err error) {
		parts[r], err = s.shards[r].generator.Track().Batch(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	whole := parts[0]
	for _, part := range parts[1:] {
		envs := make([]int, part.Envs)
		for e := range envs {
			envs[e] = e
		}
		if err := whole.Append(part, envs...); err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// Counters returns the sums of the counters of all devices.
func (s *ShardedGenerator) Counters(ctx context.Context) (sum Counters, err error) {
	list := make([]Counters, len(s.shards))
	err = s.each(ctx, func(ctx context.Context, r int) (err error) {
		list[r], err = s.shards[r].generator.Counters(ctx)
		return err
	})
	for _, c := range list {
		sum.Truncated += c.Truncated
		sum.Dropped += c.Dropped
	}
	return sum, err
}

// Close releases the generators. Closing twice is a no-op.
func (s *ShardedGenerator) Close() error {
	var failed error
	for _, part := range s.shards {
		if part.generator != nil {
			if err := part.generator.Close(); err != nil {
				failed = errors.Join(failed, part.during(err))
			}
		}
	}
	return failed
}
