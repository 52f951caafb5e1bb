package export

import (
	"slices"

	"github.com/trackgen-go/trackgen/column"
)

// omission is a set of columns that a format leaves out, with the reason.
type omission struct {
	columns []string
	per     column.Per // instead of columns: all columns with one value for each of these ...
	but     []string   // ... except these columns
	why     string
}

// Formats that leave columns out.
const (
	pointsTable  = "points CSV"
	summaryTable = "summary CSV"
	geoJSONFile  = "GeoJSON"
	roadFiles    = "circuit CSV, OpenDRIVE, ROS" // the formats made from a Road
)

// leftOut lists the columns that each format leaves out. Every other column is in the files of the format;
// TestColumnsOfEveryFormat checks the list against the files.
var leftOut = map[string][]omission{
	pointsTable: {{per: column.Env, but: []string{"valid", "crossings"},
		why: "NewSummaryCSV writes them, once for each track"}},
	summaryTable: {{per: column.Point, why: "NewPointsCSV writes them"}},
	geoJSONFile: {
		{columns: []string{"tangent", "normal", "arclen"}, why: "the line gives them"},
		{columns: []string{"height"}, why: "the positions give it"},
	},
	roadFiles: {
		{columns: []string{"tangent", "normal", "arclen"}, why: "the line gives them"},
		{columns: []string{"width_right", "width_left", "height", "bank"}, why: "the borders give them"},
		{columns: []string{"candidate", "component", "crossings"}, why: "no format for roads has a place for them"},
	},
}

// leavesOut reports whether a format leaves a column out.
func leavesOut(format string, c column.Column) bool {
	for _, o := range leftOut[format] {
		if slices.Contains(o.columns, c.Name) || o.per == c.Per && !slices.Contains(o.but, c.Name) {
			return true
		}
	}
	return false
}
