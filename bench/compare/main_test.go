package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

func TestTablesHaveEveryGenerator(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run([]string{"-envs", "2", "-sweeps", "5, 50", "-generators", "bezier,polar"}, &out, io.Discard))
	quality, sweeps, found := strings.Cut(out.String(), "yield by the number of relaxation sweeps")
	require.True(t, found)
	for _, name := range []string{"bezier", "polar"} {
		require.Regexp(t, `(?m)^ +`+name+` +2 +[01]\.\d{4} `, quality)
		require.Regexp(t, `(?m)^ +`+name+` +2 +[01]\.\d{4} +[01]\.\d{4}$`, sweeps)
	}
	require.Regexp(t, `(?m)^ *published +4096 +- +0\.999$`, sweeps)
	require.NotContains(t, quality, "published", "that is of 512 tracks")
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run([]string{"-envs", "2", "-sweeps", "50", "-generators", "polar", "-json"}, &out, io.Discard))
	var got tables
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Equal(t, "polar", got.Quality[0].Generator)
	require.Equal(t, []sweepRow{{Generator: "polar", Sweeps: []int{50}, Yield: []float64{got.Quality[0].Yield}}},
		got.Sweeps)

	out.Reset()
	require.NoError(t, run([]string{"-envs", "1", "-sweeps", "", "-generators", "polar"}, &out, io.Discard))
	require.NotContains(t, out.String(), "sweeps")
}

func TestCandidatesTable(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run([]string{"-envs", "40", "-sweeps", "", "-candidates", "1,3", "-generators", "hull"},
		&out, io.Discard))
	require.Regexp(t, `(?m)^ +hull +1 +40 +\d+ +0 +[01]\.\d{4}$`, out.String())
	require.Regexp(t, `(?m)^ +hull +3 +40 +40 +\d+ +1\.0000$`, out.String())
	out.Reset()
	require.NoError(t, run([]string{"-envs", "1", "-sweeps", "", "-candidates", "", "-generators", "polar"},
		&out, io.Discard))
	require.NotContains(t, out.String(), "candidates")
}

func TestWrongArguments(t *testing.T) {
	for _, arguments := range [][]string{
		{"-envs", "0"}, {"-sweeps", "a"}, {"-sweeps", "0"}, {"-sweeps", "5,"}, {"-candidates", "0"}, {"-seed", "9999999999"},
		{"-frob"},
	} {
		require.ErrorIs(t, run(arguments, io.Discard, io.Discard), errUsage, "%v", arguments)
	}
	require.ErrorIs(t, run([]string{"-generators", "none"}, io.Discard, io.Discard), track.ErrConfig)
}
