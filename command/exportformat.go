package command

import "slices"

// exportFormat describes a format that export writes.
type exportFormat struct {
	name      format
	extension string // of the file; empty if the format is a folder
	single    bool   // holds a single track; several tracks are written to a folder
	marks     bool   // includes invalid tracks, marked as invalid, unless --invalid is skip
}

// commonFormats are the formats that tracks and gate courses have. What csv holds differs.
var commonFormats = []exportFormat{
	{name: formatNPZ, extension: ".npz", marks: true},
	{name: formatParquet, extension: ".parquet", marks: true},
	{name: formatJSON, extension: ".json", marks: true},
	{name: formatPoints, marks: true},
	{name: formatGeoJSON, extension: ".geojson"},
	{name: formatSVG, extension: ".svg", marks: true},
	{name: formatPNG, extension: ".png", marks: true},
	{name: formatCSV, extension: ".csv", single: true},
}

// exportFormats are the formats of tracks.
var exportFormats = slices.Concat(commonFormats, []exportFormat{
	{name: formatROS, single: true},
	{name: formatXODR, extension: ".xodr", single: true},
})

// courseFormats are the formats of gate courses.
var courseFormats = slices.Concat(commonFormats, []exportFormat{
	{name: formatYAML, extension: ".yaml", single: true},
	{name: formatTOML, extension: ".toml", single: true},
})

// exportFormatNames lists the names of formats, each once.
func exportFormatNames(lists ...[]exportFormat) []string {
	var names []string
	for _, f := range slices.Concat(lists...) {
		if !slices.Contains(names, string(f.name)) {
			names = append(names, string(f.name))
		}
	}
	return names
}

// takesScale reports whether a format is in metres.
func (f exportFormat) takesScale() bool { return f.single || f.name == formatGeoJSON }

// exportFormatsOf lists the formats of a kind of course.
func exportFormatsOf(course string) []exportFormat {
	if course == courseGates {
		return courseFormats
	}
	return exportFormats
}
