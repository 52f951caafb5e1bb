package randomconfig

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/trackgen-go/trackgen/track"
)

// shared are the groups of settings that have a meaning for every generator. The group without a name holds candidates
// and scale.
var shared = []string{"", "variation", "road", "elevation", "banking", "relax", "output", "validity"}

// groupsOf returns the groups of settings that have a meaning for a generator.
func groupsOf(generator string) []string {
	groups := append(slices.Clone(shared), generator)
	switch generator {
	case track.Bezier, track.Hull:
		return append(groups, "spline", "corners")
	case track.Polar, track.Voronoi:
		return append(groups, "spline")
	}
	return groups
}

// mostSettings is the maximum number of settings that are drawn in addition to the generator.
const mostSettings = 8

// Draw draws the settings of a valid configuration whose work, see Work, is at most most. The seed of random says which
// one.
func Draw(random *rand.Rand, most float64) Settings {
	for {
		s := draw(random)
		c, err := s.Config()
		if err != nil {
			continue
		}
		if work, bytes, err := Work(c); err == nil && work <= most && bytes <= mostBytes {
			return s
		}
	}
}

// mostBytes is the maximum of device memory of a configuration that is drawn.
const mostBytes = 256 << 20

// lanes is the number of lanes of a group.
const lanes = 128

// Work returns an upper bound on the loop iterations of all lanes in a generation, and the device memory that it needs.
func Work(c track.Config) (iterations float64, bytes int64, err error) {
	demand, err := track.DryRun(c)
	for _, k := range demand.Kernels {
		work := float64(k.Launches) * float64(k.MostItems) * float64(k.Iterations)
		if k.Group {
			work *= lanes
		}
		iterations += work
	}
	return iterations, demand.Bytes, err
}

// draw draws settings, which may not fit one another.
func draw(random *rand.Rand) Settings {
	names := append(track.Generators(), track.Mixed)
	generator := names[random.IntN(len(names))]
	s := Settings{{"generator", generator}, {"num_envs", 1 + random.IntN(4)}}
	groups := groupsOf(generator)
	if generator == track.Mixed {
		mix := make([]string, 1+random.IntN(3))
		for k := range mix {
			mix[k] = names[random.IntN(len(names)-1)]
			groups = append(groups, groupsOf(mix[k])...)
		}
		s = append(s, Setting{mixField, mix})
	}
	if random.IntN(3) == 0 { // the unit of all lengths
		unit := magnitude(random, 1e-6, 1e6)
		s = append(s, Setting{"scale", unit}, Setting{"road.half_width", unit * magnitude(random, 0.02, 0.5)})
	}
	fields := slices.DeleteFunc(track.Fields(), func(f track.Field) bool {
		return f.Name == "generator" || f.Name == "num_envs" || !slices.Contains(groups, f.Group())
	})
	for range 1 + random.IntN(mostSettings) {
		f := fields[random.IntN(len(fields))]
		s = slices.DeleteFunc(s, func(other Setting) bool { return other.Name == f.Name })
		s = append(s, drawField(random, f)...)
	}
	return s
}

// drawField draws a value of a field, and those of fields without which it would be refused.
func drawField(random *rand.Rand, f track.Field) []Setting {
	least, greatest := bounds(f)
	standard := (least + greatest) / 2
	switch f.Type().Kind() {
	case reflect.Bool:
		return []Setting{{f.Name, random.IntN(2) == 0}}
	case reflect.String:
		return []Setting{{f.Name, f.Choices[random.IntN(len(f.Choices))]}}
	case reflect.Slice:
		stages := drawStages(random)
		return []Setting{{f.Name, stages}, {"output.loop_points", stages[len(stages)-1]}}
	case reflect.Struct:
		low, high := number(random, least, greatest, standard), number(random, least, greatest, standard)
		pair := []Setting{{f.Name, track.Range{Min: min(low, high), Max: max(low, high)}}}
		if f.Group() == "bezier" {
			pair = append(pair, Setting{"bezier.style_sampling", true})
		}
		return pair
	case reflect.Int:
		if value, ok := f.Default.(int); ok {
			standard = float64(value)
		}
		return []Setting{{f.Name, int(math.Round(number(random, least, greatest, standard)))}}
	default:
		if value, ok := f.Default.(float64); ok {
			standard = value
		}
		return []Setting{{f.Name, number(random, least, greatest, standard)}}
	}
}

// bounds returns the least and the greatest number that a field accepts. Of a range with an open end, it is the next
// number, in float32 at the lower end.
func bounds(f track.Field) (least, greatest float64) {
	least, greatest = f.Min, f.Max
	if f.MinOpen {
		least = float64(math.Nextafter32(float32(least), math.MaxFloat32))
	}
	if f.MaxOpen {
		greatest = math.Nextafter(greatest, least)
	}
	return least, greatest
}

// drawStages draws a list of multiples of 4 in ascending order.
func drawStages(random *rand.Rand) []int {
	var stages []int
	for n := 0; n < 256 && (len(stages) == 0 || random.IntN(3) > 0); {
		n += 4 * (1 + random.IntN(16))
		stages = append(stages, min(n, 256))
	}
	return stages
}

// number draws a number from least to greatest: an end, one of about the size of standard, one of any size, or any one.
func number(random *rand.Rand, least, greatest, standard float64) float64 {
	value := least
	switch random.IntN(8) {
	case 0:
	case 1:
		value = greatest
	case 2, 3:
		value = standard * math.Exp(random.NormFloat64())
	case 4:
		value = least + (greatest-least)*random.Float64()
	default:
		value = magnitude(random, 1e-9*greatest, greatest)
		if least > 0 {
			value = magnitude(random, least, greatest)
		}
		if least < 0 && random.IntN(2) == 0 {
			value = -value
		}
	}
	return min(max(value, least), greatest)
}

// magnitude draws a number between two positive ones, whose logarithm is distributed uniformly.
func magnitude(random *rand.Rand, least, greatest float64) float64 {
	return math.Exp(math.Log(least) + (math.Log(greatest)-math.Log(least))*random.Float64())
}
