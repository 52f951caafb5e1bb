package seeds_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/seeds"
)

func TestSources(t *testing.T) { // R100, R101, R102
	device := openCPU(t)
	array := newArray(t, device, int32(7), -8, 9)
	tests := []struct {
		name    string
		options seeds.Options
		want    []int32
		bound   bool
	}{
		{"none", seeds.Options{}, []int32{0, 1, 2}, false},
		{"base", seeds.Options{Base: 1234}, []int32{1234, 1235, 1236}, false},
		{"base wraps", seeds.Options{Base: math.MaxInt32}, []int32{math.MaxInt32, math.MinInt32, math.MinInt32 + 1}, false},
		{"values", seeds.Options{Values: []int32{5, 5, -1}}, []int32{5, 5, -1}, false},
		{"copy", seeds.Options{Copy: array}, []int32{7, -8, 9}, false},
		{"bind", seeds.Options{Bind: array}, []int32{7, -8, 9}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newState(t, device, 3, test.options)
			assert.Equal(t, test.want, read(t, s.Seed()))
			assert.Equal(t, []int32{0, 0, 0}, read(t, s.Epoch()))
			assert.Equal(t, test.bound, s.Bound()) // R112
			assert.Equal(t, 3, s.Envs())
			assert.Same(t, device, s.Device())
		})
	}
	assert.Equal(t, []int32{7, -8, 9}, read(t, array), "a bound array outlives the state")

	bound, copied := newState(t, device, 3, seeds.Options{Bind: array}), newState(t, device, 3, seeds.Options{Copy: array})
	require.NoError(t, array.Write(t.Context(), []int32{1, 2, 3}))
	assert.Equal(t, []int32{1, 2, 3}, read(t, bound.Seed()))
	assert.Equal(t, []int32{7, -8, 9}, read(t, copied.Seed()))
}

// homeless is a stream without a device.
type homeless struct{ backend.Stream }

func (homeless) Device() backend.Device { return nil }

// slice is a device that Go cannot compare.
type slice struct {
	backend.Device
	_ []int
}

func TestNewRefuses(t *testing.T) { // R103
	device, other := openCPU(t), openCPU(t)
	array, elsewhere := newArray(t, device, int32(1), 2), newArray(t, other, int32(1), 2)
	refuse := func(device backend.Device, envs int, options seeds.Options) error {
		s, err := seeds.New(device, envs, options)
		assert.Nil(t, s)
		r, err2 := seeds.NewPerEnv(device, envs, options)
		assert.Nil(t, r)
		assert.Error(t, err2)
		return err
	}
	requireArgError(t, refuse(nil, 1, seeds.Options{}), "device")
	for _, envs := range []int{0, -1, math.MinInt, math.MaxInt32 + 1, math.MaxInt} {
		requireArgError(t, refuse(device, envs, seeds.Options{}), "envs")
	}
	requireArgError(t, refuse(device, 3, seeds.Options{Values: []int32{1, 2}}), "Values length")
	requireArgError(t, refuse(device, 1, seeds.Options{Values: []int32{}}), "Values length")
	requireArgError(t, refuse(device, 3, seeds.Options{Copy: array}), "Copy length")
	requireArgError(t, refuse(device, 3, seeds.Options{Bind: array}), "Bind length")
	requireArgError(t, refuse(device, 2, seeds.Options{Bind: array, Base: 1}), "Options")
	requireArgError(t, refuse(device, 2, seeds.Options{Bind: array, Copy: array}), "Options")
	require.ErrorIs(t, refuse(device, 2, seeds.Options{Bind: elsewhere}), exec.ErrDeviceMismatch)
	require.ErrorIs(t, refuse(device, 2, seeds.Options{Copy: elsewhere}), exec.ErrDeviceMismatch)
	require.ErrorIs(t, refuse(device, 2, seeds.Options{DefaultStream: other.DefaultStream()}), exec.ErrDeviceMismatch)
	requireArgError(t, refuse(device, 2, seeds.Options{DefaultStream: homeless{device.DefaultStream()}}), "device")
	requireArgError(t, refuse(slice{Device: device}, 2, seeds.Options{}), "device")

	require.NoError(t, device.DefaultStream().BeginCapture())
	require.ErrorIs(t, refuse(device, 2, seeds.Options{}), exec.ErrCapture)
	graph, err := device.DefaultStream().EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}

