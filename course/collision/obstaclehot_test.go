package collision_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// Queries and resets neither wait, nor allocate, nor use another stream than theirs.
func TestHotMethodsOfObstacles(t *testing.T) {
	for name, make := range trials {
		t.Run(name, func(t *testing.T) {
			ctx, device := context.Background(), exectest.Instrument(coursetest.OpenCPU(t, backend.Workers(1)))
			r := make(t, device)
			defer func() { require.NoError(t, r.close()) }()
			hot := func(ctx context.Context) error {
				if err := r.query(ctx); err != nil || r.reset == nil {
					return err
				}
				return r.reset(ctx, r.mask)
			}
			require.NoError(t, hot(ctx))
			require.NoError(t, exectest.HotPath(device, exectest.Options{}).Do(ctx, hot))
			plain := make(t, coursetest.OpenCPU(t, backend.Workers(1)))
			defer func() { require.NoError(t, plain.close()) }()
			query := func() {
				err := plain.query(ctx)
				if plain.reset != nil && err == nil {
					err = plain.reset(ctx, plain.mask)
				}
				require.NoError(t, err)
			}
			query()
			assert.Zero(t, testing.AllocsPerRun(10, query))
		})
	}
}

// Boxes of the call cost no allocation after the first call. Binding others after a capture is warned about.
func TestInputsOfObstacles(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	var warnings []exec.Warning
	d, err := collision.NewDiscs(device,
		collision.DiscSource{Envs: 2, Discs: coursetest.Upload(t, device, []kernel.Vec3{{}, {}})},
		collision.DiscConfig{Radius: 1}, collision.WithWarnings(func(w exec.Warning) { warnings = append(warnings, w) }))
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	scene := boxScene{[]kernel.Vec3{{}, {X: 9}}, []kernel.Quat{{W: 1}, {W: 1}}, []kernel.Vec2{{}, {}}}
	inputs := boxInputsOf(t, device, scene)
	query := func() {
		_, err := d.QueryBoxes(ctx, inputs.boxes)
		require.NoError(t, err)
	}
	query()
	assert.Zero(t, testing.AllocsPerRun(10, query))

	require.NoError(t, d.Bind(inputs.boxes))
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = d.Query(ctx)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.Empty(t, warnings)
	require.NoError(t, d.Bind(boxInputsOf(t, device, scene).boxes))
	require.Equal(t, []exec.Warning{exec.RebindAfterCaptureWarning{Component: "discs",
		Inputs: []string{"position", "orientation", "half_extents"}}}, warnings)
	require.NoError(t, inputs.boxes.Position.Write(ctx, []kernel.Vec3{{X: 9}, {}}))
	require.NoError(t, stream.Replay(graph))
	got, err := d.Contacts().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{0, 1}, got.Hit, "the graph reads the boxes that it has recorded")
}
