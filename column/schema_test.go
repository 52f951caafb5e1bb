package column_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// flag is a type whose underlying type is int32.
type flag int32

// gates is another kind of result than a batch of tracks.
type gates[V, F, I any] struct {
	Position V `column:"position,gate,length,place" doc:"middle of the gate"`
	Width    F `column:"width,gate,length,place,unknown" doc:"distance of the posts"`
	Passed   I `column:"passed,env,none,race,zero" doc:"gates passed"`
}

type (
	hostGates   = gates[[]kernel.Vec3, []float32, []flag]
	deviceGates = gates[exec.Array[kernel.Vec3], exec.Array[float32], exec.Array[int32]]
)

var gateSchema = column.NewSchema[hostGates, deviceGates]()

func TestSchemaReadsTags(t *testing.T) {
	require.NoError(t, gateSchema.Err())
	list := gateSchema.Columns()
	assert.Equal(t, []column.Column{
		{
			Name: "position", Type: kernel.TypeVec3, Per: column.Gate, Unit: column.Length, Stage: "place",
			Doc: "middle of the gate",
		},
		{
			Name: "width", Type: kernel.Float32, Per: column.Gate, Unit: column.Length, Stage: "place",
			Absent: column.Unknown, Doc: "distance of the posts",
		},
		{
			Name: "passed", Type: kernel.Int32, Per: column.Env, Unit: column.None, Stage: "race",
			Absent: column.Zero, Doc: "gates passed",
		},
	}, list)
	assert.Equal(t, []int{7, 7, 1}, []int{list[0].Stride(7), list[1].Stride(7), list[2].Stride(7)})
	assert.Equal(t, "[E, G_max, 3]", list[0].Shape())
	assert.Equal(t, "[E, G_max]", list[1].Shape())
	assert.Equal(t, "[E]", list[2].Shape())
}

// wrongOf returns the error of a schema.
func wrongOf[H, D any]() error { return column.NewSchema[H, D]().Err() }

func TestSchemaRefusesWrongFields(t *testing.T) {
	type floats = exec.Array[float32]
	for want, err := range map[string]error{
		"must be two structs":                           wrongOf[int, int](),
		`tag column is "": must be name,per,unit,stage`: wrongOf[struct{ A []float32 }, struct{ A floats }](),
		"must be a slice of kernel.Vec2, kernel.Vec3": wrongOf[struct {
			A []string `column:"a,env,none,s" doc:"d"`
		}, struct{ A floats }](),
		`name "A": must be`: wrongOf[struct {
			A []float32 `column:"A,env,none,s" doc:"d"`
		}, struct{ A floats }](),
		`per "lap": must be`: wrongOf[struct {
			A []float32 `column:"a,lap,none,s" doc:"d"`
		}, struct{ A floats }](),
		`unit "miles": must be`: wrongOf[struct {
			A []float32 `column:"a,env,miles,s" doc:"d"`
		}, struct{ A floats }](),
		"the stage is missing": wrongOf[struct {
			A []float32 `column:"a,env,none," doc:"d"`
		}, struct{ A floats }](),
		`absence "never": must be`: wrongOf[struct {
			A []float32 `column:"a,env,none,s,never" doc:"d"`
		}, struct{ A floats }](),
		"tag doc is missing": wrongOf[struct {
			A []float32 `column:"a,env,none,s"`
		}, struct{ A floats }](),
		"in device memory does not match": wrongOf[struct {
			A []int32 `column:"a,env,none,s" doc:"d"`
		}, struct{ A floats }](),
		`the name "a" is taken`: wrongOf[struct {
			A []float32 `column:"a,env,none,s" doc:"d"`
			B []float32 `column:"a,env,none,s" doc:"d"`
		}, struct{ A, B floats }](),
		"the field is not exported": wrongOf[struct {
			a []float32 `column:"a,env,none,s" doc:"d"`
		}, struct{ a floats }](),
	} {
		assert.ErrorContains(t, err, want)
	}
}

func TestHostColumnsAreTheFields(t *testing.T) {
	var g hostGates
	list := gateSchema.Host(&g)
	list[0].Resize(2)
	list[0].Vectors()[1].Z = 3
	assert.Equal(t, []kernel.Vec3{{}, {Z: 3}}, g.Position)
	g.Passed = []flag{4, 5}
	assert.Equal(t, []int32{4, 5}, list[2].Integers())
	assert.True(t, list[1].IsAbsent())
	assert.Nil(t, list[1].Numbers())
	assert.Nil(t, list[0].Numbers(), "another type")
	assert.Equal(t, int32(5), list[2].Integer(1))
	g.Passed = nil
	assert.Equal(t, int32(0), list[2].Integer(1), "absent")
}

func TestWordsOfHostColumns(t *testing.T) {
	g := hostGates{Position: []kernel.Vec3{{X: 1, Y: 2, Z: 3}, {X: 4, Y: 5, Z: 6}}}
	position, width := gateSchema.Host(&g)[0], gateSchema.Host(&g)[1]
	text := position.AppendWords(nil, 1, 2)
	assert.Equal(t, []byte{0, 0, 0x80, 0x40, 0, 0, 0xa0, 0x40, 0, 0, 0xc0, 0x40}, text)
	position.SetWords(0, text, 3)
	assert.Equal(t, g.Position[1], g.Position[0])
	assert.Equal(t, make([]byte, 8), width.AppendWords(nil, 0, 2), "absent")

	nan := float32(math.NaN())
	plane := gateSchema.Host(&hostGates{Position: []kernel.Vec3{{X: nan}, {}}})[0]
	position.SetWords(0, append(plane.AppendWords(nil, 0, 1)[:8], text[:8]...), 2)
	assert.True(t, g.Position[0].X != g.Position[0].X && g.Position[0].Z != g.Position[0].Z, "padding is NaN in z too")
	assert.Equal(t, kernel.V3(4, 5, 0), g.Position[1])
}

func TestDeviceColumns(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	var from, to deviceGates
	for _, result := range []*deviceGates{&from, &to} {
		for _, c := range gateSchema.Device(result) {
			if c.Absent == column.Unknown {
				continue
			}
			array, err := c.Allocate(device, 2*c.Stride(3))
			require.NoError(t, err)
			defer func() { require.NoError(t, array.Close()) }()
		}
	}
	require.NoError(t, from.Passed.Write(t.Context(), []int32{8, 9}))
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	source, copies := gateSchema.Device(&from), gateSchema.Device(&to)
	var read hostGates
	for i, c := range copies {
		c.Copy(lc, source[i])
	}
	require.NoError(t, lc.Err())
	require.NoError(t, lc.Stream().Sync())
	for i, c := range gateSchema.Host(&read) {
		require.NoError(t, copies[i].Read(t.Context(), c))
	}
	assert.Equal(t, hostGates{Position: make([]kernel.Vec3, 6), Passed: []flag{8, 9}}, read)
	words, err := copies[2].Words(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []uint32{8, 9}, words)
	require.ErrorContains(t, copies[2].Read(t.Context(), gateSchema.Host(&read)[0]), "the same column")
}
