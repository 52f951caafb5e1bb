package export

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func TestMetadataKeepsEveryField(t *testing.T) {
	for _, config := range []track.Config{
		track.DefaultConfig(),
		track.DefaultConfig().Resolved(),
		sampleMetadata().Config,
		tracktest.Config(track.Bezier, 1, func(c *track.Config) {
			c.Relax.Enabled = false
			c.Relax.SmoothingPasses = 0
			c.Bezier.Edginess = -0.25
			c.Bezier.HandleLengthRange = track.Range{}
			c.Bezier.StyleSampling = true
		}),
		mixture(), mixture().Resolved(),
	} {
		text, err := json.Marshal(Metadata{Version: "v1", Config: config})
		require.NoError(t, err)
		var got Metadata
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, config, got.Config)
	}
}

func mixture() track.Config {
	return tracktest.Config(track.Mixed, 3, func(c *track.Config) {
		c.Candidates = 2
		c.Scale = 2
		c.Mix = []track.Component{
			{Weight: 0.5, FirstLoop: tracktest.Loop(track.Polar, func(l *track.FirstLoop) {
				l.Polar.RadialJitter = 0.0
			})},
			{Weight: 1, FirstLoop: tracktest.Loop(track.Bezier, func(l *track.FirstLoop) {
				l.Bezier.StyleSampling, l.Bezier.ScaleRange = true, track.Range{Min: 1, Max: 2}
			})},
		}
	})
}

func TestMetadataOfAMixture(t *testing.T) {
	text, err := json.Marshal(Metadata{Version: "v1", Config: mixture()})
	require.NoError(t, err)
	require.Regexp(t, `"mix":\[\{"weight":0.5,"generator":"polar","scale":1,"polar":\{"radial_jitter":0\}\},`+
		`\{"weight":1,"generator":"bezier","scale":1,"bezier":\{"style_sampling":true,"scale_range":\[1,2\]\}\}\]\}\}$`,
		string(text))
	require.NotContains(t, string(text), `"mix":[{"weight":0.5,"num_envs"`)
	for text, want := range map[string]string{
		`7`: "config: mix: ", `[{"weight":"x"}]`: "config: mix[0]: ",
		`[{}, {"scale":"wide"}]`: "config: mix[1]: scale is wide: must be", `[{}, 7]`: "config: mix[1]: ",
	} {
		var got Metadata
		require.ErrorContains(t, json.Unmarshal([]byte(`{"format":1,"version":"v1","config":{"mix":`+text+`}}`), &got), want)
	}
}

func TestMetadataOrdersTheConfiguration(t *testing.T) {
	text, err := json.Marshal(Metadata{Version: "v1", Config: tracktest.Config("polar", 1, func(c *track.Config) {
		c.Road.HalfWidth = 0.1
		c.Bezier.ScaleRange = track.Range{Min: 1, Max: 2}
	})})
	require.NoError(t, err)
	require.Regexp(t,
		`^\{"format":1,"version":"v1","config":\{"generator":"polar",.*"bezier":\{"handle_length":0.4,[^{}]*,"scale_range":\[1,2\]\},.*"road":\{"half_width":0.1,"height":0\},.*\}\}$`, string(text))
}

func TestMetadataNamesTheFieldThatIsNoNumber(t *testing.T) {
	_, err := NewNPZWriter(t.TempDir()+"/out.npz", Shape{1, 1},
		Metadata{Config: tracktest.Config(track.Bezier, 1, func(c *track.Config) {
			c.Road.HalfWidth = math.NaN()
		})})
	require.ErrorContains(t, err, "field road.half_width of the configuration")
}

func TestMetadataSkipsWhatLaterVersionsAdd(t *testing.T) {
	var got Metadata
	require.NoError(t,
		json.Unmarshal(
			[]byte(`{"format":1,"version":"v9","host":"x","config":{"bumpiness":{"a":1},"road":{"half_width":0.25,"banking":1}}}`), &got))
	require.Equal(t, Metadata{Version: "v9", Config: tracktest.Config(track.Bezier, 1, func(c *track.Config) {
		c.Road.HalfWidth = 0.25
	})}, got)
}