func TestNewOutOfMemory(t *testing.T) { // an allocation failure releases what was allocated before
	const envs = 1 << 10
	for limit := int64(1); limit < 6*4*envs; limit += 2 * envs {
		device := openCPU(t, backend.MemoryLimit(limit))
		if s, err := seeds.New(device, envs, seeds.Options{}); err == nil {
			require.NoError(t, s.Close())
		} else {
			require.ErrorIs(t, err, backend.ErrOutOfMemory)
		}
		if r, err := seeds.NewPerEnv(device, envs, seeds.Options{}); err == nil {
			require.NoError(t, r.Close())
		} else {
			require.ErrorIs(t, err, backend.ErrOutOfMemory)
		}
	}
}

func TestEpochs(t *testing.T) { // R114, R115
	device := openCPU(t)
	s := newState(t, device, 4, seeds.Options{})
	mask := newArray(t, device, int32(1), 0, -1, 0)
	do(t, device, func(lc *exec.LaunchContext) {
		s.Advance(lc)
		s.AdvanceMasked(lc, mask)
	})
	assert.Equal(t, []int32{2, 1, 2, 1}, read(t, s.Epoch()))
	do(t, device, func(lc *exec.LaunchContext) { s.ResetEpochMasked(lc, mask) })
	assert.Equal(t, []int32{0, 1, 0, 1}, read(t, s.Epoch()))
	do(t, device, s.ResetEpoch)
	assert.Equal(t, []int32{0, 0, 0, 0}, read(t, s.Epoch()))

	require.NoError(t, s.Epoch().Write(t.Context(), repeat[int32](math.MaxInt32, 4)))
	do(t, device, s.Advance)
	assert.Equal(t, repeat[int32](math.MinInt32, 4), read(t, s.Epoch()), "R114: wraps")
	assert.Equal(t, []int32{0, 1, 2, 3}, read(t, s.Seed()))
}

func TestReplayAdvancesAgain(t *testing.T) { // R104, R114, R101
	device := openCPU(t)
	bound := newArray(t, device, int32(10), 20)
	s := newState(t, device, 2, seeds.Options{Bind: bound})
	out := newArray(t, device, int32(0), 0)
	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	do(t, device, func(lc *exec.LaunchContext) {
		s.Advance(lc)
		s.Effective(lc, out)
	})
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	assert.Equal(t, 2, graph.Nodes())
	for epoch := int32(1); epoch < 4; epoch++ {
		require.NoError(t, bound.Write(t.Context(), []int32{epoch, -epoch}))
		require.NoError(t, stream.Replay(graph))
		assert.Equal(t, []int32{seeds.EffectiveSeed(epoch, epoch), seeds.EffectiveSeed(-epoch, epoch)}, read(t, out))
	}
}

func TestSet(t *testing.T) { // R116
	device := openCPU(t)
	s := newState(t, device, 4, seeds.Options{})
	do(t, device, func(lc *exec.LaunchContext) {
		s.Advance(lc)
		s.Set(lc, newArray(t, device, int32(9), 8, 7, 6))
	})
	assert.Equal(t, []int32{9, 8, 7, 6}, read(t, s.Seed()))
	assert.Equal(t, []int32{0, 0, 0, 0}, read(t, s.Epoch()))
}

