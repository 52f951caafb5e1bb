package world

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/mesh"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// Format is a format of files of courses.
type Format struct {
	Name      string `json:"name"`
	Course    string `json:"course"` // tracks (and circuits) or gates
	Extension string `json:"extension"`
	Single    bool   `json:"single"` // holds one course: several become an archive
	Doc       string `json:"doc"`
	Scaled    bool   `json:"scaled"` // in metres, by the scale
}

// formats are those of trackgen export, and of trackgen terrain.
var formats = []Format{
	{Name: "npz", Course: CourseTracks, Extension: ".npz", Doc: "arrays for NumPy, and for the other commands"},
	{Name: "parquet", Course: CourseTracks, Extension: ".parquet", Doc: "one row for each track" + parquetNote},
	{Name: "json", Course: CourseTracks, Extension: ".json", Doc: "every track with its points"},
	{Name: "points", Course: CourseTracks, Extension: ".csv", Doc: "CSV, one row for each point"},
	{Name: "geojson", Course: CourseTracks, Extension: ".geojson", Doc: "roads and centrelines", Scaled: true},
	{Name: "svg", Course: CourseTracks, Extension: ".svg", Doc: "a picture"},
	{Name: "png", Course: CourseTracks, Extension: ".png", Doc: "a picture"},
	{Name: "csv", Course: CourseTracks, Extension: ".csv", Single: true, Doc: "x, y and widths, as real circuits have",
		Scaled: true},
	{Name: "xodr", Course: CourseTracks, Extension: ".xodr", Single: true, Doc: "OpenDRIVE", Scaled: true},
	{Name: "ros", Course: CourseTracks, Extension: ".zip", Single: true, Doc: "occupancy grid, for F1TENTH",
		Scaled: true},
	{Name: "glb", Course: CourseTracks, Extension: ".glb", Single: true, Doc: "the road as a mesh", Scaled: true},
	{Name: "npz", Course: CourseGates, Extension: ".npz", Doc: "arrays for NumPy, and for the other commands"},
	{Name: "parquet", Course: CourseGates, Extension: ".parquet", Doc: "one row for each gate" + parquetNote},
	{Name: "json", Course: CourseGates, Extension: ".json", Doc: "every course with its gates"},
	{Name: "points", Course: CourseGates, Extension: ".csv", Doc: "CSV, one row for each gate"},
	{Name: "geojson", Course: CourseGates, Extension: ".geojson", Doc: "lines and gates", Scaled: true},
	{Name: "svg", Course: CourseGates, Extension: ".svg", Doc: "a picture"},
	{Name: "png", Course: CourseGates, Extension: ".png", Doc: "a picture"},
	{Name: "csv", Course: CourseGates, Extension: ".csv", Single: true, Doc: "a list of gates", Scaled: true},
	{Name: "yaml", Course: CourseGates, Extension: ".yaml", Single: true, Doc: "level of lsy_drone_racing", Scaled: true},
	{Name: "toml", Course: CourseGates, Extension: ".toml", Single: true, Doc: "level of lsy_drone_racing", Scaled: true},
}

const (
	// mostStored limits the points of a file: the memory of a batch is about 80 bytes for each.
	mostStored = 1 << 22
	// mostMapCells limits the cells of all maps of a file.
	mostMapCells = 1 << 25
)

// fileHead is the JSON of the frame with a file.
type fileHead struct {
	Kind string `json:"kind"` // file
	Name string `json:"name"`
}

// export answers the call "export": a frame with a file.
func (w *World) export(ctx context.Context, r Request, file []byte, emit Emit) error {
	if err := r.check(MaxEnvs); err != nil {
		return err
	}
	of := CourseTracks
	if r.Course == CourseGates {
		of = CourseGates
	}
	var chosen *Format
	var names []string
	for i, f := range formats {
		if f.Course == of {
			names = append(names, f.Name)
			if f.Name == r.Format {
				chosen = &formats[i]
			}
		}
	}
	scale := cmp.Or(r.Scale, 1)
	switch {
	case chosen == nil:
		return refuse("format", fmt.Sprintf("%q", r.Format), fmt.Sprint("one of ", names))
	case !(scale >= 1e-3 && scale <= 1e4):
		return refuse("scale", r.Scale, "a number >= 0.001 and <= 10000")
	}
	var text bytes.Buffer
	var err error
	if of == CourseGates {
		err = w.writeGates(ctx, r, *chosen, scale, &text)
	} else {
		err = w.writeTracks(ctx, r, file, *chosen, scale, &text)
	}
	switch {
	case errors.Is(err, export.ErrNoRoad), errors.Is(err, export.ErrNoCourse), errors.Is(err, export.ErrMap),
		errors.Is(err, export.ErrPicture):
		return &Refused{[]Problem{{Field: "format", Value: r.Format, Message: err.Error()}}}
	case err != nil:
		return err
	}
	name := r.Course
	extension := chosen.Extension
	if chosen.Single && r.Env == nil {
		extension = ".zip"
	}
	if r.Env != nil {
		name = fmt.Sprintf("%s-%d", strings.TrimSuffix(r.Course, "s"), *r.Env)
	}
	return emit(Frame{Head: fileHead{"file", name + extension}, Body: text.Bytes()})
}

