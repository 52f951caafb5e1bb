package export

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

func TestMetadataKeepsEveryField(t *testing.T) {
	for _, config := range []track.Config{
		{},
		track.Config{}.WithDefaults(),
		sampleMetadata().Config,
		{RelaxEnable: new(false), RelaxSmoothPasses: new(0), Edgy: -0.25, RadRange: &track.Range{}, StyleSampling: true},
		mixture(), mixture().WithDefaults(),
	} {
		text, err := json.Marshal(Metadata{Version: "v1", Config: config})
		require.NoError(t, err)
		var got Metadata
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, config, got.Config)
	}
}

func mixture() track.Config {
	return track.Config{NumEnvs: 3, Candidates: 2, Scale: 2, Mix: []track.Component{
		{Weight: 0.5, Config: track.Config{Generator: track.Polar, PolarRadialJitter: new(0.0)}},
		{Config: track.Config{StyleSampling: true, ScaleRange: &track.Range{Min: 1, Max: 2}}},
	}}
}

func TestMetadataOfAMixture(t *testing.T) {
	text, err := json.Marshal(Metadata{Version: "v1", Config: mixture()})
	require.NoError(t, err)
	require.Regexp(t, `"mix":\[\{"weight":0.5,"generator":"polar",[^\[\]]*"polar_radial_jitter":0\},\{"weight":0,"style_sampling":true,"scale_range":\[1,2\]\}\]\}\}$`, string(text))
	require.NotContains(t, string(text), `"mix":[{"weight":0.5,"num_envs"`)
	for text, want := range map[string]string{
		`7`: "config: mix: ", `[{"weight":"x"}]`: "config: mix[0]: ", `[{}, {"scale":"wide"}]`: "config: mix[1]: scale: ", `[{}, 7]`: "config: mix[1]: ",
	} {
		var got Metadata
		require.ErrorContains(t, json.Unmarshal([]byte(`{"format":1,"version":"v1","config":{"mix":`+text+`}}`), &got), want)
	}
}

func TestMetadataOrdersTheConfiguration(t *testing.T) {
	text, err := json.Marshal(Metadata{Version: "v1", Config: track.Config{HalfWidth: 0.1, Generator: "polar", ScaleRange: &track.Range{Min: 1, Max: 2}}})
	require.NoError(t, err)
	require.Regexp(t, `^\{"format":1,"version":"v1","config":\{"generator":"polar",.*"scale_range":\[1,2\],.*"half_width":0.1.*\}\}$`, string(text))
}

func TestMetadataNamesTheFieldThatIsNoNumber(t *testing.T) {
	_, err := NewNPZWriter(t.TempDir()+"/out.npz", Shape{1, 1}, Metadata{Config: track.Config{HalfWidth: math.NaN()}})
	require.ErrorContains(t, err, "field half_width of the configuration")
}

func TestMetadataSkipsWhatLaterVersionsAdd(t *testing.T) {
	var got Metadata
	require.NoError(t, json.Unmarshal([]byte(`{"format":1,"version":"v9","host":"x","config":{"bumpiness":{"a":1},"half_width":0.25}}`), &got))
	require.Equal(t, Metadata{Version: "v9", Config: track.Config{HalfWidth: 0.25}}, got)
}

func TestMetadataLimitsMixtures(t *testing.T) {
	mix := func(n int) string { return `{"format": 1, "config": {"mix": [{}` + strings.Repeat(",{}", n-1) + `]}}` }
	var m Metadata
	require.NoError(t, json.Unmarshal([]byte(mix(maxComponents)), &m))
	require.Len(t, m.Config.Mix, maxComponents)
	require.EqualError(t, json.Unmarshal([]byte(mix(maxComponents+1)), &m), "config: mix has 65 components, expected at most 64")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"format": 1, "config": {"mix": [7]}}`), &m), "config: mix[0]: ")
}
