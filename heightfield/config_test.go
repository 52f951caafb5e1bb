package heightfield_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Every wrong configuration is refused before any device work, with the field, its value and what is allowed.
func TestWrongConfigurations(t *testing.T) {
	device := openCPU(t)
	tracks := batchOf(0.1, []kernel.Vec3{{}, {X: 1}, {Y: 1}})
	for want, change := range map[string]func(*heightfield.Config){
		"resolution is 7: must be a whole number >= 8 and <= 4096":       func(c *heightfield.Config) { c.Resolution = 7 },
		"resolution is 1000000: must be a whole number >= 8 and <= 4096": func(c *heightfield.Config) { c.Resolution = 1e6 },
		"padding is -1: must be a number > 0 and <= 1000000, or 0 for the default": func(c *heightfield.Config) {
			c.Padding = -1
		},
		"padding is NaN: must be a number > 0 and <= 1000000, or 0 for the default": func(c *heightfield.Config) {
			c.Padding = math.NaN()
		},
		"padding is +Inf: must be a number > 0 and <= 1000000, or 0 for the default": func(c *heightfield.Config) {
			c.Padding = math.Inf(1)
		},
		`blend.mode is "soft": must be one of nearest, smooth`: func(c *heightfield.Config) { c.Blend.Mode = "soft" },
		"blend.length is -0.5: must be a number > 0 and <= 1000000, or 0 for the default": func(c *heightfield.Config) {
			c.Blend.Length = -0.5
		},
		"the configuration is without its defaults: must be one that began as DefaultConfig()": func(c *heightfield.Config) {
			*c = heightfield.Config{}
		},
	} {
		c := heightfield.DefaultConfig()
		change(&c)
		require.EqualError(t, c.Validate(), want)
		_, err := heightfield.Bake(context.Background(), device, tracks, c)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, heightfield.ErrConfig)
		_, err = heightfield.NewBaker(device, heightfield.Source{}, c)
		require.ErrorContains(t, err, want)
	}
	c := heightfield.DefaultConfig()
	c.Resolution = 4096
	assert.Equal(t, 127, c.MaxEnvs())
	many := batchOf(0.1, make([][]kernel.Vec3, 128)...)
	_, err := heightfield.Bake(context.Background(), device, many, c)
	require.ErrorContains(t, err, "resolution is 4096: must be one with at most 2147483647 cells in all 128 envs")
}

// A wrong device or source is refused, and so is a baker that no constructor has made.
func TestMisuse(t *testing.T) {
	ctx, device, c := context.Background(), openCPU(t), heightfield.DefaultConfig()
	_, err := heightfield.Bake(ctx, nil, batchOf(1, nil), c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = heightfield.Bake(ctx, device, nil, c)
	require.ErrorContains(t, err, "tracks is none: must be 1 or more")
	_, err = heightfield.NewBaker(device, heightfield.SourceOf(nil), c)
	require.ErrorContains(t, err, "source is without arrays")
	g, err := track.NewGenerator(device, hilly(2))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	source := heightfield.SourceOf(g.Track())
	_, err = heightfield.NewBaker(device, source, c, nil)
	require.ErrorContains(t, err, "heightfield: new baker: option 0 is <nil>")
	for _, option := range []heightfield.Option{generation.WithSeed(1), generation.WithSeeds([]int32{1, 2}),
		generation.WithEpoch(1), generation.WithComponents([]int32{0, 0})} {
		_, err = heightfield.NewBaker(device, source, c, option)
		require.ErrorContains(t, err, "those of the tracks count")
	}
	_, err = heightfield.NewBaker(device, source, c, generation.WithStages(heightfield.Stage(c)))
	require.ErrorContains(t, err, "heightfield: new baker: options is stages: must be none")
	_, err = heightfield.NewBaker(openCPU(t), source, c)
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	short := source
	short.Inner, err = source.Inner.Slice(0, 5)
	require.NoError(t, err)
	_, err = heightfield.NewBaker(device, short, c)
	require.ErrorContains(t, err, "inner")
	short = source
	short.Count, err = source.Count.Slice(0, 1)
	require.NoError(t, err)
	_, err = heightfield.NewBaker(device, short, c)
	require.ErrorContains(t, err, "valid")

	var none *heightfield.Baker
	_, err = none.Bake(ctx)
	require.ErrorContains(t, err, "one made by NewBaker")
	require.NoError(t, none.Close())
	_, err = none.Heights().Grid(ctx)
	require.ErrorContains(t, err, "those of a Baker")
	baker, err := heightfield.NewBaker(device, source, c)
	require.NoError(t, err)
	_, err = baker.BakeMasked(ctx, short.Count)
	require.ErrorContains(t, err, "mask")
	require.NoError(t, baker.Close())
	require.NoError(t, baker.Close())
	_, err = baker.Bake(ctx)
	require.ErrorIs(t, err, backend.ErrClosed)
	_, err = baker.BakeMasked(ctx, source.Valid)
	require.ErrorIs(t, err, backend.ErrClosed)

	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = heightfield.NewBaker(device, source, c)
	require.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}

// The page has every setting, with its default, its range and its meaning.
func TestPageHasTheSettings(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "terrain.md"))
	require.NoError(t, err)
	for _, f := range heightfield.Fields() {
		row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", f.Name, f.DefaultText(), f.Allowed(), f.Doc)
		assert.Contains(t, string(page), row)
	}
}
