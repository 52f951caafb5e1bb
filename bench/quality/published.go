package quality

import "math"

// unknown marks a value that was not published.
var unknown = math.NaN()

// Published holds the first table of docs/spec/pipeline.md, section 13: 512 envs, seeds 0 to 511, default
// configurations. Values that are not in the table are NaN.
var Published = []Row{
	{Generator: "bezier", Envs: 512, Yield: 1.0000, SelfCrossing: .005859, Displacement: .05295, Length: 4.988,
		Compactness:       .4567,
		CompactnessMedian: .4411, Chicanes: 9.59, Straight: .2587, PeakCurvature: 7.513, LapTime: 9.398},
	{Generator: "checkpoint", Envs: 512, Yield: .9980, SelfCrossing: .001953, Displacement: .03703, Length: 4.204,
		Compactness:       .6284,
		CompactnessMedian: .6427, Chicanes: 10.98, Straight: .2380, PeakCurvature: 6.984, LapTime: 7.654},
	{Generator: "hull", Envs: 512, Yield: .9883, SelfCrossing: .007812, Displacement: .06600, Length: 4.887,
		Compactness:       .4483,
		CompactnessMedian: .4350, Chicanes: 10.83, Straight: .2289, PeakCurvature: 7.635, LapTime: 9.643},
	{Generator: "polar", Envs: 512, Yield: 1.0000, SelfCrossing: 0, Displacement: .02579, Length: 4.688,
		Compactness:       .5714,
		CompactnessMedian: .5667, Chicanes: 9.35, Straight: .2272, PeakCurvature: 7.030, LapTime: 8.816},
	{Generator: "voronoi", Envs: 512, Yield: 1.0000, SelfCrossing: 0, Displacement: .01363, Length: 4.247,
		Compactness:       .7436,
		CompactnessMedian: .7424, Chicanes: 9.44, Straight: .2319, PeakCurvature: 5.828, LapTime: 7.130},
	{Generator: "repulsive", Envs: 512, Yield: .9941, SelfCrossing: unknown, Displacement: unknown, Length: 12.909,
		Compactness:       .1569,
		CompactnessMedian: .1555, Chicanes: unknown, Straight: unknown, PeakCurvature: unknown, LapTime: unknown},
}

// PublishedRow returns the published row of a generator.
func PublishedRow(generator string) (Row, bool) {
	for _, row := range Published {
		if row.Generator == generator {
			return row, true
		}
	}
	return Row{}, false
}

// PublishedSweepsEnvs is the number of tracks behind PublishedSweeps.
const PublishedSweepsEnvs = 4096

// PublishedSweeps holds the published yield by the number of relaxation sweeps, for 4096 bezier tracks with otherwise
// default settings (docs/spec/pipeline.md, section 13).
var PublishedSweeps = map[int]float64{25: .958, 40: .996, 50: .999, 150: .999}
