package track

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
)

// The reference system's gates are the points that its first loops go through: the corners of bezier, and the anchors
// of voronoi, centred and scaled. So they tell what its loops are before any relaxation.
const goldenGates = 32 // gates of an env in the files

// goldenCase is a case of a file of gates with the configuration that has the same points.
type goldenCase struct {
	name   string
	change func(*Config)
}

// TestGoldenLoops compares the first loops, before they are relaxed, with loops through points of the reference system.
func TestGoldenLoops(t *testing.T) { // docs/spec/pipeline.md, section 14
	const seed, envs, most = 1234, 16, 6e-5
	device := openCPU(t)
	for _, file := range []struct {
		generator string
		through   func(Config, []point) []point
		cases     []goldenCase
	}{
		{Bezier, func(c Config, corners []point) []point {
			return bezierThrough(c, corners, c.Bezier.HandleLength, c.Bezier.HandleLimit)
		}, []goldenCase{
			{"relax_off", func(*Config) {}},
			{"z_flat_base", func(c *Config) { c.Scale = 2 }},
			{"points", func(c *Config) { c.Corners.MinCount, c.Corners.MaxCount, c.Corners.HalfCellSize = 3, 6, 0.2 }},
		}},
		{Voronoi, voronoiThrough, []goldenCase{
			{"raw", func(*Config) {}}, // in the order of the generator
		}},
	} {
		reference := golden.Open(t, "gates_"+file.generator+".npz")
		for _, test := range file.cases {
			c := configOf(file.generator, envs, test.change, func(c *Config) { c.Relax.Enabled = false })
			g, err := NewGenerator(device, c, WithSeed(seed))
			require.NoError(t, err)
			loops, err := outputOf[kernel.Vec2](g, LoopOutput).Read(t.Context())
			require.NoError(t, err)
			require.NoError(t, g.Close())
			position := golden.Array[float32](t, reference, test.name+"/position")
			count := golden.Array[int32](t, reference, test.name+"/count")
			compared := 0
			for e := range envs {
				gates := make([]point, count[e])
				for i := range gates {
					at := 3 * (e*goldenGates + i)
					gates[i] = point{float64(position[at]), float64(position[at+1])}
				}
				if test.name != "relax_off" && movedApart(gates) {
					continue
				}
				compared++
				largest := 0.0
				for i, want := range file.through(c, gates) {
					got := loops[e*c.Output.LoopPoints+i]
					largest = max(largest, point{float64(got.X), float64(got.Y)}.minus(want).length())
				}
				assert.LessOrEqual(t, largest/c.Scale, most, "%s %s, env %d", file.generator, test.name, e)
			}
			assert.GreaterOrEqual(t, compared, envs/4, "%s %s", file.generator, test.name)
			t.Logf("%s %s: %d envs", file.generator, test.name, compared)
		}
	}
}

// movedApart reports whether some of the gates may have been pushed apart: the reference does that to gates closer than
// twice their radius of 0.025.
func movedApart(gates []point) bool {
	for i, p := range gates {
		for _, q := range gates[:i] {
			if p.minus(q).length() < 2*0.025*(1+1e-3) {
				return true
			}
		}
	}
	return math.IsNaN(gates[0].x)
}
