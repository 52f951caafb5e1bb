package coursetest

import (
	"context"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// Refreshing is a component whose refresh is checked.
type Refreshing interface {
	Refresh(ctx context.Context) error
	RefreshMasked(ctx context.Context, mask exec.Array[int32]) error
}

// Refresh is what CheckRefresh works with. A row has all numbers of one env. There are 5 envs.
type Refresh struct {
	Device backend.Device
	Stream backend.Stream // of the component
	Of     Refreshing
	Rows   func() [][]float32 // what the component holds now

	Want   [][]float32        // after construction, and after a refresh
	Change func() [][]float32 // changes what the component works on; after it, a refresh must give this
}

// CheckRefresh checks that a component has the same bits however it is refreshed: eager, again, by mask, recorded and
// replayed with several masks, and that it changes no other env.
func CheckRefresh(t *testing.T, r Refresh) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	same := func(name string, want [][]float32) {
		t.Helper()
		got := r.Rows()
		for e := range want {
			SameBits(t, name, want[e], got[e])
		}
	}
	same("construction", r.Want)
	for range 3 { // the first call is eager, later ones may replay a graph
		must(r.Of.Refresh(ctx))
		same("refresh", r.Want)
	}
	other := r.Change()
	mixed := func(from ...[][]float32) (rows [][]float32) {
		for e := range from {
			rows = append(rows, from[e][e])
		}
		return rows
	}
	mask := Upload(t, r.Device, []int32{0, 1, 0, 7, 0})
	must(r.Of.RefreshMasked(ctx, mask))
	same("refresh by mask", mixed(r.Want, other, r.Want, other, r.Want))

	must(r.Stream.BeginCapture())
	must(r.Of.RefreshMasked(ctx, mask))
	graph, err := r.Stream.EndCapture()
	must(err)
	defer func() { must(graph.Close()) }()
	must(mask.Write(ctx, make([]int32, len(r.Want))))
	must(r.Stream.Replay(graph))
	same("replay with an empty mask", mixed(r.Want, other, r.Want, other, r.Want))
	must(mask.Write(ctx, []int32{1, 0, 1, 0, 0}))
	must(r.Stream.Replay(graph))
	same("replay with another mask", mixed(other, other, other, other, r.Want))
}
