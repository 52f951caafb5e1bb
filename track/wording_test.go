package track_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/wording"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// requireWording checks that an error says each thing once, and begins with what the function was doing.
func requireWording(t *testing.T, begins string, err error) {
	t.Helper()
	require.Error(t, err)
	t.Log(err)
	assert.Empty(t, wording.Fault(err.Error()), err.Error())
	assert.Regexp(t, "^"+begins, err.Error())
}

// newError returns the error of NewGenerator for a small generator.
func newError(device backend.Device, with ...track.Option) error {
	_, err := track.NewGenerator(device, tracktest.Config(track.Bezier, 2), with...)
	return err
}

// mine adds a stage of the caller.
func mine(class exec.CaptureClass, body exec.Enqueue, err error) track.Option {
	return track.WithStages(pipeline.StageFunc("mine", class,
		func(exec.Builder) (exec.Enqueue, error) { return body, err }))
}

// The error of a generator that cannot be made names the producer and the stage once.
func TestWordingOfNew(t *testing.T) {
	device := open(t)
	shut, err := exec.NewArray[int32](device, 2)
	require.NoError(t, err)
	require.NoError(t, shut.Close())
	broken := kernel.Def{Name: "mine.k", Go: func(int32, int32, *kernel.Args) { panic("broken") }}
	_, failed := exec.NewArray[int32](device, -1)
	for want, err := range map[string]error{
		`option 0 is <nil>`: newError(device, nil),
		`producer "track.bezier": check options: seeds length is 1`: newError(device, track.WithSeeds([]int32{1})),
		`producer "track.bezier": allocate a batch`:                 newError(open(t, backend.MemoryLimit(1<<12))),
		`producer "track.bezier": build stage "mine": new array`:    newError(device, mine(exec.Static, nil, failed)),
		`producer "track.bezier": build stage "mine": Enqueue`:      newError(device, mine(exec.Static, nil, nil)),
		`producer "track.bezier": stage "mine": fill: the array destination is closed`: newError(device, mine(exec.Static,
			func(lc *exec.LaunchContext) { exec.Fill(lc, shut, 1) }, nil)),
		`producer "track.bezier": stage "mine": kernel mine.k: panic: broken`: newError(device, mine(exec.Static,
			func(lc *exec.LaunchContext) { lc.Prepare(&broken, 1).Launch() }, nil)),
		`producer "track.bezier": stage "mine": launch mine.k: number of arguments`: newError(device, mine(exec.Static,
			func(lc *exec.LaunchContext) {
				l := lc.Prepare(&broken, 1)
				exec.Bind(l, shut)
				l.Launch()
			}, nil)),
	} {
		requireWording(t, "track: new generator: "+want, err)
	}
}

// Errors of the calls of a generator begin with the package and the call.
func TestWordingOfCalls(t *testing.T) {
	device := open(t)
	ctx := context.Background()
	g, err := track.NewGenerator(device, tracktest.Config(track.Bezier, 2),
		mine(exec.Host, func(*exec.LaunchContext) {}, nil))
	require.NoError(t, err)
	short, err := exec.NewArray[int32](device, 1)
	require.NoError(t, err)
	mask, err := exec.NewArray[int32](device, 2)
	require.NoError(t, err)
	defer func() { require.NoError(t, errors.Join(short.Close(), mask.Close())) }()
	check := func() {
		_, err := g.Generate(ctx)
		requireWording(t, "track: generate: ", err)
		_, err = g.Regenerate(ctx, mask)
		requireWording(t, "track: regenerate: ", err)
		_, err = g.Regenerate(ctx, short)
		requireWording(t, "track: regenerate: ", err)
		requireWording(t, "track: set seeds: ", g.SetSeeds(ctx, []int32{1, 2}))
		requireWording(t, "track: set seeds: ", g.SetSeeds(ctx, []int32{1}))
		requireWording(t, "track: set epoch: ", g.SetEpoch(ctx, 1))
		_, err = g.Counters(ctx)
		requireWording(t, "track: counters: ", err)
		_, err = g.Track().Clone(ctx)
		requireWording(t, "track: clone: ", err)
		_, err = g.Track().Batch(ctx)
		requireWording(t, "track: read: ", err)
	}
	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	check()
	_, err = track.Import(ctx, device, track.ImportOptions{HalfWidth: 5}, circle())
	requireWording(t, "track: import: ", err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
	require.NoError(t, g.Close())
	check()
}

// Errors about a circuit name the circuit once.
func TestWordingOfCircuits(t *testing.T) {
	device := open(t)
	for name, circuit := range map[string]track.Circuit{"few": {Name: "few"}, "circuits": {}} {
		_, err := track.Import(context.Background(), device, track.ImportOptions{HalfWidth: 5}, circuit)
		requireWording(t, "track: import: circuit", err)
		assert.ErrorContains(t, err, name)
	}
	_, err := track.Import(context.Background(), device, track.ImportOptions{HalfWidth: 5})
	requireWording(t, "track: import: circuits is 0", err)
	_, err = track.Import(context.Background(), nil, track.ImportOptions{HalfWidth: 5}, circle())
	requireWording(t, "track: import: device", err)
}

// circle returns a circuit that can be imported.
func circle() track.Circuit {
	return line(40, func(u float64) (x, y, right, left float64) { return 100 * math.Cos(u), 100 * math.Sin(u), 5, 5 })
}
