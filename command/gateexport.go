package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// coursesPicked holds the numbers of the gate courses to export, and the metadata of their file.
type coursesPicked struct {
	envsPicked
	metadata export.GateMetadata // of the whole file
}

var courseParts = parts[*trackgen.GateBatch]{
	envs: func(b *trackgen.GateBatch) int { return b.Envs },
	of: func(b *trackgen.GateBatch, envs []int) (*trackgen.GateBatch, error) {
		part := &trackgen.GateBatch{}
		return part, part.Append(b, envs...)
	},
}

// exportCourses is export for a file of gate courses.
func (a *app) exportCourses(ctx context.Context, path string, f exportFlags, command *cobra.Command) error {
	chosen, err := f.format(path, courseGates)
	if err != nil {
		return err
	}
	given := command.Flags().Changed
	if err := f.check(chosen, courseGates, given); err != nil {
		return err
	}
	screen := a.screen(f.quiet)
	picked, err := f.pickCourses(ctx, path, chosen, screen)
	if err != nil {
		return err
	}
	if err := f.checkPicked(path, picked.envsPicked, chosen, "course", ""); err != nil {
		return err
	}
	if err := f.probe(path, chosen); err != nil {
		return err
	}
	bar := newProgress(screen, "writing", thingsOf(courseGates), len(picked.envs))
	defer bar.Done()
	if chosen.single {
		err = f.writeCourseFiles(ctx, path, picked, chosen, bar)
	} else {
		err = f.writeCourseBatch(ctx, path, picked, chosen, bar)
	}
	if errors.Is(err, export.ErrNoCourse) {
		return badInput(err)
	}
	if err != nil {
		return err
	}
	bar.Finish()
	if !f.quiet {
		a.courseMessages(f, picked.envsPicked, chosen, given("scale"))
	}
	return nil
}

// courseMessages says what was written.
func (a *app) courseMessages(f exportFlags, picked envsPicked, chosen exportFormat, isScaled bool) {
	if chosen.name == formatCSV && picked.invalid > 0 {
		verb := "is"
		if picked.invalid > 1 {
			verb = "are"
		}
		a.message("warning: %s %s not valid (%s), and %s cannot say so", countText(picked.invalid, "course"), verb,
			picked.reason, chosen.name)
	}
	left := ""
	if picked.skipped > 0 {
		left = fmt.Sprintf(", left out %d that are not valid", picked.skipped)
	}
	a.message("wrote %s%s: %s", countText(len(picked.envs), "gate course"), left, f.out)
	if chosen.takesScale() && !isScaled {
		a.message("without --scale a length unit is 1 m")
	}
}

// pickCourses returns the courses that the flags select, as pickEnvs does.
func (f exportFlags) pickCourses(ctx context.Context, path string, chosen exportFormat, screen io.Writer) (
	picked coursesPicked, err error) {
	reader, err := export.OpenGates(path)
	if err != nil {
		return picked, badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	picked.metadata = reader.Metadata()
	verdicts := func(chunk *trackgen.GateBatch) []string {
		return reasonTexts(chunk.Valid, func(e int) []string { return chunk.Reason[e].Names() })
	}
	picked.envsPicked, err = pickEnvs(ctx, reader, f.envChoice, nil, f.keeps(chosen), verdicts, thingsOf(courseGates),
		screen)
	return picked, err
}

// each reads the file again and calls take with the picked courses, in chunks, and with their numbers.
func (p coursesPicked) each(ctx context.Context, path string,
	take func(chunk *trackgen.GateBatch, envs []int) error) error {
	reader, err := export.OpenGates(path)
	if err != nil {
		return badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	return eachPicked(ctx, path, reader, p.envsPicked, courseParts, take)
}

// writeCourseBatch writes the picked courses to one file.
func (f exportFlags) writeCourseBatch(ctx context.Context, path string, picked coursesPicked, chosen exportFormat,
	bar *progress) error {
	w, err := f.createCourses(chosen, export.Shape{Envs: len(picked.envs), NMax: picked.shape.NMax}, picked)
	if err != nil {
		return err
	}
	return writeChunks(ctx, w, courseParts, f.out, bar,
		func(take func(*trackgen.GateBatch, []int) error) error { return picked.each(ctx, path, take) })
}

// createCourses creates the file of a format that holds many courses.
func (f exportFlags) createCourses(chosen exportFormat, shape export.Shape, picked coursesPicked) (export.GateWriter,
	error) {
	numbered, file := export.Numbered(picked.envs), target{path: f.out, format: chosen.name}
	switch chosen.name {
	case formatGeoJSON:
		style, err := f.geoJSON.style(f.scale)
		if err != nil {
			return nil, badInput(err)
		}
		return export.Create(f.out, func(w io.Writer) (export.GateEncoder, error) {
			return export.NewGatesGeoJSON(w, shape, picked.metadata, style, numbered)
		})
	case formatSVG, formatPNG:
		p := newGatePicture(file, picked.metadata, picked.shape.Envs)
		p.called = picked.envs
		return p, nil
	case formatPoints:
		file.format = formatCSV
	}
	return file.createGates(shape, picked.metadata, numbered)
}

// writeCourseFiles writes the picked courses in a format that holds a single course: to a file, or to a folder of
// files.
func (f exportFlags) writeCourseFiles(ctx context.Context, path string, picked coursesPicked, chosen exportFormat,
	bar *progress) error {
	if f.envs == "" {
		return picked.each(ctx, path, func(chunk *trackgen.GateBatch, envs []int) error {
			defer bar.Add(1)
			course, err := f.courseOf(chunk, 0, envs[0])
			if err != nil {
				return err
			}
			return export.WriteFile(f.out, func(w io.Writer) error { return writeCourse(w, course, chosen.name) })
		})
	}
	return writeFolder(f.out, func(folder *export.AtomicFolder) error {
		return picked.each(ctx, path, func(chunk *trackgen.GateBatch, envs []int) error {
			for e, env := range envs {
				if err := ctx.Err(); err != nil {
					return err
				}
				course, err := f.courseOf(chunk, e, env)
				if err != nil {
					return err
				}
				err = folder.WriteFile(fmt.Sprintf("env-%d%s", env, chosen.extension),
					func(w io.Writer) error { return writeCourse(w, course, chosen.name) })
				if err != nil {
					return err
				}
				bar.Add(1)
			}
			return nil
		})
	})
}

// courseOf returns the course of env e of a chunk; env is its number in the file.
func (f exportFlags) courseOf(chunk *trackgen.GateBatch, e, env int) (*export.Course, error) {
	course, err := export.CourseOf(chunk, e, f.scale)
	var none *export.CourseError
	if errors.As(err, &none) {
		none.Env = env
	}
	if err != nil {
		return nil, err
	}
	course.Env = env
	return course, nil
}

// writeCourse writes one course in a format that holds a single course.
func writeCourse(w io.Writer, course *export.Course, to format) error {
	switch to {
	case formatYAML:
		return export.WriteGatesYAML(w, course)
	case formatTOML:
		return export.WriteGatesTOML(w, course)
	default:
		return export.WriteGateList(w, course)
	}
}
