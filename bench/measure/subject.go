package measure

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
)

// Subject is what is measured: batches of tracks or of gate courses of one configuration, or steps on them. Tracks,
// Gates, Steps and Races make one.
type Subject struct {
	generator   string
	envs        int
	agents      int // in each env, of steps
	bytesPerEnv func() (int64, error)
	open        func(device backend.Device, envs int) (generator, error)
}

// generator is what a measurement needs of a generator of tracks or of gate courses.
type generator interface {
	generate(ctx context.Context) error
	regenerate(ctx context.Context, mask exec.Array[int32]) error
	// stages returns the parts of the work, which can run one by one.
	stages() []exec.Segment
	Close() error
}

// Tracks is the subject of a configuration of tracks.
func Tracks(config track.Config) Subject {
	return Subject{generator: config.Generator, envs: config.NumEnvs, bytesPerEnv: config.BytesPerEnv,
		open: func(device backend.Device, envs int) (generator, error) {
			config.NumEnvs = envs
			g, err := track.NewGenerator(device, config)
			return discarding[*track.Track]{g}, err
		}}
}

// Gates is the subject of a configuration of gate courses.
func Gates(config gate.Config) Subject {
	return Subject{generator: config.Generator, envs: config.NumEnvs, bytesPerEnv: config.BytesPerEnv,
		open: func(device backend.Device, envs int) (generator, error) {
			config.NumEnvs = envs
			g, err := gate.NewGenerator(device, config)
			return discarding[*gate.Sequence]{g}, err
		}}
}

// Generator returns the name of the generator.
func (s Subject) Generator() string { return s.generator }

// of returns the subject with another number of envs.
func (s Subject) of(envs int) Subject {
	s.envs = envs
	return s
}

// maker is a generator whose batches have the type B.
type maker[B any] interface {
	Generate(ctx context.Context) (B, error)
	Regenerate(ctx context.Context, mask exec.Array[int32], options ...generation.RegenerateOption) (B, error)
	Program() *pipeline.Program
	Close() error
}

// discarding is a generator whose batches are not looked at.
type discarding[B any] struct{ maker[B] }

func (d discarding[B]) generate(ctx context.Context) error {
	_, err := d.Generate(ctx)
	return err
}

func (d discarding[B]) stages() []exec.Segment { return d.Program().Stages() }

func (d discarding[B]) regenerate(ctx context.Context, mask exec.Array[int32]) error {
	_, err := d.Regenerate(ctx, mask)
	return err
}