func TestSetIDs(t *testing.T) { // R116, D20
	for _, workers := range []int{1, 2} {
		device := openCPU(t, backend.Workers(workers))
		rapid.Check(t, func(rt *rapid.T) {
			envs := rapid.IntRange(1, 30).Draw(rt, "envs")
			ids := rapid.SliceOfN(rapid.OneOf(rapid.Int32Range(-2, int32(envs)+2), rapid.Int32()), 0, 90).Draw(rt, "ids")
			values := rapid.SliceOfN(rapid.Int32(), len(ids), len(ids)).Draw(rt, "values")
			s, err := seeds.New(device, envs, seeds.Options{})
			require.NoError(rt, err)
			defer func() { require.NoError(rt, s.Close()) }()

			wantSeeds, wantEpochs := make([]int32, envs), repeat[int32](1, envs)
			for e := range envs {
				wantSeeds[e] = int32(e)
			}
			for k, id := range ids { // the highest position wins; ids out of range are ignored
				if id >= 0 && int(id) < envs {
					wantSeeds[id], wantEpochs[id] = values[k], 0
				}
			}
			lc, err := s.Context(t.Context(), nil)
			require.NoError(rt, err)
			s.Advance(lc)
			s.SetIDs(lc, newArray(t, device, ids...), newArray(t, device, values...))
			require.NoError(rt, lc.Err())
			require.Equal(rt, wantSeeds, read(t, s.Seed()))
			require.Equal(rt, wantEpochs, read(t, s.Epoch()))

			s.SetIDs(lc, newArray[int32](t, device), newArray[int32](t, device)) // nothing remains from the previous call
			require.NoError(rt, lc.Err())
			require.Equal(rt, wantSeeds, read(t, s.Seed()))
		})
	}
}

func TestSetRefuses(t *testing.T) { // R116, R101
	device, other := openCPU(t), openCPU(t)
	bound := newArray(t, device, int32(1), 2)
	values, short, elsewhere := newArray(t, device, int32(3), 4), newArray(t, device, int32(3)),
		newArray(t, other, int32(3), 4)
	s := newState(t, device, 2, seeds.Options{Bind: bound})
	require.ErrorIs(t, emit(t, device, func(lc *exec.LaunchContext) { s.Set(lc, values) }), seeds.ErrBound)
	require.ErrorIs(t, emit(t, device, func(lc *exec.LaunchContext) { s.SetIDs(lc, values, values) }), seeds.ErrBound)
	assert.Equal(t, []int32{1, 2}, read(t, bound))

	s = newState(t, device, 2, seeds.Options{})
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { s.Set(lc, short) }), "values length")
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { s.Set(lc, exec.Array[int32]{}) }), "values")
	require.ErrorIs(t, emit(t, device, func(lc *exec.LaunchContext) { s.Set(lc, elsewhere) }), exec.ErrDeviceMismatch)
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { s.SetIDs(lc, values, short) }), "values length")
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { s.SetIDs(lc, exec.Array[int32]{}, short) }), "ids")
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { s.SetIDs(lc, short, exec.Array[int32]{}) }),
		"values")
	require.ErrorIs(t, emit(t, device, func(lc *exec.LaunchContext) { s.SetIDs(lc, elsewhere, values) }),
		exec.ErrDeviceMismatch)
	require.ErrorIs(t, emit(t, other, func(lc *exec.LaunchContext) { s.Set(lc, values) }), exec.ErrDeviceMismatch)
	require.ErrorIs(t, emit(t, other, s.Advance), exec.ErrDeviceMismatch)
	require.ErrorIs(t, emit(t, other, s.ResetEpoch), exec.ErrDeviceMismatch)
	assert.Equal(t, []int32{0, 1}, read(t, s.Seed()))
	assert.Equal(t, []int32{0, 0}, read(t, s.Epoch()))
}

