package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// The option and the environment variable choose between machine code and Go; the variable has the last word, and debug
// mode runs twins.
func TestChooseLanes(t *testing.T) {
	for _, c := range []struct {
		scalar, debug, possible bool
		variable                string
		want                    bool
	}{
		{possible: true, want: true},
		{possible: false},
		{possible: true, scalar: true},
		{possible: true, debug: true},
		{possible: true, variable: "go"},
		{possible: true, variable: "lanes", want: true},
		{possible: true, scalar: true, variable: "lanes", want: true},
		{possible: true, debug: true, variable: "lanes"},
		{possible: false, variable: "lanes"},
	} {
		got, err := chooseLanes(backend.Options{Scalar: c.scalar, Debug: c.debug}, c.variable, c.possible)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%+v", c)
	}
	_, err := chooseLanes(backend.Options{}, "avx512", true)
	require.EqualError(t, err, `open: TRACKGEN_CPU is "avx512": must be go or lanes`)
	require.ErrorIs(t, err, backend.ErrInvalid)
}

// A device runs the machine code of a kernel that has some, unless it was opened without; Info says which, and both run
// every item once.
func TestLanesAreDispatched(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		options  backend.Options
		variable string
		scalar   bool
	}{
		{options: backend.Options{Workers: 3}},
		{options: backend.Options{Workers: 3, Scalar: true}, scalar: true},
		{options: backend.Options{Workers: 3}, variable: "go", scalar: true},
		{options: backend.Options{Workers: 3, Scalar: true}, variable: "lanes"},
	} {
		t.Setenv(functionsVariable, c.variable)
		d := openTest(t, c.options)
		want, lanes := int32(2), 8
		if c.scalar || !kernel.HasLanes() {
			want, lanes = 1, 1
		}
		require.Equal(t, lanes, d.Info().Lanes)
		def := *quick
		def.Vector = func(first, last int32, args *kernel.Args) {
			for i := first; i < last; i++ {
				kernel.Slice[int32](args, 0)[i] += 2
			}
		}
		both, goAlone := alloc(t, d, n), alloc(t, d, n)
		require.NoError(t, d.base.Launch(&def, launchOf(both)))
		require.NoError(t, d.base.Launch(quick, launchOf(goAlone)))
		for i := range n {
			require.Equal(t, want, ints(t, both)[i], "%+v, item %d", c, i)
			require.Equal(t, int32(1), ints(t, goAlone)[i], "%+v, item %d", c, i)
		}
	}
}
