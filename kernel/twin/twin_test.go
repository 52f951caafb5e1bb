package twin

import (
	"errors"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
)

// event is one access of a made-up launch.
type event struct {
	unit, phase, item int32 // phase 0 is group scope
	element           int32
	kind              int // 0 reads, 1 writes, 2 and 3 are two atomics
}

// clash says whether two accesses of different sides race.
func clash(a, b int) bool { return a == 1 || b == 1 || a != b }

// raceOf looks for a race by comparing all pairs of accesses.
func raceOf(events []event) bool {
	for i, a := range events {
		for _, b := range events[:i] {
			if a.element != b.element || !clash(a.kind, b.kind) {
				continue
			}
			if a.unit != b.unit || a.phase != 0 && a.phase == b.phase && a.item != b.item {
				return true
			}
		}
	}
	return false
}

func argumentsOf(lists ...[]int32) *kernel.Args {
	args := &kernel.Args{}
	for i, list := range lists {
		args.Buffers[i] = kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(list)), Len: len(list)}
	}
	return args
}

// TestRaceCheckIsExact runs random launches of few elements, and compares with all pairs of accesses.
func TestRaceCheckIsExact(t *testing.T) {
	races, silent := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.Int32Range(1, 3).Draw(t, "groups")
		phases := rapid.Int32Range(0, 2).Draw(t, "phases")
		items := rapid.Int32Range(1, 3).Draw(t, "items")
		elements := rapid.Int32Range(1, 8).Draw(t, "elements")
		var events []event
		for unit := range units {
			for phase := range phases + 1 {
				for item := range items {
					if phase == 0 && item > 0 {
						continue
					}
					for range rapid.IntRange(0, 2).Draw(t, "accesses") {
						kind := 0 // group scope only reads
						if phase > 0 {
							kind = rapid.SampledFrom([]int{0, 0, 1, 2, 2, 3}).Draw(t, "kind")
						}
						events = append(events,
							event{unit, phase, item, rapid.Int32Range(0, elements-1).Draw(t, "element"), kind})
					}
				}
			}
		}
		run := New("test", nil, new(kernel.Args), rapid.Uint64().Draw(t, "seed"))
		buffer := Buffer[int32](run, argumentsOf(make([]int32, elements)), 0, true)
		play := func(unit, phase, item int32) {
			for _, e := range events {
				if e.unit != unit || e.phase != phase || e.item != item {
					continue
				}
				switch e.kind {
				case 0:
					buffer.Read(e.element, 0)
				case 1:
					*buffer.Write(e.element, 0) = 1
				case 2:
					AtomicAdd(buffer, e.element, 1, 0)
				case 3:
					AtomicOr(buffer, e.element, 1, 0)
				}
			}
		}
		err := run.Groups(units, func(g kernel.Group) {
			play(g.ID, 0, 0)
			for phase := int32(1); phase <= phases; phase++ {
				for item := range run.Each(items) {
					play(g.ID, phase, item)
				}
			}
		})
		if raceOf(events) {
			var finding *Finding
			require.True(t, errors.As(err, &finding), "%v", events)
			require.Equal(t, Race, finding.Kind)
			races++
		} else {
			require.NoError(t, err, "%v", events)
			silent++
		}
	})
	require.Positive(t, races)
	require.Positive(t, silent)
}

// TestShuffledVisitsAll checks that an order is a permutation, and that orders differ.
func TestShuffledVisitsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(-2, 200).Draw(t, "n")
		run := New("test", nil, new(kernel.Args), rapid.Uint64().Draw(t, "seed"))
		order := slices.Collect(run.shuffled(n))
		require.Len(t, order, int(max(n, 0)))
		slices.Sort(order)
		for i, v := range order {
			require.Equal(t, int32(i), v)
		}
	})
	orders := map[[4]int32]bool{}
	for seed := range uint64(100) {
		orders[[4]int32(slices.Collect(New("test", nil, new(kernel.Args), seed).shuffled(4)))] = true
	}
	require.Len(t, orders, 8, "every start, and both directions")
	huge := 0
	for range New("test", nil, new(kernel.Args), 1).shuffled(math.MaxInt32) {
		if huge++; huge == 1000 {
			break
		}
	}
}

