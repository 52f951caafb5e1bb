package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/suggest"
)

// format is the format of a file or of an output.
type format string

// The formats. Except for text, the name is also the file extension.
const (
	formatText format = "text"
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
)

var (
	fileFormats    = []format{formatNPZ, formatCSV, formatJSON, formatParquet, formatSVG, formatPNG}
	pictureFormats = []format{formatPNG, formatSVG}
	summaryFormats = []format{formatText, formatJSON, formatCSV}
	graphFormats   = []format{formatDOT, formatSVG, formatJSON, formatText}
)

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
	name := format(strings.ToLower(strings.TrimPrefix(extension, ".")))
	if chosen != "" {
		if slices.Contains(fileFormats, name) && string(name) != chosen {
			return "", badInputf("--format is %q, but %s is %q: leave --format out, or give the file another extension", chosen,
				flag, path)
		}
		return parseFormat("--format", chosen, allowed...)
	}
	if slices.Contains(allowed, name) {
		return name, nil
	}
	extensions := "." + strings.Join(formatNames(allowed), ", .")
	if extension == "" {
		return "", badInputf("%s is %q, a name without an extension: must end in one of %s", flag, path, extensions)
	}
	return "", badInputf("%s is %q, with the unknown extension %q: must end in one of %s%s", flag, path, extension,
		extensions,
		suggest.Phrase(string(name), formatNames(allowed)))
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

// completeFlag adds shell completion for the values of a flag.
func completeFlag(command *cobra.Command, flag string, choices ...string) {
	err := command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
	cobra.CheckErr(err) // an error means that the flag does not exist
}
