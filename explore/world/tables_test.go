package world_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore/world"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// tablesOf returns what the page is built from.
func tablesOf(t testing.TB, w *world.World) world.Tables {
	t.Helper()
	frames := answered(t, w, "tables", world.Request{}, nil)
	text, err := json.Marshal(frames[0].head)
	require.NoError(t, err)
	var tables world.Tables
	require.NoError(t, json.Unmarshal(text, &tables))
	return tables
}

// Every field of the tables of settings has a control, but for those that have one of their own.
func TestEveryFieldHasAControl(t *testing.T) {
	tables := tablesOf(t, newWorld(t))
	named := func(kind string) map[string]world.Setting {
		all := make(map[string]world.Setting)
		for _, f := range tables.Kinds[kind].Fields {
			all[f.Name] = f
		}
		return all
	}
	tracks, gates := named(world.CourseTracks), named(world.CourseGates)
	for _, f := range trackgen.Fields() {
		if f.Name != "generator" && f.Name != "num_envs" {
			s := tracks[f.Name]
			assert.Equal(t, f.Doc, s.Doc, f.Name)
			assert.Equal(t, f.Allowed(), s.Allowed, f.Name)
		}
	}
	for _, f := range trackgen.GateFields() {
		if f.Name != "generator" && f.Name != "num_envs" && f.Group() != "along" {
			assert.Equal(t, f.Doc, gates[f.Name].Doc, f.Name)
		}
	}
	assert.Len(t, tracks, len(trackgen.Fields())-2)
}

// A slider lies within what is allowed, and its default, if it is a number, on it.
func TestSliders(t *testing.T) {
	w := newWorld(t)
	for kind, table := range tablesOf(t, w).Kinds {
		for _, s := range table.Fields {
			if s.Type != "int" && s.Type != "float" {
				continue
			}
			assert.Less(t, s.Low, s.High, "%s %s", kind, s.Name)
			assert.Positive(t, s.Step, "%s %s", kind, s.Name)
			assert.GreaterOrEqual(t, s.Low, s.Min, "%s %s", kind, s.Name)
			assert.LessOrEqual(t, s.High, s.Max, "%s %s", kind, s.Name)
			if s.Derived == "" {
				value, err := strconv.ParseFloat(s.Default, 64)
				require.NoError(t, err, s.Name)
				assert.GreaterOrEqual(t, value, s.Low, "%s %s", kind, s.Name)
				assert.LessOrEqual(t, value, s.High, "%s %s", kind, s.Name)
			}
		}
	}
}

// Both ends of every slider are values that the field takes, alone or with the settings that it depends on.
func TestEndsOfSliders(t *testing.T) {
	w := newWorld(t)
	for kind, table := range tablesOf(t, w).Kinds {
		if kind == "race" {
			continue
		}
		for _, s := range table.Fields {
			if s.Type != "int" && s.Type != "float" {
				continue
			}
			for _, end := range []float64{s.Low, s.High} {
				text := strconv.FormatFloat(end, 'g', -1, 64)
				_, err := ask(t.Context(), w, "describe", world.Request{Course: kind, Envs: 1,
					Settings: map[string]string{s.Name: text}}, nil)
				if err != nil { // such as a smallest value above the largest one
					assert.NotContains(t, err.Error(), s.Name+" is "+text+": must be "+s.Allowed, "%s %s", kind, s.Name)
				}
			}
		}
	}
}

// Every test that a course can fail is explained.
func TestReasonsAreExplained(t *testing.T) {
	reasons := tablesOf(t, newWorld(t)).Reasons
	known := make(map[string]bool)
	for bit := track.Reason(1); bit <= track.ReasonGrade; bit <<= 1 {
		require.Len(t, bit.Names(), 1)
		known[bit.String()] = true
	}
	for bit := gate.Reason(1); bit <= gate.ReasonTrack; bit <<= 1 {
		require.Len(t, bit.Names(), 1)
		known[bit.String()] = true
	}
	for name := range known {
		assert.NotEmpty(t, reasons[name], name)
	}
	assert.Len(t, reasons, len(known))
}

// The presets are valid for at least nine of ten seeds.
func TestPresets(t *testing.T) {
	w := newWorld(t)
	for _, p := range tablesOf(t, w).Presets {
		envs := 64
		if p.Settings["generator"] == trackgen.Repulsive {
			envs = 8
		}
		r := world.Request{Course: p.Course, Settings: p.Settings, Mix: p.Mix, Envs: envs}
		frames := answered(t, w, "generate", r, nil)
		end := frames[len(frames)-1]
		assert.GreaterOrEqual(t, end.head["valid"], 0.9*float64(envs), "%s of %s", p.Name, p.Course)
		assert.NotEmpty(t, p.Doc)
	}
}
