package collision_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// trialOfAgents makes a trial of boxes against each other.
func trialOfAgents(t *testing.T, device backend.Device, swept bool) trial {
	ctx := context.Background()
	const boxes = 7
	r := rand.New(rand.NewPCG(13, 1))
	var scenes []boxScene
	for range sceneSteps {
		scenes = append(scenes, drawBoxScene(r, sceneEnvs*boxes))
	}
	stream := streamOf(t, device)
	a, err := collision.NewAgents(device, collision.AgentConfig{Envs: sceneEnvs, Boxes: boxes, Swept: swept},
		collision.WithStream(stream))
	require.NoError(t, err)
	inputs := boxInputsOf(t, device, scenes[0])
	require.NoError(t, a.Bind(inputs.boxes))
	return trial{
		stream: stream, write: func(step int) { inputs.write(scenes[step]) },
		query: func(ctx context.Context) error { _, err := a.Query(ctx); return err },
		reset: a.Reset, mask: coursetest.Upload(t, device, []int32{0, 1, 0, 7, 0}),
		read: func() []uint32 {
			h, err := a.Contacts().Read(ctx)
			require.NoError(t, err)
			require.Equal(t, swept, h.FirstContact != nil)
			return words(h.Hit, h.Other, h.Distance, h.Normal, h.FirstContact)
		},
		close: a.Close,
	}
}

func agentTrial(t *testing.T, device backend.Device) trial { return trialOfAgents(t, device, false) }

func sweptAgentTrial(t *testing.T, device backend.Device) trial {
	return trialOfAgents(t, device, true)
}

// Cars of one env meet, cars of different envs do not. After a reset a car has no way behind it.
func TestAgentsOfAnEnv(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	a, err := collision.NewAgents(device, collision.AgentConfig{Envs: 2, Boxes: 2, Swept: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	before, err := a.Contacts().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{-1, -1, -1, -1}, before.Other)
	half := kernel.V2(0.5, 0.25)
	scene := boxScene{[]kernel.Vec3{{X: -4}, {X: 4}, {X: -4}, {X: 4}}, []kernel.Quat{{W: 1}, {W: 1}, {W: 1}, {W: 1}},
		[]kernel.Vec2{half, half, half, half}}
	inputs := boxInputsOf(t, device, scene)
	require.NoError(t, a.Bind(inputs.boxes))
	query := func() *collision.HostAgentContacts {
		contacts, err := a.Query(ctx)
		require.NoError(t, err)
		clone, err := contacts.Clone(ctx)
		require.NoError(t, err)
		got, err := clone.Read(ctx)
		require.NoError(t, err)
		require.NoError(t, clone.Close())
		return got
	}
	got := query()
	require.Equal(t, []int32{1, 0, 1, 0}, got.Other)
	require.Equal(t, []float32{7, 7, 7, 7}, got.Distance)
	require.True(t, kernel.IsNaN(got.FirstContact[0]))
	require.NoError(t, a.Reset(ctx, coursetest.Upload(t, device, []int32{0, 1})))
	scene.position = []kernel.Vec3{{X: 4}, {X: -4}, {X: 4}, {X: -4}}
	inputs.write(scene)
	got = query()
	require.Equal(t, []int32{0, 0, 0, 0}, got.Hit)
	require.Equal(t, []float32{0.4375, 0.4375}, got.FirstContact[:2], "7 of the way of 16 that they make together")
	require.True(t, kernel.IsNaN(got.FirstContact[2]) && kernel.IsNaN(got.FirstContact[3]))
	scene.position = []kernel.Vec3{{}, {X: 0.75}, {}, {Y: 1}}
	inputs.write(scene)
	got = query()
	require.Equal(t, []int32{1, 1, 0, 0}, got.Hit)
	require.Equal(t, []float32{-0.25, -0.25, 0.5, 0.5}, got.Distance)
	require.Equal(t, []kernel.Vec2{{X: -1}, {X: 1}, {Y: -1}, {Y: 1}}, got.Normal)
}

func TestAgentsRefuse(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	for want, c := range map[string]collision.AgentConfig{
		"envs is 0: must be a whole number >= 1":                               {},
		"boxes is -1: must be a whole number >= 1 and <= 1024, or 0 for 1":     {Envs: 1, Boxes: -1},
		"boxes is 2000: must be a whole number >= 1 and <= 1024, or 0 for 1":   {Envs: 1, Boxes: 2000},
		"boxes is 1000: must be at most 268 for 2000000 envs":                  {Envs: 2_000_000, Boxes: 1000},
		"envs is -3: must be a whole number >= 1\nboxes is -1: must be a whol": {Envs: -3, Boxes: -1},
	} {
		_, err := collision.NewAgents(device, c)
		require.ErrorContains(t, err, want)
		isConfig(t, err)
	}
	_, err := collision.NewAgents(nil, collision.AgentConfig{Envs: 1})
	require.ErrorIs(t, err, backend.ErrInvalid)
	var none *collision.Agents
	for _, checker := range []*collision.Agents{none, {}} {
		_, err = checker.Query(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		_, err = checker.QueryBoxes(ctx, collision.Boxes{})
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.ErrorIs(t, checker.Bind(collision.Boxes{}), backend.ErrInvalid)
		require.ErrorIs(t, checker.Reset(ctx, exec.Array[int32]{}), backend.ErrInvalid)
		_, err = checker.Contacts().Clone(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.Zero(t, checker.Arrays())
		require.NoError(t, checker.Close())
	}
	a, err := collision.NewAgents(device, collision.AgentConfig{Envs: 2})
	require.NoError(t, err)
	require.ErrorContains(t, a.Reset(ctx, coursetest.Upload(t, device, make([]int32, 9))), "mask")
	require.ErrorContains(t, a.Bind(collision.Boxes{}), "position")
	require.NoError(t, a.Reset(ctx, coursetest.Upload(t, device, []int32{1, 1})),
		"without swept motion nothing is forgotten")
	require.NoError(t, a.Close())
	require.ErrorIs(t, a.Reset(ctx, exec.Array[int32]{}), backend.ErrClosed)
}