// checkEnv checks the number of the track that a file shall hold.
func (r Request) checkEnv(envs int) error {
	if r.Env != nil && (*r.Env < 0 || *r.Env >= envs) {
		return refuse("env", *r.Env, fmt.Sprintf("a whole number >= 0 and <= %d", envs-1))
	}
	return nil
}

// writeTracks writes tracks or circuits.
func (w *World) writeTracks(ctx context.Context, r Request, file []byte, f Format, scale float64, to io.Writer) error {
	batch := new(trackgen.Batch)
	var metadata export.Metadata
	if r.Course == CourseCircuit {
		made, err := w.importFile(ctx, r, file)
		if err != nil {
			return err
		}
		batch, metadata = made.batch, w.trackMetadata(trackgen.Config{}, made.metadata)
	} else {
		c, err := configure(settings.Tracks, r.Settings, r.Mix, trackgen.Config.Validate)
		if err != nil {
			return err
		}
		c.NumEnvs = r.envs()
		if err := affordStored(c.NumEnvs, c.Output.MaxPoints, "output.max_points"); err != nil {
			return err
		}
		var end done
		err = w.tracks(ctx, r, c, &end, func(b *trackgen.Batch) error { return batch.Append(b, envsOf(b.Envs)...) })
		if err != nil {
			return err
		}
		metadata = w.trackMetadata(c.Resolved(), nil)
	}
	if err := r.checkEnv(batch.Envs); err != nil {
		return err
	}
	if f.Single {
		return w.writeSingles(ctx, r, batch, f, scale, to)
	}
	numbers := envsOf(batch.Envs)
	if r.Env != nil {
		part := new(trackgen.Batch)
		if err := part.Append(batch, *r.Env); err != nil {
			return err
		}
		batch, numbers = part, []int{*r.Env}
		metadata.Config.NumEnvs = 1
	}
	return writeTrackFile(ctx, batch, numbers, metadata, f, scale, to)
}

// affordStored refuses batches that take too much memory as a whole.
func affordStored(envs, row int, field string) error {
	if envs*row > mostStored {
		return refuse(field, row, fmt.Sprintf("at most %d for %d tracks here; the command has no such limit",
			mostStored/envs, envs))
	}
	return nil
}

// writeTrackFile writes a file that holds several tracks, which have the given numbers.
func writeTrackFile(ctx context.Context, batch *trackgen.Batch, numbers []int, metadata export.Metadata, f Format,
	scale float64, to io.Writer) error {
	shape, numbered := export.ShapeOf(batch), export.Numbered(numbers)
	var encoder export.Encoder
	var err error
	switch f.Name {
	case "npz":
		encoder, err = export.NewNPZ(to, shape, metadata)
	case "parquet":
		encoder, err = newParquet(to, shape, metadata, numbered)
	case "json":
		encoder, err = export.NewTracksJSON(to, shape, metadata, numbered)
	case "points":
		encoder, err = export.NewPointsCSV(to, shape, numbered)
	case "geojson":
		encoder, err = export.NewGeoJSON(to, shape, metadata, export.GeoJSON{Scale: scale, Invalid: true}, numbered)
	default:
		picture := export.Picture{Envs: envsOf(batch.Envs), Numbers: numbers}
		if metadata.Import != nil {
			picture.Unit = "m"
		}
		if f.Name == "svg" {
			return export.WriteSVG(to, batch, picture)
		}
		return export.WritePNG(to, batch, picture)
	}
	if err != nil {
		return err
	}
	return errors.Join(encoder.Append(ctx, batch), encoder.Finish())
}

// writeSingles writes a track, or an archive of all valid ones, in a format that holds one.
func (w *World) writeSingles(ctx context.Context, r Request, batch *trackgen.Batch, f Format, scale float64,
	to io.Writer) error {
	cells := 0
	one := func(files archive, e int) error {
		road, err := export.RoadOf(batch, e, scale)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("track-%d", e)
		switch f.Name {
		case "csv":
			return files.WriteFile(name+f.Extension, func(to io.Writer) error { return export.WriteCircuit(to, road) })
		case "xodr":
			title := cmp.Or(road.Name, fmt.Sprintf("trackgen seed %d epoch %d", road.Seed, road.Epoch))
			return files.WriteFile(name+f.Extension,
				func(to io.Writer) error { return export.WriteOpenDRIVE(to, road, title) })
		case "glb":
			return files.WriteFile(name+f.Extension, func(to io.Writer) error { return writeMesh(to, batch, e, scale, name) })
		}
		style := export.OccupancyMap{LevelCrossings: true}
		n, err := style.Cells(road)
		if err != nil {
			return err
		}
		if cells += n; cells > mostMapCells {
			return refuse("format", "ros, with maps of "+fmt.Sprint(cells)+" cells", fmt.Sprint("at most ", mostMapCells))
		}
		return export.WriteOccupancyMap(files, name+"_map", road, style)
	}
	return eachOf(ctx, r, batch.Valid, f.Name == "ros", to, one)
}

