package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/internal/suggest"
)

// format is the format of a file or of an output.
type format string

// The formats. The name is also the file extension, except for text, which is .txt: see extension.
const (
	formatText format = "text"
	formatYAML format = "yaml"
	formatJSON format = "json"
	formatCSV  format = "csv"
	formatNPZ  format = "npz"
	formatSVG  format = "svg"
	formatPNG  format = "png"
	formatDOT  format = "dot"

	formatPoints  format = "points"
	formatParquet format = "parquet"
	formatGeoJSON format = "geojson"
	formatROS     format = "ros"
	formatXODR    format = "xodr"
	formatTOML    format = "toml"
	formatGIF     format = "gif"
)

var (
	fileFormats    = []format{formatNPZ, formatCSV, formatJSON, formatParquet, formatSVG, formatPNG}
	pictureFormats = []format{formatPNG, formatSVG}
	reportFormats  = []format{formatText, formatJSON}
	summaryFormats = []format{formatText, formatJSON, formatCSV}
	graphFormats   = []format{formatDOT, formatSVG, formatJSON, formatText}
)

// extension returns the file extension of a format, with its dot.
func (f format) extension() string {
	if f == formatText {
		return ".txt"
	}
	return "." + string(f)
}

func extensions(formats []format) []string {
	list := make([]string, len(formats))
	for i, f := range formats {
		list[i] = f.extension()
	}
	return list
}

func formatNames(formats []format) []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return names
}

// parseFormat parses the value of a flag that must be one of the allowed formats. It returns "" for "".
func parseFormat(flag, value string, allowed ...format) (format, error) {
	if value == "" || slices.Contains(allowed, format(value)) {
		return format(value), nil
	}
	names := formatNames(allowed)
	return "", badInputf("%s is %q: must be one of %s%s", flag, value, strings.Join(names, ", "),
		suggest.Phrase(value, names))
}

// fileFormat returns the format of a file: the chosen one or, if chosen is empty, the one of its extension.
func fileFormat(flag, path, chosen string, allowed ...format) (format, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", badInputf("%s is %q, a folder: must be the name of a file", flag, path)
	}
	extension := filepath.Ext(path)
	lower := strings.ToLower(extension)
	if chosen != "" {
		// Another extension, such as .dat, says nothing about the format.
		if slices.Contains(extensions(fileFormats), lower) && format(chosen).extension() != lower {
			return "", badInputf("--format is %q, but %s is %q: leave --format out, or give the file another extension", chosen,
				flag, path)
		}
		return parseFormat("--format", chosen, allowed...)
	}
	known := extensions(allowed)
	if i := slices.Index(known, lower); i >= 0 {
		return allowed[i], nil
	}
	if extension == "" {
		return "", badInputf("%s is %q, a name without an extension: must end in one of %s", flag, path,
			strings.Join(known, ", "))
	}
	return "", badInputf("%s is %q, with the unknown extension %q: must end in one of %s%s", flag, path, extension,
		strings.Join(known, ", "), suggest.Phrase(lower, known))
}

// defaultTextFormat returns text if standard output is a terminal, JSON otherwise.
func (a *app) defaultTextFormat() format {
	if isTerminal(a.stdout.w) {
		return formatText
	}
	return formatJSON
}

// reportFormat parses the value of --format, which must be one of the allowed formats. It returns the default for "".
func (a *app) reportFormat(value string, allowed ...format) (format, error) {
	chosen, err := parseFormat("--format", value, allowed...)
	if err == nil && chosen == "" {
		chosen = a.defaultTextFormat()
	}
	return chosen, err
}

// outputFormat returns the format of a report. With --out, it is the format of that file, one of files. Otherwise it is
// the one that reportFormat returns.
func (a *app) outputFormat(out, chosen string, files, reports []format) (format, error) {
	if out != "" {
		return fileFormat("--out", out, chosen, files...)
	}
	return a.reportFormat(chosen, reports...)
}

// reportDefault describes the default of --format for reports.
const reportDefault = "text on a terminal, else json"

// formatFlag adds the flag --format with its completion. The help says what the default is.
func formatFlag(command *cobra.Command, value *string, defaultFormat string, allowed ...format) {
	names := formatNames(allowed)
	last := len(names) - 1
	command.Flags().StringVar(value, "format", "", fmt.Sprintf("`format`: %s or %s (default: %s)",
		strings.Join(names[:last], ", "), names[last], defaultFormat))
	completeFlag(command, "format", names...)
}
