//go:build cgo

package main

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

// configs are configurations that make producers with all their parts.
var configs = map[string][]string{
	kindTracks: {``, `{"num_envs": 3, "generator": "mixed", "mix": [{"generator": "polar"}, {"weight": 2, "generator": "hull"}]}`,
		`{"num_envs": 2, "elevation": {"noise_amplitude": 0.2}}`},
	kindGates: {`{"num_envs": 3}`},
	kindCourse: {`{"tracks": {"num_envs": 3}, "checkpoints": {"spacing": 0.5}, "agents": 2, "boxes": 3,
		"collision": {"method": "segments", "agents": true, "swept": true}, "localize": {"enabled": true}}`,
		`{"gates": {"num_envs": 3, "gate": {"width": 0.3}}, "frames": {"enabled": true, "thickness": 0.1, "depth": 0.1, "agent_radius": 0.1}}`},
	kindRace: {`{"tracks": {"num_envs": 3, "scale": 10, "road": {"half_width": 1}}, "agents": 2, "boxes": 2,
		"observe": {"places": 4, "beams": 8}, "follow": "racing"}`,
		`{"gates": {"num_envs": 3, "scale": 10, "gate": {"width": 1}}, "vehicle": {"model": "drone"}, "observe": {"gates": 2}}`},
}

// openTest opens a device and a producer of a kind.
func openTest(t *testing.T, kind, config string) (*device, producer) {
	t.Helper()
	opened, err := backend.Open("cpu")
	require.NoError(t, err)
	d := &device{Device: opened}
	d.lifetime = newLifetime(d.release)
	t.Cleanup(func() { assert.NoError(t, d.drop()) })
	k, err := kindOf(kind)
	require.NoError(t, err)
	p, err := k.make(d, config, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.close()) })
	return d, p
}

// Results have names of their own, shapes that fit their memory, and documentation.
func TestResults(t *testing.T) {
	for kind, list := range configs {
		for _, config := range list {
			_, p := openTest(t, kind, config)
			names := make(map[string]bool)
			for _, r := range p.results() {
				assert.False(t, names[r.name], "%s: %s twice", kind, r.name)
				names[r.name] = true
				n := int64(1)
				for _, size := range r.shape {
					n *= size
				}
				assert.EqualValues(t, r.words.Len(), n, "%s: %s %v", kind, r.name, r.shape)
				assert.LessOrEqual(t, len(r.shape), 4, r.name)
				assert.NotEmpty(t, r.doc, r.name)
				assert.NotEmpty(t, r.unit, r.name)
			}
			assert.Greater(t, len(names), 10)
		}
	}
}

// The configuration of a producer, read again, is the same: it has every setting.
func TestConfigurationsReadBack(t *testing.T) {
	for name, list := range configs {
		k, err := kindOf(name)
		require.NoError(t, err)
		for _, config := range list {
			_, p := openTest(t, name, config)
			first, err := p.config()
			require.NoError(t, err)
			require.True(t, json.Valid(first), "%s: %s", name, first)
			again, err := k.resolve(string(first))
			require.NoError(t, err, "%s: %s", name, first)
			assert.JSONEq(t, string(first), string(again), name)
		}
	}
}

// Every setting that tg_fields lists is known, with a type and a default, and so is every call of tg_kinds.
func TestFields(t *testing.T) {
	for _, k := range kinds {
		for _, f := range k.fields() {
			assert.NotEmpty(t, f.Type, "%s: %s", k.Name, f.Name)
			assert.NotEmpty(t, f.Doc, "%s: %s", k.Name, f.Name)
			assert.NotEmpty(t, f.Allowed, "%s: %s", k.Name, f.Name)
			if f.Derived == "" {
				assert.NotNil(t, f.Default, "%s: %s", k.Name, f.Name)
			}
		}
		text, err := json.Marshal(k)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"tg_regenerate"`)
	}
}

// A result is the array of the library, word for word.
func TestResultsAreThoseOfTheLibrary(t *testing.T) {
	d, p := openTest(t, kindTracks, `{"num_envs": 5, "generator": "polar"}`)
	require.NoError(t, p.generate(context.Background()))
	c := track.DefaultConfig()
	c.NumEnvs, c.Generator = 5, track.Polar
	g, err := track.NewGenerator(d.Device, c)
	require.NoError(t, err)
	defer func() { assert.NoError(t, g.Close()) }()
	made, err := g.Generate(context.Background())
	require.NoError(t, err)
	want := make(map[string][]uint32)
	for _, column := range track.Schema.Device(&made.DeviceColumns) {
		if !column.IsAbsent() {
			want[column.Name], err = column.Words(context.Background())
			require.NoError(t, err)
		}
	}
	for _, r := range p.results() {
		if words, ok := want[r.name]; ok {
			got, err := r.words.Read(context.Background())
			require.NoError(t, err)
			assert.Equal(t, words, got, r.name)
			delete(want, r.name)
		}
	}
	assert.Empty(t, want, "columns without a result")
}

// The calls that tg_kinds lists are those that a kind has.
func TestCallsOfKinds(t *testing.T) {
	ctx := context.Background()
	for name, list := range configs {
		k, err := kindOf(name)
		require.NoError(t, err)
		_, p := openTest(t, name, list[len(list)-1])
		for call, err := range map[string]error{
			"tg_generate": p.generate(ctx), "tg_regenerate": p.regenerate(ctx, exec.Array[int32]{}, false),
			"tg_reset": p.reset(ctx, exec.Array[int32]{}), "tg_bind": p.bind("", exec.Array[float32]{}),
			"tg_step": p.step(ctx), "tg_step_actions": p.stepActions(ctx, exec.Array[float32]{}),
			"tg_set_seeds": p.setSeeds(ctx, nil), "tg_set_epoch": p.setEpoch(ctx, 1),
		} {
			if slices.Contains(k.Calls, call) {
				assert.NotErrorIs(t, err, backend.ErrUnsupported, "%s: %s", name, call)
			} else {
				assert.ErrorIs(t, err, backend.ErrUnsupported, "%s: %s", name, call)
			}
		}
	}
}

// A step allocates nothing, from the call of C on.
func TestStepsAllocateNothing(t *testing.T) {
	d, p := openTest(t, kindRace, `{"tracks": {"num_envs": 2, "scale": 10, "road": {"half_width": 1}}}`)
	d.plain = &launch{device: d, ctx: context.Background()}
	race := begin(p, d)
	words, err := exec.NewArray[uint32](d.Device, 4)
	require.NoError(t, err)
	defer func() { assert.NoError(t, words.Close()) }()
	a := &array{device: d, words: words, kind: p.results()[0].kind}
	a.lifetime = newLifetime(nil)
	actions := objects.add(a)
	require.Zero(t, tgo_step_actions(race, actions, 0))
	assert.Zero(t, testing.AllocsPerRun(50, func() { tgo_step_actions(race, actions, 0) }))
	require.NoError(t, p.bind("actions", reinterpreted(t, words)))
	require.Zero(t, tgo_step(race, 0))
	assert.Zero(t, testing.AllocsPerRun(50, func() { tgo_step(race, 0) }))
}

// reinterpreted returns words as numbers.
func reinterpreted(t *testing.T, words exec.Array[uint32]) exec.Array[float32] {
	t.Helper()
	numbers, err := exec.Reinterpret[float32](words)
	require.NoError(t, err)
	return numbers
}
