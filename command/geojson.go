package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/export"
)

// geoJSONFlags say what the coordinates of a GeoJSON file are.
type geoJSONFlags struct {
	crs    string
	origin string // as given: "latitude,longitude"; empty for none
}

// add adds the flags to a command.
func (g *geoJSONFlags) add(command *cobra.Command) {
	command.Flags().StringVar(&g.crs, "crs", "",
		"geojson: `name` of the coordinate system of the metres, such as EPSG:32632, or local (default local)")
	command.Flags().StringVar(&g.origin, "origin", "",
		"geojson: `latitude,longitude` of (0, 0), for a file in degrees, such as 50.4372,5.9714")
}

// style returns the options of a GeoJSON file.
func (g *geoJSONFlags) style(scale float64) (export.GeoJSON, error) {
	style := export.GeoJSON{Scale: scale, Invalid: true, CRS: g.crs}
	if g.origin == "" {
		return style, nil
	}
	first, second, _ := strings.Cut(g.origin, ",")
	latitude, err := strconv.ParseFloat(strings.TrimSpace(first), 64)
	if err == nil {
		var longitude float64
		longitude, err = strconv.ParseFloat(strings.TrimSpace(second), 64)
		style.Origin = &export.Projection{Latitude: latitude, Longitude: longitude}
	}
	if err != nil {
		return style, fmt.Errorf("--origin is %q: must be a latitude and a longitude in degrees, such as 50.4372,5.9714",
			g.origin)
	}
	return style, nil
}

// check returns an error for flags that no GeoJSON file can have.
func (g *geoJSONFlags) check() error {
	style, err := g.style(1)
	if err != nil {
		return err
	}
	_, err = export.NewGeoJSON(io.Discard, export.Shape{Envs: 1, NMax: 1}, export.Metadata{}, style)
	return err
}