// TestChecks fixes what counts as a mistake at the edges.
func TestChecks(t *testing.T) {
	kindOf := func(body func(run *Run)) Kind {
		run := New("test", []Site{{File: "x.go", Line: 3, Column: 4, Expression: "a[i]"}}, new(kernel.Args), 1)
		err := run.Threads(1, func(int32) { body(run) })
		if err == nil {
			return 0
		}
		var finding *Finding
		require.True(t, errors.As(err, &finding))
		require.Contains(t, err.Error(), "x.go:3:4: a[i]: ")
		return finding.Kind
	}
	require.Zero(t, kindOf(func(r *Run) { r.Index(3, 4, 0) }))
	require.Equal(t, OutOfBounds, kindOf(func(r *Run) { r.Index(4, 4, 0) }))
	require.Equal(t, OutOfBounds, kindOf(func(r *Run) { r.Index(-1, 4, 0) }))
	require.Equal(t, OutOfBounds, kindOf(func(r *Run) { Shared[int32](r, 4).Read(4, 0) }))
	require.Equal(t, OutOfBounds, kindOf(func(r *Run) { Shared[int32](r, 4).Write(-1, 0) }))
	require.Equal(t, OutOfBounds, kindOf(func(r *Run) { SharedRows[int32](r, 2, 3).Row(2, 0) }))
	require.Equal(t, OutOfBounds, kindOf(func(r *Run) { SharedRows[int32](r, 2, 3).Row(1, 0).Read(3, 0) }))
	require.Equal(t, OutOfBounds, kindOf(func(r *Run) { Local(r, []int32{1}).Update(1, 0) }))
	require.Equal(t, OutOfBounds, kindOf(func(r *Run) { AtomicMax(Local(r, []int32{1}), 1, 1, 0) }))
	require.Equal(t, DivisionByZero, kindOf(func(r *Run) { Divide(r, 3, int32(0), 0) }))
	require.Equal(t, DivisionByZero, kindOf(func(r *Run) { Remainder(r, 3, uint32(0), 0) }))
	require.Equal(t, DivisionOverflow, kindOf(func(r *Run) { Divide(r, math.MinInt32, int32(-1), 0) }))
	require.Equal(t, DivisionOverflow, kindOf(func(r *Run) { Remainder(r, math.MinInt32, int32(-1), 0) }))
	require.Zero(t, kindOf(func(r *Run) { Divide(r, 1<<31, uint32(math.MaxUint32), 0) }))
	require.Zero(t, kindOf(func(r *Run) { Divide(r, -math.MaxInt32, int32(-1), 0) }))
	require.Equal(t, Fault, kindOf(func(r *Run) {
		r.Index(0, 1, 0)
		var list []int32
		_ = list[r.Index(0, 1, 0)]
	}))
	// A panic that is no fault of the kernel goes on.
	require.PanicsWithValue(t, "other", func() { kindOf(func(*Run) { panic("other") }) })
}

// TestValues checks that the checked operations compute what the plain ones do.
func TestValues(t *testing.T) {
	run := New("test", nil, new(kernel.Args), 1)
	require.Equal(t, int32(-3), Divide(run, -7, int32(2), 0))
	require.Equal(t, int32(-1), Remainder(run, -7, int32(2), 0))
	x := uint32(17)
	DivideAssign(run, &x, 3, 0)
	require.Equal(t, uint32(5), x)
	RemainderAssign(run, &x, 3, 0)
	require.Equal(t, uint32(2), x)

	rows := SharedRows[int32](run, 2, 3)
	*rows.Row(1, 0).Write(2, 0) = 5
	*rows.Row(1, 0).Update(2, 0) *= 2
	require.Equal(t, []int32{0, 0, 0, 0, 0, 10}, rows.all.data)
	require.Equal(t, 3, rows.Row(0, 0).Len())

	list := []int32{4, 4, 4}
	slice := Local(run, list)
	AtomicAdd(slice, 0, math.MaxInt32, 0)
	AtomicMax(slice, 1, 5, 0)
	AtomicOr(slice, 2, 3, 0)
	require.Equal(t, []int32{math.MinInt32 + 3, 5, 7}, list)
}

// TestEmptyLaunch checks that nothing runs for no items.
func TestEmptyLaunch(t *testing.T) {
	for _, n := range []int32{0, -1, math.MinInt32} {
		run := New("test", nil, new(kernel.Args), 1)
		require.NoError(t, run.Groups(n, func(kernel.Group) { t.Fatal("a group ran") }))
		for range run.Each(n) {
			t.Fatal("an item ran")
		}
	}
}

func BenchmarkRead(b *testing.B) {
	run := New("test", nil, new(kernel.Args), 1)
	s := Buffer[int32](run, argumentsOf(make([]int32, 1024)), 0, true)
	for range run.Each(1) {
		for i := 0; b.Loop(); i++ {
			s.Read(int32(i&1023), 0)
		}
	}
}
