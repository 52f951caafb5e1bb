//go:build cgo && linux

package cuda

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// lifeEnvs is small, because tests run many whole lives.
const lifeEnvs = 3

// lifeConfig returns the configuration of a generator that runs quickly.
func lifeConfig(generator string) track.Config {
	return tracktest.Small(tracktest.Config(generator, lifeEnvs, func(c *track.Config) {
		c.Output.MaxPoints = 64
		c.Relax.Sweeps = 3
		c.Spline.SamplesPerSegment = 5
	}))
}

// lifeMask selects the envs that a life regenerates.
var lifeMask = []int32{0, 1, 0}

// lifeRegenerations is the number of times that a life regenerates the masked envs.
const lifeRegenerations = 5

// life is the whole life of a producer, from the opening of its device to the end. The producer is used in all ways:
// eagerly, through graphs of its own, and recorded into captures that somebody else begins on a stream of their own.
type life struct {
	t      testing.TB
	o      *owner
	stream uint64 // the owner's
	config track.Config

	device    *device
	generator *track.Generator
	mask      exec.Array[int32]
	adopted   backend.Stream
}

// run runs a life up to the first error, on a thread without a context. It returns the bits of all arrays at the end.
func (l *life) run() (words [][]uint32, err error) {
	l.o.must("cuCtxSetCurrent", 0)
	defer l.o.must("cuCtxSetCurrent", l.o.context)
	opened, err := backend.Open("cuda:0")
	if err != nil {
		return nil, err
	}
	l.device = opened.(*device)
	defer func() { err = errors.Join(err, l.close()) }()
	if l.generator, err = track.NewGenerator(l.device, l.config, track.WithSeed(3)); err != nil {
		return nil, err
	}
	if l.mask, err = exec.FromSlice(l.device, lifeMask); err != nil {
		return nil, err
	}
	if l.adopted, err = l.device.AdoptStream(uintptr(l.stream)); err != nil {
		return nil, err
	}
	if err := l.eager(); err != nil {
		return nil, err
	}
	if err := l.ownGraphs(); err != nil {
		return nil, err
	}
	require.NotContains(l.t, l.o.e.Live(), "captures", "a capture of our own is open")
	for _, conditional := range []bool{false, true} {
		if err := l.foreign(conditional); err != nil {
			return nil, err
		}
	}
	return l.read()
}

// eager generates and regenerates without graphs.
func (l *life) eager() error {
	lc, err := exec.For(l.t.Context(), l.device)
	if err != nil {
		return err
	}
	l.generator.Enqueue(lc)
	l.generator.EnqueueRegenerate(lc, l.mask)
	return errors.Join(lc.Err(), lc.Stream().Sync())
}

// ownGraphs generates and regenerates through graphs of the generator. The first call of each captures the graph.
func (l *life) ownGraphs() error {
	ctx := l.t.Context()
	for range 2 {
		if _, err := l.generator.Generate(ctx); err != nil {
			return err
		}
		if _, err := l.generator.Regenerate(ctx, l.mask); err != nil {
			return err
		}
	}
	return l.device.DefaultStream().Sync()
}

// foreign records a generation and a regeneration into a capture in global mode that somebody else begins, ends and
// replays. Whatever fails, the capture stays intact.
func (l *life) foreign(conditional bool) error {
	l.o.must("cuStreamBeginCapture", l.stream, modeGlobal)
	_, before := l.o.info(l.stream)
	recorded := l.record(conditional)
	status, after := l.o.info(l.stream)
	require.Equal(l.t, int32(1), status, "the capture of somebody else is not active: %v", recorded)
	require.Equal(l.t, before, after, "the capture has another identity")
	if recorded != nil {
		l.o.must("cuStreamEndCapture", l.stream, l.o.out())
		l.o.must("cuGraphDestroy", l.o.result())
		return recorded
	}
	graph, executable := l.o.end(l.stream)
	l.o.replay(executable, l.stream)
	l.o.destroy(graph, executable)
	return nil
}

// record records into a capture that is registered.
func (l *life) record(conditional bool) error {
	foreign, err := exec.RegisterForeign(l.adopted, exec.ForeignOptions{Conditional: conditional})
	if err != nil {
		return err
	}
	defer foreign.End()
	return l.emit()
}

// emit generates and regenerates on the stream of somebody else.
func (l *life) emit() error {
	lc, err := exec.For(l.t.Context(), l.device, exec.OnStream(l.adopted))
	if err != nil {
		return err
	}
	ctx := exec.With(l.t.Context(), lc)
	if _, err := l.generator.Generate(ctx); err != nil {
		return err
	}
	_, err = l.generator.Regenerate(ctx, l.mask)
	return err
}

// read returns the bits of all arrays.
func (l *life) read() ([][]uint32, error) {
	if _, err := l.generator.Track().Batch(l.t.Context()); err != nil {
		return nil, err
	}
	return wordsOf(l.t, l.generator)
}

func wordsOf(t testing.TB, g *track.Generator) (words [][]uint32, err error) {
	for _, array := range g.StageArrays() {
		w, err := array.Words(t.Context())
		if err != nil {
			return nil, err
		}
		words = append(words, w)
	}
	return words, nil
}

// close closes everything that was opened.
func (l *life) close() (err error) {
	if l.generator != nil {
		err = l.generator.Close()
	}
	err = errors.Join(err, l.mask.Close())
	if l.adopted != nil {
		err = errors.Join(err, l.adopted.Close())
	}
	return errors.Join(err, l.device.Close())
}

// wantedOfLife returns the bits of all arrays at the end of a life, from the CPU.
func wantedOfLife(t testing.TB, config track.Config) [][]uint32 {
	cpu, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, cpu.Close()) }()
	g, err := track.NewGenerator(cpu, config, track.WithSeed(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	mask, err := exec.FromSlice(cpu, lifeMask)
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	for range lifeRegenerations {
		_, err := g.Regenerate(t.Context(), mask)
		require.NoError(t, err)
	}
	words, err := wordsOf(t, g)
	require.NoError(t, err)
	return words
}