func TestMasksAreChecked(t *testing.T) { // R113
	device, other := openCPU(t), openCPU(t)
	s := newState(t, device, 2, seeds.Options{})
	out := newArray(t, device, int32(5), 5)
	long, elsewhere := newArray(t, device, int32(1), 1, 1), newArray(t, other, int32(1), 1)
	closed, err := exec.NewArray[int32](device, 2)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	checks := []struct {
		mask  exec.Array[int32]
		check func(error)
	}{
		{long, func(err error) { requireArgError(t, err, "mask length") }},
		{exec.Array[int32]{}, func(err error) { requireArgError(t, err, "mask") }},
		{elsewhere, func(err error) { require.ErrorIs(t, err, exec.ErrDeviceMismatch) }},
		{closed, func(err error) { require.ErrorIs(t, err, exec.ErrClosed) }},
	}
	for _, c := range checks {
		c.check(s.CheckMask(c.mask, "mask"))
		c.check(emit(t, device, func(lc *exec.LaunchContext) { s.AdvanceMasked(lc, c.mask) }))
		c.check(emit(t, device, func(lc *exec.LaunchContext) { s.ResetEpochMasked(lc, c.mask) }))
		c.check(emit(t, device, func(lc *exec.LaunchContext) { s.EffectiveMasked(lc, out, c.mask) }))
	}
	require.NoError(t, s.CheckMask(out, "mask"))
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { s.Effective(lc, long) }), "out length")
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { s.Effective(lc, s.Seed()) }), "out")
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { s.EffectiveMasked(lc, out, out) }), "out")
	assert.Equal(t, []int32{5, 5}, read(t, out))
	s.Advance(nil)
	s.Effective(nil, out)
	s.Set(nil, out)
	assert.Equal(t, []int32{0, 0}, read(t, s.Epoch()))
}

func TestDefaultStream(t *testing.T) { // C7, R6
	device := openCPU(t)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	s := newState(t, device, 1, seeds.Options{DefaultStream: stream})
	lc, err := s.Context(t.Context(), nil)
	require.NoError(t, err)
	assert.Same(t, stream, lc.Stream())
	lc, err = s.Context(t.Context(), device.DefaultStream())
	require.NoError(t, err)
	assert.Same(t, device.DefaultStream(), lc.Stream())
}

func TestAnySet(t *testing.T) { // R30
	device := openCPU(t)
	flag := newArray(t, device, int32(9))
	for _, test := range []struct {
		mask []int32
		want int32
	}{{repeat[int32](0, 1000), 0}, {append(repeat[int32](0, 999), -4), 1}, {repeat[int32](2, 1000), 1}, {nil, 0}} {
		mask := newArray(t, device, test.mask...)
		do(t, device, func(lc *exec.LaunchContext) { seeds.AnySet(lc, mask, flag) })
		assert.Equal(t, []int32{test.want}, read(t, flag))
	}
	requireArgError(t, emit(t, device,
		func(lc *exec.LaunchContext) { seeds.AnySet(lc, flag, newArray(t, device, int32(1), 2)) }), "flag length")
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { seeds.AnySet(lc, flag, exec.Array[int32]{}) }),
		"flag")
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { seeds.AnySet(lc, flag, flag) }), "flag")
	seeds.AnySet(nil, flag, flag)

	// A bad mask leaves the flag unchanged.
	require.NoError(t, flag.Write(t.Context(), []int32{9}))
	closed := newArray(t, device, int32(1))
	require.NoError(t, closed.Close())
	require.ErrorIs(t, emit(t, device, func(lc *exec.LaunchContext) { seeds.AnySet(lc, closed, flag) }), exec.ErrClosed)
	assert.Equal(t, []int32{9}, read(t, flag))
}

func TestEmittingAllocatesNothing(t *testing.T) { // R104
	device := openCPU(t)
	const envs = 64
	s, r := newState(t, device, envs, seeds.Options{}), newPerEnv(t, device, envs, seeds.Options{})
	mask, out, draws := newArray(t, device, repeat[int32](1, envs)...), newArray(t, device, repeat[int32](1, envs)...),
		newArray(t, device, repeat[float32](1, 3*envs)...)
	lc, err := s.Context(t.Context(), nil)
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		s.Advance(lc)
		s.AdvanceMasked(lc, mask)
		s.EffectiveMasked(lc, out, mask)
		s.Effective(lc, out)
		s.SetIDs(lc, mask, out)
		s.Set(lc, out)
		s.ResetEpoch(lc)
		r.Uniform(lc, draws, 0, 1, seeds.Samples{Rows: 3})
	}))
	require.NoError(t, lc.Err())
}