// If the names of the reference system, which old files use, were skipped, the metadata would describe other tracks.
func TestMetadataRefusesOtherNames(t *testing.T) {
	for text, want := range map[string]string{
		`{"half_width": 0.25}`:                     "config: unknown field half_width: its name is road.half_width",
		`{"mix": [{}, {"polar_num_knots": 7}]}`:    "config: mix[1]: unknown field polar_num_knots: its name is polar.knots",
		`{"relax": 3}`:                             "config: relax: found 3, expected an object",
		`{"mix": [{"road": {"half_width": 0.2}}]}`: "config: mix[0]: road.half_width: all components share it",
		`{"road": {"half_width": "wide"}}`:         "config: road.half_width is wide: must be a number > 0 and <= 1000000",
		`{"repulsive": {"stages": 7}}`:             "config: repulsive.stages: found 7, expected a list of whole numbers",
	} {
		var got Metadata
		require.EqualError(t, json.Unmarshal([]byte(`{"format":1,"version":"v1","config":`+text+`}`), &got), want)
	}
}

func TestMetadataKnowsTheNamesOfTheReference(t *testing.T) {
	for _, f := range track.Fields() {
		var got Metadata
		err := json.Unmarshal(fmt.Appendf(nil, `{"format":1,"version":"v1","config":{%q:1}}`, f.Reference), &got)
		if _, renamed := track.FieldOfReference(f.Reference); !renamed {
			require.Contains(t, []string{f.Name, ""}, f.Reference)
			continue
		}
		require.EqualError(t, err, "config: unknown field "+f.Reference+": its name is "+f.Name)
	}
}

// Each field is written and read back with a value other than its default, also as the only field of a component.
func TestMetadataKeepsEachField(t *testing.T) {
	for _, f := range track.Fields() {
		config := track.DefaultConfig()
		require.NoError(t, f.Set(&config, otherValue(f)))
		require.NotEqual(t, track.DefaultConfig(), config, f.Name)
		require.Equal(t, config, readBack(t, config), f.Name)
		if f.Shared() || f.Name == "generator" {
			continue
		}
		mixed := tracktest.Config(track.Mixed, 1, func(c *track.Config) {
			c.Mix = []track.Component{c.NewComponent(1, track.Polar), {Weight: 2, FirstLoop: config.FirstLoop}}
		})
		require.Equal(t, mixed, readBack(t, mixed), f.Name)
		require.NoError(t, f.Set(&mixed, otherValue(f))) // the component sets it back to the default
		require.Equal(t, mixed, readBack(t, mixed), f.Name)
	}
}

// otherValue returns a value of a field that is not its default.
func otherValue(f track.Field) any {
	switch v := f.Default.(type) {
	case int:
		return v + 1
	case float64:
		return v + 0.125
	case bool:
		return !v
	case string:
		return f.Choices[(slices.Index(f.Choices, v)+1)%len(f.Choices)]
	}
	switch f.Type() {
	case reflect.TypeFor[track.Range]():
		return track.Range{Min: 0.25, Max: 0.5}
	case reflect.TypeFor[[]int]():
		return []int{4, 256}
	default:
		return 3
	}
}

func readBack(t *testing.T, config track.Config) track.Config {
	text, err := json.Marshal(Metadata{Version: "v1", Config: config})
	require.NoError(t, err)
	var got Metadata
	require.NoError(t, json.Unmarshal(text, &got))
	return got.Config
}

func TestMetadataLimitsMixtures(t *testing.T) {
	mix := func(n int) string { return `{"format": 1, "config": {"mix": [{}` + strings.Repeat(",{}", n-1) + `]}}` }
	var m Metadata
	require.NoError(t, json.Unmarshal([]byte(mix(maxComponents)), &m))
	require.Len(t, m.Config.Mix, maxComponents)
	require.EqualError(t, json.Unmarshal([]byte(mix(maxComponents+1)), &m),
		"config: mix has 65 components, expected at most 64")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"format": 1, "config": {"mix": [7]}}`), &m), "config: mix[0]: ")
}
