package command

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/mesh"
)

// groundRun is one run of the command terrain.
type groundRun struct {
	terrainFlags
	to     format
	config trackgen.HeightConfig
	path   string // of the tracks
	picked tracksPicked
	many   bool // --env selects several tracks, so a format of one makes a folder

	device trackgen.Device
	bar    *progress
}

// check returns an error of the input if the chosen tracks cannot be written.
func (g *groundRun) check() error {
	p := &g.picked
	cells := len(p.envs) * g.config.Resolution * g.config.Resolution
	switch {
	case p.asked == 1 && p.skipped == 1:
		return badInputf("%s: the track is not valid and has no ground: %s", g.path, p.reason)
	case len(p.envs) == 0:
		return badInputf("%s: none of the %d tracks is valid", g.path, p.asked)
	case g.to == formatNPZ && cells > maxGroundCells:
		return badInputf("the grids of %s have %d cells: must be at most %d in one file; choose fewer with --env or a "+
			"smaller --resolution", tracksText(len(p.envs)), cells, maxGroundCells)
	case g.to != formatNPZ && !g.many && p.asked > 1:
		return badInputf(
			"%s holds %d tracks, and %s one: choose one with --env 7, or several with --env 0-9 and a folder for --out",
			g.path, p.shape.Envs, g.to)
	case g.to != formatNPZ && len(p.envs) > maxRoads:
		return badInputf("--env chooses %d tracks: must be at most %d for a folder of %s", len(p.envs), maxRoads, g.to)
	case g.isFolder() && filepath.Ext(g.out) != "" && strings.EqualFold(filepath.Ext(g.out), "."+string(g.to)):
		return badInputf("--out is %q, the name of a file, but a %s file holds one track: name a folder for those of --env, "+
			"with --to %s", g.out, g.to, g.to)
	}
	return nil
}

// isFolder reports whether the output is a folder.
func (g *groundRun) isFolder() bool { return g.to != formatNPZ && g.many }

// files lists the files that --out stands for, or the folder. The last one refers to the others.
func (g *groundRun) files() []string {
	if g.to == formatNPZ || g.isFolder() {
		return []string{g.out}
	}
	var files []string
	base := strings.TrimSuffix(g.out, filepath.Ext(g.out))
	switch g.to {
	case formatPNG:
		return []string{g.out, base + ".json"}
	case formatOBJ:
		files = append(files, base+".mtl")
	}
	return append(files, g.out)
}

// probe returns an error of the input if the output cannot be written.
func (g *groundRun) probe() error {
	if g.isFolder() {
		return badInput(export.ProbeFolder(g.out))
	}
	return probeGroup(g.path, g.out, g.files())
}

// write bakes the grids and writes them.
func (g *groundRun) write(ctx context.Context) error {
	switch {
	case g.to == formatNPZ:
		return g.writeNPZ(ctx)
	case g.isFolder():
		return g.writeFolder(ctx)
	}
	folder, name := filepath.Split(g.out)
	files := export.CreateAtomicFiles(folder)
	err := g.each(ctx, func(tracks *trackgen.Batch, grids *trackgen.HeightGrid, envs []int) error {
		return g.writeOne(files, strings.TrimSuffix(name, filepath.Ext(name)), name, tracks, grids, 0, envs[0])
	})
	if err == nil {
		err = files.Commit()
	}
	return errors.Join(err, files.Abort())
}

// writeNPZ writes all grids to one file.
func (g *groundRun) writeNPZ(ctx context.Context) error {
	all := &trackgen.HeightGrid{Resolution: g.config.Resolution}
	metadata := export.HeightMetadata{Version: version(), Device: g.device.Info().Name, Envs: g.picked.envs,
		Config: g.config}
	for _, env := range g.picked.envs {
		if g.picked.names != nil {
			metadata.Names = append(metadata.Names, g.picked.names[env])
		}
	}
	err := g.each(ctx, func(_ *trackgen.Batch, grids *trackgen.HeightGrid, _ []int) error {
		all.Envs += grids.Envs
		all.Height = append(all.Height, grids.Height...)
		all.Low, all.High = append(all.Low, grids.Low...), append(all.High, grids.High...)
		return nil
	})
	if err != nil {
		return err
	}
	g.bar.Do("writing " + g.out)
	return export.WriteFile(g.out, func(w io.Writer) error { return export.WriteHeightNPZ(ctx, w, all, metadata) })
}

