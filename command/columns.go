package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen"
)

// columnsFlag is the value of a flag that says what each column of a file holds. It implements pflag.Value.
type columnsFlag struct{ columns *[]string }

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
func (f columnsFlag) Set(text string) error {
	columns := strings.Split(text, ",")
	options := trackgen.ReadOptions{Columns: columns}
	if err := options.Check(); err != nil {
		return err
	}
	*f.columns = columns
	return nil
}

// String implements pflag.Value.
func (f columnsFlag) String() string {
	if f.columns == nil {
		return ""
	}
	return strings.Join(*f.columns, ",")
}

// Type implements pflag.Value.
func (f columnsFlag) Type() string { return "names" }

// readHints names the flag for each field of ReadOptions that can make a file valid.
var readHints = map[string]string{
	"MaxGap":      "--max-gap sets another limit",
	"Reverse":     "--reverse drives the circuit the other way",
	"Coordinates": "--coordinates metres or degrees says it",
	"Columns":     "--columns x,y,width_left,width_right says what the columns are, in order; - leaves one out",
}

// withHint adds to an error of a file the flag that avoids it.
func withHint(err error) error {
	var wrong *trackgen.CircuitError
	if errors.As(err, &wrong) && readHints[wrong.Option] != "" {
		return fmt.Errorf("%w (%s)", err, readHints[wrong.Option])
	}
	return err
}

// columnReport describes a column of a file.
type columnReport struct {
	Name   string  `json:"name"`            // in the file; empty if it names no columns
	Holds  string  `json:"holds"`           // x, y, width_right, ...; empty if the column is not used
	Metres float64 `json:"metres_per_unit"` // of the unit in the name; 1 without a unit
}

// describeColumns returns the report of the columns of a file; empty for files without columns.
func describeColumns(c *trackgen.CircuitFile) []columnReport {
	reports := []columnReport{}
	for _, column := range c.Columns {
		report := columnReport{Name: column.Name, Metres: column.Scale, Holds: string(column.Content)}
		if !column.Used() {
			report.Holds = ""
		}
		reports = append(reports, report)
	}
	return reports
}

// columnsText says what the columns of a file are, in one line.
func columnsText(columns []columnReport) string {
	var used, unused []string
	for i, column := range columns {
		name := column.Name
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		switch {
		case column.Holds == "":
			unused = append(unused, name)
		case column.Metres != 1:
			used = append(used, fmt.Sprintf("%s is %s in units of %v m", name, column.Holds, column.Metres))
		default:
			used = append(used, name+" is "+column.Holds)
		}
	}
	text := strings.Join(used, ", ")
	if len(unused) > 0 {
		const most = 12
		rest := ""
		if len(unused) > most {
			rest = ", ..."
		}
		text += "; not used: " + strings.Join(slices.Compact(unused[:min(len(unused), most)]), ", ") + rest
	}
	return text
}
