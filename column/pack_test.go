package column_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

type packedOf[V, F, I any] struct {
	Laps    I `column:"laps,agent,none,s" doc:"d"`
	Normal  V `column:"normal,box,none,s" doc:"d"`
	Target  I `column:"target,agent,none,s" doc:"d"`
	Nearest V `column:"nearest,box,length,s" doc:"d"`
	Depth   F `column:"depth,box,length,s" doc:"d"`
}

func TestPack(t *testing.T) {
	type host = packedOf[[]kernel.Vec2, []float32, []int32]
	type device = packedOf[exec.Array[kernel.Vec2], exec.Array[float32], exec.Array[int32]]
	schema := column.NewSchema[host, device]()
	require.NoError(t, schema.Err())
	require.Equal(t, "[E, A]", schema.Columns()[0].Shape())
	require.Equal(t, "[E, B, 2]", schema.Columns()[1].Shape())

	ctx := context.Background()
	cpu, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, cpu.Close()) }()
	var result device
	memory, err := column.Pack(cpu, schema.Device(&result), 3)
	require.NoError(t, err)
	defer func() { require.NoError(t, memory.Close()) }()
	require.Equal(t, []int{6, 6, 3}, []int{memory.Integers.Len(), memory.Vec2.Len(), memory.Floats.Len()})
	require.True(t, memory.Vec3.IsZero())
	require.NoError(t, memory.Integers.Write(ctx, []int32{1, 2, 3, 4, 5, 6}))
	laps, err := result.Laps.Read(ctx)
	require.NoError(t, err)
	target, err := result.Target.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, [][]int32{{1, 2, 3}, {4, 5, 6}}, [][]int32{laps, target})
	require.NoError(t, result.Nearest.Write(ctx, []kernel.Vec2{{X: 1}, {X: 2}, {Y: 3}}))
	vectors, err := memory.Vec2.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []kernel.Vec2{{}, {}, {}, {X: 1}, {X: 2}, {Y: 3}}, vectors)

	_, err = column.Pack(cpu, schema.Device(&result), -1)
	require.Error(t, err)
}
