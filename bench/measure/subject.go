package measure

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
)

// Subject is what is measured: batches of tracks or of gate courses of one configuration. Tracks and Gates make one.
type Subject struct {
	generator   string
	envs        int
	bytesPerEnv func() (int64, error)
	open        func(device backend.Device, envs int) (generator, error)
}

// generator is what a measurement needs of a generator of tracks or of gate courses.
type generator interface {
	generate(ctx context.Context) error
	regenerate(ctx context.Context, mask exec.Array[int32]) error
	Program() *pipeline.Program
	Close() error
}

// Tracks is the subject of a configuration of tracks.
func Tracks(config track.Config) Subject {
	return Subject{generator: config.Generator, envs: config.NumEnvs, bytesPerEnv: config.BytesPerEnv,
		open: func(device backend.Device, envs int) (generator, error) {
			config.NumEnvs = envs
			g, err := track.NewGenerator(device, config)
			return tracks{g}, err
		}}
}

// Gates is the subject of a configuration of gate courses.
func Gates(config gate.Config) Subject {
	return Subject{generator: config.Generator, envs: config.NumEnvs, bytesPerEnv: config.BytesPerEnv,
		open: func(device backend.Device, envs int) (generator, error) {
			config.NumEnvs = envs
			g, err := gate.NewGenerator(device, config)
			return courses{g}, err
		}}
}

// Generator returns the name of the generator.
func (s Subject) Generator() string { return s.generator }

// of returns the subject with another number of envs.
func (s Subject) of(envs int) Subject {
	s.envs = envs
	return s
}

// tracks is a generator of tracks.
type tracks struct{ *track.Generator }

func (t tracks) generate(ctx context.Context) error {
	_, err := t.Generate(ctx)
	return err
}

func (t tracks) regenerate(ctx context.Context, mask exec.Array[int32]) error {
	_, err := t.Regenerate(ctx, mask)
	return err
}

// courses is a generator of gate courses.
type courses struct{ *gate.Generator }

func (c courses) generate(ctx context.Context) error {
	_, err := c.Generate(ctx)
	return err
}

func (c courses) regenerate(ctx context.Context, mask exec.Array[int32]) error {
	_, err := c.Regenerate(ctx, mask)
	return err
}