// writeMesh writes the road of a track as a mesh.
func writeMesh(to io.Writer, batch *trackgen.Batch, e int, scale float64, name string) error {
	meshes, err := mesh.Course(batch, e, nil, mesh.Options{Scale: scale})
	if err != nil {
		return err
	}
	return mesh.WriteGLB(to, meshes, name)
}

// archive receives files. It implements export.MapFiles.
type archive interface {
	WriteFile(name string, write func(io.Writer) error) error
}

// zipped are files in an archive. They have no times, so that the same tracks give the same bytes.
type zipped struct{ *zip.Writer }

// WriteFile implements archive.
func (z zipped) WriteFile(name string, write func(io.Writer) error) error {
	w, err := z.Create(name)
	if err != nil {
		return err
	}
	return write(w)
}

// alone is an archive of one file, whose name is that of the answer.
type alone struct{ io.Writer }

// WriteFile implements archive.
func (a alone) WriteFile(_ string, write func(io.Writer) error) error { return write(a) }

// eachOf calls one for the course of the request, or for all valid ones, whose files become an archive. severalFiles
// says that one course has several files.
func eachOf(ctx context.Context, r Request, valid []int32, severalFiles bool, to io.Writer,
	one func(files archive, e int) error) error {
	if r.Env != nil && !severalFiles {
		return one(alone{to}, *r.Env)
	}
	z := zipped{zip.NewWriter(to)}
	for e, ok := range valid {
		if r.Env == nil && ok == 0 || r.Env != nil && *r.Env != e {
			continue
		}
		if err := errors.Join(ctx.Err(), one(z, e)); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeGates writes gate courses.
func (w *World) writeGates(ctx context.Context, r Request, f Format, scale float64, to io.Writer) error {
	c, err := configure(settings.Gates, r.Settings, r.Mix, trackgen.GateConfig.Validate)
	if err != nil {
		return err
	}
	c.NumEnvs = r.envs()
	err = errors.Join(r.checkEnv(c.NumEnvs), affordStored(c.NumEnvs, c.Output.MaxGates, "output.max_gates"))
	if err != nil {
		return err
	}
	batch := new(trackgen.GateBatch)
	var end done
	err = w.gates(ctx, r, &end, func(b *trackgen.GateBatch) error { return batch.Append(b, envsOf(b.Envs)...) })
	if err != nil {
		return err
	}
	if f.Single {
		return eachOf(ctx, r, batch.Valid, false, to, func(files archive, e int) error {
			course, err := export.CourseOf(batch, e, scale)
			if err != nil {
				return err
			}
			write := map[string]func(io.Writer, *export.Course) error{"csv": export.WriteGateList,
				"yaml": export.WriteGatesYAML, "toml": export.WriteGatesTOML}[f.Name]
			return files.WriteFile(fmt.Sprintf("course-%d%s", e, f.Extension),
				func(to io.Writer) error { return write(to, course) })
		})
	}
	numbers := envsOf(batch.Envs)
	if r.Env != nil {
		part := new(trackgen.GateBatch)
		if err := part.Append(batch, *r.Env); err != nil {
			return err
		}
		batch, numbers, c.NumEnvs = part, []int{*r.Env}, 1
	}
	metadata := export.GateMetadata{Version: w.options.Version, Device: w.device.Info().Name, Config: c}
	return writeGateFile(ctx, batch, numbers, metadata, f, scale, to)
}

// writeGateFile writes a file that holds several gate courses, which have the given numbers.
func writeGateFile(ctx context.Context, batch *trackgen.GateBatch, numbers []int, metadata export.GateMetadata,
	f Format, scale float64, to io.Writer) error {
	shape, numbered := export.GateShapeOf(batch), export.Numbered(numbers)
	var encoder export.GateEncoder
	var err error
	switch f.Name {
	case "npz":
		encoder, err = export.NewGateNPZ(to, shape, metadata)
	case "parquet":
		encoder, err = newGateParquet(to, shape, metadata, numbered)
	case "json":
		encoder, err = export.NewCoursesJSON(to, shape, metadata, numbered)
	case "points":
		encoder, err = export.NewGatesCSV(to, shape, numbered)
	case "geojson":
		encoder, err = export.NewGatesGeoJSON(to, shape, metadata, export.GeoJSON{Scale: scale, Invalid: true}, numbered)
	case "svg":
		return export.WriteGatesSVG(to, batch, export.Picture{Envs: envsOf(batch.Envs), Numbers: numbers})
	default:
		return export.WriteGatesPNG(to, batch, export.Picture{Envs: envsOf(batch.Envs), Numbers: numbers})
	}
	if err != nil {
		return err
	}
	return errors.Join(encoder.Append(ctx, batch), encoder.Finish())
}