// writeFolder writes the files of each track to a folder.
func (g *groundRun) writeFolder(ctx context.Context) error {
	called := fileNames(g.picked.names, g.picked.envs)
	return writeFolder(g.out, func(folder *export.AtomicFolder) error {
		return g.each(ctx, func(tracks *trackgen.Batch, grids *trackgen.HeightGrid, envs []int) error {
			for e, env := range envs {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := g.writeOne(folder, called[0], called[0]+"."+string(g.to), tracks, grids, e, env); err != nil {
					return err
				}
				called = called[1:]
			}
			return nil
		})
	})
}

// fileWriter writes files of a group or of a folder.
type fileWriter interface {
	WriteFile(name string, write func(io.Writer) error) error
}

// writeOne writes the files of env e of a chunk, which is track env of the file: name, and what belongs to it. base is
// the name without its extension.
func (g *groundRun) writeOne(files fileWriter, base, name string, tracks *trackgen.Batch, grids *trackgen.HeightGrid,
	e, env int) error {
	if g.to == formatPNG {
		described, err := export.HeightImageOf(grids, e, g.scale)
		if err != nil {
			return noGroundIsBadInput(err, env)
		}
		described.Image, described.Env, described.Name = name, env, tracks.Name(e)
		err = files.WriteFile(name, func(w io.Writer) error {
			return export.WriteHeightPNG(w, grids, e, g.scale, described)
		})
		if err != nil {
			return err
		}
		return files.WriteFile(base+".json", func(w io.Writer) error { return export.WriteHeightImage(w, described) })
	}
	meshes, err := mesh.Course(tracks, e, grids, mesh.Options{Scale: g.scale, Gap: g.gap})
	if err != nil {
		return noGroundIsBadInput(err, env)
	}
	if g.to == formatGLB {
		return files.WriteFile(name, func(w io.Writer) error { return mesh.WriteGLB(w, meshes, base) })
	}
	err = files.WriteFile(base+".mtl", func(w io.Writer) error { return mesh.WriteMTL(w, meshes) })
	if err != nil {
		return err
	}
	return files.WriteFile(name, func(w io.Writer) error { return mesh.WriteOBJ(w, meshes, base+".mtl") })
}

// noGroundIsBadInput marks the error for a track that has no ground as an error of the input, and names the track by
// env, its number in the file.
func noGroundIsBadInput(err error, env int) error {
	var noMesh *mesh.NoMeshError
	var noHeights *export.NoHeightsError
	switch {
	case errors.As(err, &noMesh):
		noMesh.Env = env
	case errors.As(err, &noHeights):
		noHeights.Env = env
	default:
		return err
	}
	return badInput(err)
}

// each bakes the grids of the chosen tracks and calls take with parts of them, and with the numbers of the tracks.
func (g *groundRun) each(ctx context.Context,
	take func(tracks *trackgen.Batch, grids *trackgen.HeightGrid, envs []int) error) error {
	size := max(1, bakedCells/(g.config.Resolution*g.config.Resolution))
	return g.picked.each(ctx, g.path, func(chunk *trackgen.Batch, envs []int) error {
		for first := 0; first < chunk.Envs; first += size {
			part, numbers := chunk, envs[first:min(first+size, chunk.Envs)]
			if len(numbers) < chunk.Envs {
				inChunk := make([]int, len(numbers))
				for e := range inChunk {
					inChunk[e] = first + e
				}
				var err error
				if part, err = trackParts.of(chunk, inChunk); err != nil {
					return err
				}
			}
			grids, err := trackgen.BakeHeights(ctx, g.device, part, g.config)
			if err != nil {
				return err
			}
			if err := take(part, grids, numbers); err != nil {
				return err
			}
			g.bar.Add(len(numbers))
		}
		return nil
	})
}
