package race_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/curriculum"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/flight"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/pursuit"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// No method panics: neither of a nil pointer, nor of a zero value, nor of what a closed race has had.
func TestEmptyObjects(t *testing.T) {
	device := coursetest.OpenCPU(t)
	r, err := race.New(device, lively())
	require.NoError(t, err)
	objects := []any{r, r.State(), r.Parameters(), r.Outcomes(), r.Totals(), r.Profile(), r.Observations(),
		r.Observations().Preview, r.Observations().Scans}
	require.NoError(t, r.Close())
	for _, of := range []reflect.Type{
		reflect.TypeFor[race.Race](), reflect.TypeFor[race.Totals](), reflect.TypeFor[race.Observations](),
		reflect.TypeFor[vehicle.Simulator](), reflect.TypeFor[vehicle.State](), reflect.TypeFor[vehicle.Parameters](),
		reflect.TypeFor[spawn.Spawner](), reflect.TypeFor[spawn.Spots](), reflect.TypeFor[preview.Preview](),
		reflect.TypeFor[preview.Gates](), reflect.TypeFor[preview.Observations](),
		reflect.TypeFor[rangefinder.RangeFinder](), reflect.TypeFor[rangefinder.Scans](), reflect.TypeFor[reward.Judge](),
		reflect.TypeFor[reward.Outcomes](), reflect.TypeFor[raceline.Optimiser](), reflect.TypeFor[raceline.Line](),
		reflect.TypeFor[difficulty.Assessor](), reflect.TypeFor[difficulty.Labels](),
		reflect.TypeFor[curriculum.Curriculum](), reflect.TypeFor[curriculum.Choices](),
		reflect.TypeFor[pursuit.Controller](), reflect.TypeFor[flight.Controller](),
	} {
		objects = append(objects, reflect.Zero(reflect.PointerTo(of)).Interface(), reflect.New(of).Interface())
	}
	for _, object := range objects {
		v := reflect.ValueOf(object)
		for i := range v.NumMethod() {
			lc, err := exec.For(t.Context(), device)
			require.NoError(t, err)
			assert.NotPanics(t, func() { callWithZeros(v.Method(i), t.Context(), lc) }, "%T.%s, nil: %t", object,
				v.Type().Method(i).Name, v.IsNil())
		}
	}
}

// callWithZeros calls a method with ctx and lc, and with the zero value of each other argument.
func callWithZeros(method reflect.Value, ctx context.Context, lc *exec.LaunchContext) {
	of := method.Type()
	var arguments []reflect.Value
	for k := range of.NumIn() {
		switch {
		case of.In(k) == reflect.TypeFor[context.Context]():
			arguments = append(arguments, reflect.ValueOf(ctx))
		case of.In(k) == reflect.TypeFor[*exec.LaunchContext]():
			arguments = append(arguments, reflect.ValueOf(lc))
		case !of.IsVariadic() || k < of.NumIn()-1:
			arguments = append(arguments, reflect.Zero(of.In(k)))
		}
	}
	method.Call(arguments)
}
