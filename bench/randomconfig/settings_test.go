package randomconfig

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

// Shrink keeps just the settings that a failure needs, also if it needs several.
func TestShrink(t *testing.T) {
	s := Settings{{"generator", "hull"}, {"scale", 2.0}, {"relax.sweeps", 3}, {"num_envs", 2}}
	has := func(s Settings, name string) bool {
		return slices.ContainsFunc(s, func(setting Setting) bool { return setting.Name == name })
	}
	small := s.Shrink(func(s Settings) bool { return has(s, "scale") && has(s, "num_envs") })
	assert.Equal(t, "--set 'scale=2' --set 'num_envs=2'", small.String())
	assert.Len(t, s, 4, "the settings stay as they were")
	assert.Empty(t, s.Shrink(func(Settings) bool { return true }))
}

// Random settings reach every field, every generator, and both ends of the ranges.
func TestDrawReachesEverything(t *testing.T) {
	seen, ends := map[string]bool{}, map[string]bool{}
	for n := range 4000 {
		s := draw(rand.New(rand.NewPCG(9, uint64(n))))
		for _, setting := range s {
			seen[setting.Name] = true
			if f, ok := track.FieldNamed(setting.Name); ok {
				least, greatest := bounds(f)
				switch v := setting.Value.(type) {
				case float64:
					ends[f.Name+" least"] = ends[f.Name+" least"] || v == least
					ends[f.Name+" greatest"] = ends[f.Name+" greatest"] || v == greatest
				case int:
					ends[f.Name+" least"] = ends[f.Name+" least"] || float64(v) == least
					ends[f.Name+" greatest"] = ends[f.Name+" greatest"] || float64(v) == greatest
				case string:
					seen[f.Name+" "+v] = true
				}
			}
		}
	}
	for _, f := range track.Fields() {
		assert.True(t, seen[f.Name], f.Name)
		for _, choice := range f.Choices {
			assert.True(t, seen[f.Name+" "+choice], choice)
		}
		if _, isFloat := f.Default.(float64); isFloat {
			assert.True(t, ends[f.Name+" least"] && ends[f.Name+" greatest"], f.Name)
		}
	}
	one, err := Draw(rand.New(rand.NewPCG(9, 1)), 1e7).Config()
	require.NoError(t, err)
	same, err := Draw(rand.New(rand.NewPCG(9, 1)), 1e7).Config()
	require.NoError(t, err)
	assert.Equal(t, one, same)
}
