package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/internal/place"
)

// Extensions of the files of a map. A path with any of them stands for the whole map.
const (
	mapDescription = ".yaml"
	mapPNG         = ".png"
	mapPGM         = ".pgm"
)

// isMapFile reports whether a file with this extension is a part of a map.
func isMapFile(extension string) bool {
	return extension == mapDescription || extension == mapPNG || extension == mapPGM
}

// namesFolder reports whether a path names a folder: one that exists, or a name that ends in a separator.
func namesFolder(path string) bool {
	if path == "" {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || os.IsPathSeparator(path[len(path)-1])
}

// mapFiles lists the files of the map that --out names. They lie side by side in an existing folder.
func (f exportFlags) mapFiles() []string {
	path, image := f.mapPath(), mapPNG
	if f.pgm {
		image = mapPGM
	}
	return []string{path + mapDescription, path + image, strings.TrimSuffix(path, "_map") + "_centerline.csv"}
}

// mapPath returns the path of the files of a map without their extension.
func (f exportFlags) mapPath() string {
	if extension := filepath.Ext(f.out); isMapFile(strings.ToLower(extension)) {
		return strings.TrimSuffix(f.out, extension)
	}
	return f.out
}

// checkMap returns the errors of --out and --pgm for the map of one track.
func (f exportFlags) checkMap(extension string) (wrong []error) {
	_, name := filepath.Split(f.mapPath())
	switch {
	case name == "":
		wrong = append(wrong,
			fmt.Errorf("--out is %q, which names no map: must be like map or map.yaml, or a folder/", f.out))
	case f.pgm && extension == mapPNG:
		wrong = append(wrong, fmt.Errorf("--pgm contradicts --out %q: leave one of them out", f.out))
	case extension == ".yml":
		wrong = append(wrong, fmt.Errorf("--out is %q: the description of a map ends in %s", f.out, mapDescription))
	}
	return wrong
}

// probeMap returns an error if the files of the map of one track cannot be written, or if one of them is the file that
// is read.
func (f exportFlags) probeMap(input string) error { return probeGroup(input, f.out, f.mapFiles()) }

// probeGroup returns an error if the files that --out stands for cannot be written, or if one of them is the file that
// is read.
func probeGroup(input, out string, files []string) error {
	from, known := place.Of(input)
	for _, path := range files {
		if to, ok := place.Of(path); known && ok && from.Is(to) {
			return badInputf("--out is %q, and its file %s is the file to read", out, path)
		}
		if err := export.Probe(path); err != nil {
			return badInput(err)
		}
	}
	return nil
}

// writeMapFiles writes the map of one track beside other files.
func (f exportFlags) writeMapFiles(ctx context.Context, path string, picked tracksPicked,
	roads *writtenRoads) (err error) {
	folder, name := filepath.Split(f.mapPath())
	files := export.CreateAtomicFiles(folder)
	defer func() { err = errors.Join(err, files.Abort()) }()
	err = picked.each(ctx, path, func(chunk *trackgen.Batch, envs []int) error {
		road, err := f.roadOf(chunk, 0, envs[0])
		if err != nil {
			return err
		}
		roads.add(road)
		return mapIsBadInput(road.Env, export.WriteOccupancyMap(files, name, road, f.mapStyle()))
	})
	if err != nil {
		return err
	}
	return files.Commit()
}

// checkMaps returns an error if a map cannot be drawn or if all maps together are too large. It draws none.
func (f exportFlags) checkMaps(ctx context.Context, path string, picked tracksPicked) error {
	style, cells := f.mapStyle(), 0
	return picked.each(ctx, path, func(chunk *trackgen.Batch, envs []int) error {
		for e, env := range envs {
			road, err := f.roadOf(chunk, e, env)
			if err != nil {
				return err
			}
			n, err := style.Cells(road)
			if err != nil {
				return mapIsBadInput(env, err)
			}
			if cells += n; cells > maxMapCells {
				return badInputf("the maps up to that of env %d have %d cells: must be at most %d in all; "+
					"choose fewer tracks or a coarser --resolution", env, cells, maxMapCells)
			}
		}
		return nil
	})
}

// mapStyle returns the properties of maps that the flags request.
func (f exportFlags) mapStyle() export.OccupancyMap {
	style := export.OccupancyMap{Resolution: f.resolution, PGM: f.pgm, LevelCrossings: f.levelCrossings}
	if f.margin >= 0 {
		style.Margin = &f.margin
	}
	return style
}

// mapIsBadInput marks the error for a map that cannot be drawn as an error of the input.
func mapIsBadInput(env int, err error) error {
	switch {
	case errors.Is(err, export.ErrLevelCrossing):
		return badInputf("env %d: %w; --level-crossings draws it", env, err)
	case errors.Is(err, export.ErrMap):
		return badInput(fmt.Errorf("env %d: %w", env, err))
	}
	return err
}
