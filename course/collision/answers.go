package collision

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// answers are what a checker finds, as columns in device memory. H and D are the structs of the columns in host and in
// device memory.
type answers[H, D any] struct {
	schema  *column.Schema[H, D]
	columns *D // of the result that has the answers
	number  int
	place   component.Place
	packed  column.Packed
}

// allocate allocates the columns for which has returns true, and behind them those of the state of a checker.
func (a *answers[H, D]) allocate(has func(name string) bool, state ...column.Device) (err error) {
	var list []column.Device
	for _, c := range a.schema.Device(a.columns) {
		if has(c.Name) {
			list = append(list, c)
		}
	}
	a.packed, err = column.Pack(a.place.Device, append(list, state...), a.number)
	return err
}

// check returns a *backend.ArgumentError for answers of no checker.
func (a *answers[H, D]) check(op string) error {
	if a == nil || a.columns == nil {
		return &backend.ArgumentError{Op: prefix + op, Argument: "contacts", Value: nil, Allowed: "those of a checker"}
	}
	return nil
}

// read waits for everything emitted so far on the stream that ctx resolves to, and copies the columns to host memory.
func (a *answers[H, D]) read(ctx context.Context) (*H, error) {
	if err := a.check("read"); err != nil {
		return nil, err
	}
	host := new(H)
	if err := component.Read(ctx, a.place, a.schema, a.columns, host); err != nil {
		return nil, err
	}
	return host, nil
}

// clone copies the columns to those of another result, which it allocates, on the stream that ctx resolves to, and
// waits. columns are those of the other result.
func (a *answers[H, D]) clone(ctx context.Context, columns *D) (to answers[H, D], err error) {
	if err := a.check("clone"); err != nil {
		return to, err
	}
	there := map[string]bool{}
	for _, c := range a.schema.Device(a.columns) {
		there[c.Name] = !c.IsAbsent()
	}
	to = answers[H, D]{schema: a.schema, columns: columns, number: a.number, place: a.place}
	if err := to.allocate(func(name string) bool { return there[name] }); err != nil {
		return to, exec.Doing(prefix+"clone", err)
	}
	if err := component.Copy(ctx, a.place, a.schema, a.columns, columns); err != nil {
		return to, errors.Join(err, to.packed.Close())
	}
	return to, nil
}
