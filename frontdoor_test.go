package trackgen_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
)

func openCPU(t *testing.T) trackgen.Device {
	t.Helper()
	device, err := trackgen.Open("cpu", trackgen.Workers(1))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, device.Close()) })
	return device
}

// Every name of the front door has a comment that begins with the name. In a list of values, a comment on the line will
// do.
func TestNamesAreDocumented(t *testing.T) {
	//nolint:staticcheck // the files of this package have no build tags
	parsed, err := parser.ParseDir(token.NewFileSet(), ".", func(file fs.FileInfo) bool {
		return !strings.HasSuffix(file.Name(), "_test.go")
	}, parser.ParseComments)
	require.NoError(t, err)
	names := 0
	for _, file := range parsed["trackgen"].Files {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				names++
				assert.True(t, strings.HasPrefix(d.Doc.Text(), d.Name.Name+" "), "%s has no comment", d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names++
						assert.True(t, strings.HasPrefix(d.Doc.Text(), s.Name.Name+" "), "%s has no comment", s.Name.Name)
					case *ast.ValueSpec:
						names++
						assert.True(t, s.Comment != nil || strings.HasPrefix(d.Doc.Text(), s.Names[0].Name+" "),
							"%s has no comment", s.Names[0].Name)
					}
				}
			}
		}
	}
	assert.Greater(t, names, 50, "names looked at")
}

// The address of an array is the address of its elements; an array without memory has none.
func TestAddress(t *testing.T) {
	device := openCPU(t)
	array, err := trackgen.FromSlice(device, []int32{7, 8, 9})
	require.NoError(t, err)
	base := array.Address()
	require.NotZero(t, base)
	part, err := array.Slice(2, 3)
	require.NoError(t, err)
	assert.Equal(t, base+8, part.Address())
	assert.EqualValues(t, 9, **(**int32)(unsafe.Pointer(&[]uintptr{part.Address()}[0])))
	require.NoError(t, array.Close())
	assert.Zero(t, part.Address(), "closed")
	assert.Zero(t, trackgen.Array[int32]{}.Address(), "the zero Array")
}

// Wrong memory is refused, and the owner of wrapped memory is told when nothing uses it any more.
func TestWrap(t *testing.T) {
	device := openCPU(t)
	memory, told := []float32{1, 2}, make(chan struct{})
	owner := trackgen.ReleaseFunc(func() { close(told) })
	at := uintptr(unsafe.Pointer(&memory[0]))
	for _, wrong := range []uintptr{0, at + 2, 4096} {
		_, err := trackgen.Wrap[float32](device, wrong, 2, owner)
		require.ErrorIs(t, err, trackgen.ErrInvalid)
	}
	array, err := trackgen.Wrap[float32](device, at, 2, owner)
	require.NoError(t, err)
	view, err := array.Retain()
	require.NoError(t, err)
	require.NoError(t, array.Close())
	require.NoError(t, view.Write(t.Context(), []float32{3, 4}))
	assert.Equal(t, []float32{3, 4}, memory)
	require.NoError(t, view.Close())
	<-told
}

// A context names the stream on which calls work. Calls that wait are refused while that stream is being captured.
func TestOnStream(t *testing.T) {
	device := openCPU(t)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	array, err := trackgen.FromSlice(device, []int32{7})
	require.NoError(t, err)
	defer func() { require.NoError(t, array.Close()) }()
	ctx, err := trackgen.OnStream(t.Context(), stream)
	require.NoError(t, err)

	require.NoError(t, stream.BeginCapture())
	_, err = array.Read(ctx)
	require.ErrorIs(t, err, trackgen.ErrCapture)
	require.ErrorIs(t, array.Write(ctx, []int32{8}), trackgen.ErrCapture)
	var refused *trackgen.CaptureError
	require.ErrorAs(t, err, &refused)
	assert.ErrorContains(t, err, "(capture state: own)")
	values, err := array.Read(t.Context()) // on the stream of the device
	require.NoError(t, err)
	assert.Equal(t, []int32{7}, values)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = array.Read(ended)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, array.Write(ended, []int32{8}), context.Canceled)

	var wrong *trackgen.ArgumentError
	_, err = trackgen.OnStream(t.Context(), nil)
	require.ErrorAs(t, err, &wrong)
	assert.EqualError(t, err, "work on a stream: stream is <nil>: must be a stream of an open device")
	_, err = trackgen.OnStream(nil, stream) //nolint:staticcheck // the point of the test
	require.ErrorIs(t, err, trackgen.ErrInvalid)
}

