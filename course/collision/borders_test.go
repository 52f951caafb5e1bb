package collision_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// bordersOf returns a checker.
func bordersOf(t testing.TB, device backend.Device, source collision.BorderSource, c collision.BordersConfig,
	with ...collision.Option) *collision.Borders {
	t.Helper()
	b, err := collision.NewBorders(device, source, c, with...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// answersOf asks about boxes.
func answersOf(t testing.TB, b *collision.Borders, inputs boxInputs) *collision.HostContacts {
	t.Helper()
	contacts, err := b.QueryBoxes(context.Background(), inputs.boxes)
	require.NoError(t, err)
	host, err := contacts.Read(context.Background())
	require.NoError(t, err)
	return host
}

// bitsOfContacts returns all bits of contacts.
func bitsOfContacts(h *collision.HostContacts) []uint32 {
	return words(h.OutOfBounds, h.Boundary, h.Distance, h.Nearest, h.Normal, h.FirstContact, h.FirstBoundary)
}

// compareWithScan asks a search by index and a scan about random boxes, and returns how many they were.
func compareWithScan(t *testing.T, seed uint64, boxes, steps int) int {
	t.Helper()
	return compareOn(t, mixedRoads(seed), seed, boxes, steps)
}

// compareOn is compareWithScan on given roads.
func compareOn(t *testing.T, r *roads, seed uint64, boxes, steps int) int {
	t.Helper()
	draw := rand.New(rand.NewPCG(seed, 5))
	return compareScenes(t, r, boxes, steps, func() boxScene { return r.drawScene(draw, boxes) })
}

// compareScenes is compareWithScan on given roads, for the boxes that next returns for each step.
func compareScenes(t *testing.T, r *roads, boxes, steps int, next func() boxScene) int {
	t.Helper()
	device := coursetest.OpenCPU(t, backend.Workers(2))
	source := r.source(t, device)
	index := bordersOf(t, device, source, collision.BordersConfig{Boxes: boxes, Swept: true})
	scan := bordersOf(t, device, source,
		collision.BordersConfig{Boxes: boxes, Swept: true, Method: collision.ByScan})
	inputs := boxInputsOf(t, device, next())
	for step := range steps {
		s := next()
		inputs.write(s)
		got, want := answersOf(t, index, inputs), answersOf(t, scan, inputs)
		g, w := bitsOfContacts(got), bitsOfContacts(want)
		for i := range w {
			if g[i] != w[i] {
				k := i % len(s.position)
				t.Fatalf("step %d, word %d: %#08x, not %#08x: env %d, box %v %v %v\ngot  %v\nwant %v", step,
					i, g[i], w[i], k/boxes, s.position[k], s.turn[k], s.half[k], contactAt(got, k), contactAt(want, k))
			}
		}
	}
	return r.envs() * boxes * steps
}

// contactAt returns the numbers of the contact of a box for messages.
func contactAt(h *collision.HostContacts, k int) []any {
	list := []any{h.OutOfBounds[k], h.Boundary[k], h.Distance[k], h.Nearest[k], h.Normal[k]}
	if h.FirstContact != nil {
		list = append(list, h.FirstContact[k], h.FirstBoundary[k])
	}
	return list
}

// The search by index gives every bit of the scan, with any boxes, tracks and motions.
func TestIndexEqualsScan(t *testing.T) {
	total := 0
	for seed := range uint64(4) {
		total += compareWithScan(t, seed, 40, 6)
	}
	t.Logf("%d queries", total)
}

// So it does on roads whose areas hold more leaves than a run may have, about as many, and fewer.
func TestIndexEqualsScanOnLongRuns(t *testing.T) {
	draw := rand.New(rand.NewPCG(21, 22))
	r := &roads{stride: 320}
	for _, n := range []int{320, 200, 186, 180, 174, 168, 162, 120} {
		r.scatter(draw, n, 1, false)
		r.winding(draw, n, 1)
	}
	t.Logf("%d queries", compareOn(t, r, 23, 40, 3))
}

// Segments shorter than 1e-6 count as points in distances, but not in first contacts: boxes that are farther from the
// points than they have moved may have touched the segments.
func TestFirstContactsOfTinyRoads(t *testing.T) {
	r, draw := &roads{stride: 40}, rand.New(rand.NewPCG(1, 55))
	for range 12 {
		r.winding(draw, 5+draw.IntN(35), 1e-6)
	}
	compareOn(t, r, 1, 60, 12)
}

// The way of a box without bounds, which is infinite or has NaNs, is searched like any other: the scan finds that the
// box touches at the begin.
func TestFirstContactsOfBoxesWithoutBounds(t *testing.T) {
	r := &roads{stride: 40}
	r.winding(rand.New(rand.NewPCG(1, 56)), 40, 1)
	device := coursetest.OpenCPU(t, backend.Workers(1))
	source := r.source(t, device)
	turn, half := []kernel.Quat{{X: 1, Y: -2, Z: 0.4, W: 2}}, []kernel.Vec2{{X: math.MaxFloat32, Y: kernel.Inf()}}
	var first [2]float32
	for i, method := range []string{collision.ByIndex, collision.ByScan} {
		b := bordersOf(t, device, source, collision.BordersConfig{Swept: true, Method: method})
		for _, y := range []float32{1, math.MaxFloat32} {
			inputs := boxInputsOf(t, device, boxScene{position: []kernel.Vec3{{X: -0.5, Y: y}}, turn: turn, half: half})
			first[i] = answersOf(t, b, inputs).FirstContact[0]
		}
	}
	require.Equal(t, [2]float32{0, 0}, first)
}

// Swept motion changes no other column.
func TestSweptChangesNoOtherColumn(t *testing.T) {
	device, r, draw := coursetest.OpenCPU(t, backend.Workers(1)), mixedRoads(9), rand.New(rand.NewPCG(9, 9))
	source := r.source(t, device)
	swept := bordersOf(t, device, source, collision.BordersConfig{Boxes: 5, Swept: true})
	plain := bordersOf(t, device, source, collision.BordersConfig{Boxes: 5})
	for range 3 {
		inputs := boxInputsOf(t, device, r.drawScene(draw, 5))
		got, want := answersOf(t, swept, inputs), answersOf(t, plain, inputs)
		require.Nil(t, want.FirstContact)
		require.Nil(t, want.FirstBoundary)
		got.FirstContact, got.FirstBoundary = nil, nil
		require.Equal(t, bitsOfContacts(want), bitsOfContacts(got))
	}
}

// borderTrial makes a trial of a checker, for the tests that all checkers share.
func borderTrial(t *testing.T, device backend.Device) trial {
	t.Helper()
	draw := rand.New(rand.NewPCG(21, 1))
	r := &roads{stride: 30}
	for _, n := range []int{30, 17, 3} {
		r.winding(draw, n, 1)
	}
	r.scatter(draw, 25, 1, false)
	r.add(2, nil, nil, nil)
	var scenes []boxScene
	for range sceneSteps {
		scenes = append(scenes, r.onRoad(draw, sceneBoxes, 0.6))
	}
	scenes[2].position[1].Y = kernel.NaN()
	stream := streamOf(t, device)
	b, err := collision.NewBorders(device, r.source(t, device),
		collision.BordersConfig{Boxes: sceneBoxes, Swept: true}, collision.WithStream(stream))
	require.NoError(t, err)
	inputs := boxInputsOf(t, device, scenes[0])
	require.NoError(t, b.Bind(inputs.boxes))
	return trial{
		stream: stream, write: func(step int) { inputs.write(scenes[step]) },
		query: func(ctx context.Context) error { _, err := b.Query(ctx); return err },
		reset: b.Reset, mask: coursetest.Upload(t, device, []int32{0, 1, 0, 7, 0}),
		read: func() []uint32 {
			h, err := b.Contacts().Read(context.Background())
			require.NoError(t, err)
			return bitsOfContacts(h)
		},
		close: b.Close,
	}
}

func init() { trials["borders"] = borderTrial }

// A refresh by mask makes the index of the masked envs, and changes no element of the others.
func TestRefreshOfBordersByMask(t *testing.T) {
	ctx, device, draw := context.Background(), coursetest.OpenCPU(t, backend.Workers(1)), rand.New(rand.NewPCG(3, 1))
	before, after := &roads{stride: 40}, &roads{stride: 40}
	for _, n := range []int{40, 20, 10} {
		before.winding(draw, n, 1)
		after.winding(draw, 50-n, 2)
	}
	source := before.source(t, device)
	b := bordersOf(t, device, source, collision.BordersConfig{})
	read := func(b *collision.Borders) (envs [][]uint32) {
		index, err := b.Arrays().Index.Read(ctx)
		require.NoError(t, err)
		for e := range 3 {
			n := len(index) / 3
			envs = append(envs, quatWords(index[e*n:(e+1)*n]))
		}
		return envs
	}
	old, fresh := read(b), read(bordersOf(t, device, after.source(t, device), collision.BordersConfig{}))
	require.NoError(t, source.Inner.Write(ctx, after.inner))
	require.NoError(t, source.Outer.Write(ctx, after.outer))
	require.NoError(t, source.Center.Write(ctx, after.center))
	require.NoError(t, source.Count.Write(ctx, after.count))

	inputs := boxInputsOf(t, device, before.onRoad(draw, 1, 0.2))
	want := answersOf(t, bordersOf(t, device, before.source(t, device), collision.BordersConfig{}), inputs)
	require.Equal(t, bitsOfContacts(want), bitsOfContacts(answersOf(t, b, inputs)), "without a refresh")

	require.NoError(t, b.RefreshMasked(ctx, coursetest.Upload(t, device, []int32{0, 5, 0})))
	require.Equal(t, [][]uint32{old[0], fresh[1], old[2]}, read(b))
	require.NoError(t, b.RefreshMasked(ctx, coursetest.Upload(t, device, []int32{0, 0, 0})))
	require.Equal(t, [][]uint32{old[0], fresh[1], old[2]}, read(b))
	require.NoError(t, b.Refresh(ctx))
	require.Equal(t, fresh, read(b))
}

func quatWords(list []kernel.Quat) []uint32 {
	var floats []float32
	for _, q := range list {
		floats = append(floats, q.X, q.Y, q.Z, q.W)
	}
	return words(floats)
}

// The stage passes every check of package exectest, behind stages that draw tracks from the seeds.
func TestBordersStageKeepsTheContract(t *testing.T) {
	stage := coursetest.Behind(func(envs int) ([]exec.Stage, error) {
		return track.Stages(tracktest.Small(tracktest.Config(track.Hull, envs)))
	}, collision.BordersStage())
	exectest.CheckStage(t, stage, exectest.Config{Devices: []backend.Device{coursetest.OpenCPU(t, backend.Workers(1))}})
}

// As a stage of a generator, the index follows each regeneration.
func TestBordersStageOfAGenerator(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	config := tracktest.Small(tracktest.Config(track.Polar, 3))
	g, err := track.NewGenerator(device, config, track.WithStages(collision.BordersStage()))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	_, err = g.Regenerate(ctx, coursetest.Upload(t, device, []int32{0, 1, 0}))
	require.NoError(t, err)
	index, err := pipeline.ArrayOf[kernel.Quat](g.Program(), collision.BorderIndexOutput)
	require.NoError(t, err)
	got, err := index.Read(ctx)
	require.NoError(t, err)
	b := bordersOf(t, device, collision.BordersOf(g.Track()), collision.BordersConfig{})
	want, err := b.Arrays().Index.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, quatWords(want), quatWords(got))
}

// The instrumented twins of the kernels find no mistake, such as a race or an index out of range.
func TestBordersUnderTheTwin(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	r, draw := mixedRoads(31), rand.New(rand.NewPCG(31, 1))
	source := r.source(t, device)
	for _, method := range []string{collision.ByIndex, collision.ByScan} {
		b, err := collision.NewBorders(device, source, collision.BordersConfig{Boxes: 2, Swept: true, Method: method})
		require.NoError(t, err)
		for range 2 {
			answersOf(t, b, boxInputsOf(t, device, r.drawScene(draw, 2)))
		}
		ones := make([]int32, r.envs())
		ones[3] = 1
		require.NoError(t, b.Reset(context.Background(), coursetest.Upload(t, device, ones)))
		require.NoError(t, device.CurrentStream().Sync())
		require.NoError(t, b.Close())
	}
}