// Errors of the layers below match the kinds and types of the front door.
func TestErrors(t *testing.T) {
	device := openCPU(t)
	config := trackgen.DefaultConfig()
	config.Road.HalfWidth = -1
	_, err := trackgen.NewGenerator(device, config)
	require.ErrorIs(t, err, trackgen.ErrConfig)
	var field *trackgen.ConfigError
	require.ErrorAs(t, err, &field)
	assert.Equal(t, "road.half_width", field.Field)

	_, err = trackgen.NewGenerator(device, trackgen.DefaultConfig(), trackgen.WithSeeds([]int32{1, 2}))
	var argument *trackgen.ArgumentError
	require.ErrorAs(t, err, &argument)
	assert.Equal(t, 2, argument.Value)
	assert.Equal(t, "1", argument.Allowed)

	_, err = trackgen.AdoptStream(t.Context(), device, 1, false)
	require.ErrorIs(t, err, trackgen.ErrUnsupported)
	_, err = trackgen.Open("cpus")
	require.ErrorIs(t, err, trackgen.ErrInvalid)
	_, err = trackgen.ReadCircuit("nowhere.csv", trackgen.ReadOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Generators that NewGenerator did not make are refused, and so is an empty list of values that needs one for each env.
func TestHostileArguments(t *testing.T) {
	ctx := t.Context()
	device := openCPU(t)
	for name, g := range map[string]*trackgen.Generator{"nil": nil, "zero": {}} {
		_, generated := g.Generate(ctx)
		_, regenerated := g.Regenerate(ctx, trackgen.Array[int32]{})
		_, counted := g.Counters(ctx)
		for k, err := range []error{generated, regenerated, counted, g.SetEpoch(ctx, 1), g.SetSeeds(ctx, nil)} {
			require.ErrorIs(t, err, trackgen.ErrInvalid, "%s, call %d", name, k)
			assert.ErrorContains(t, err, "generator is <nil>: must be one made by NewGenerator", "%s, call %d", name, k)
		}
	}
	_, err := trackgen.NewGenerator(device, trackgen.DefaultConfig(), trackgen.WithSeeds(nil))
	require.ErrorIs(t, err, trackgen.ErrInvalid)
	field, known := trackgen.FieldNamed("relax.sweeps")
	require.True(t, known)
	require.ErrorIs(t, field.Set(nil, 3), trackgen.ErrInvalid)
}

// With SameEpoch, the envs of a mask get the same tracks again; without it, they get new ones. Neither allocates.
func TestSameEpoch(t *testing.T) {
	ctx := t.Context()
	device := openCPU(t)
	config := trackgen.DefaultConfig()
	config.NumEnvs = 2
	generator, err := trackgen.NewGenerator(device, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	mask, err := trackgen.FromSlice(device, []int32{0, 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	first, err := generator.Track().Batch(ctx)
	require.NoError(t, err)
	tracks, err := generator.Regenerate(ctx, mask, trackgen.SameEpoch())
	require.NoError(t, err)
	again, err := tracks.Batch(ctx)
	require.NoError(t, err)
	assert.Equal(t, first.Length, again.Length)
	_, err = generator.Regenerate(ctx, mask)
	require.NoError(t, err)
	later, err := tracks.Batch(ctx)
	require.NoError(t, err)
	assert.Equal(t, first.Length[0], later.Length[0])
	assert.NotEqual(t, first.Length[1], later.Length[1])
	assert.Zero(t, testing.AllocsPerRun(5, func() {
		_, err = generator.Regenerate(ctx, mask, trackgen.SameEpoch())
	}))
	require.NoError(t, err)
}
