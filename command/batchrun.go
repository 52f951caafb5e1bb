package command

import (
	"context"
	"errors"
	"io"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// batchRun is a run of generate, of tracks or of gate courses, between the check of its input and its report.
type batchRun[B any] struct {
	app    *app
	flags  generateFlags
	course string // kind of course
	format format // of the summary, if there is no --out
	files  []target
	bar    *progress
	device trackgen.Device
	rows   export.EncoderOf[B] // encodes the rows of the summary as CSV; nil for another summary
}

// generateFunc generates a whole batch and calls take with each chunk, in the order of the envs.
type generateFunc[B any] func(ctx context.Context, device trackgen.Device, take func(B) error) (result, error)

// startRun checks the flags that say where the output goes, and opens the device. check returns an error if the device
// cannot run the configuration. The caller closes the run.
func startRun[B any](a *app, f generateFlags, files []target, course string, envs int,
	check func(trackgen.Device) error) (_ *batchRun[B], err error) {
	r := &batchRun[B]{app: a, flags: f, course: course, format: formatText, files: files}
	if f.out == "" {
		if r.format, err = a.reportFormat(f.format, summaryFormats...); err != nil {
			return nil, err
		}
	}
	if err := probe(files); err != nil {
		return nil, err
	}
	rowsOnScreen := r.printsRows() && isTerminal(a.stdout.w)
	r.bar = newProgress(a.screen(f.quiet || rowsOnScreen), "generating", thingsOf(course), envs)
	if r.device, err = a.openDevice(f.device, f.workers, f.quiet); err != nil {
		r.bar.Done()
		return nil, err
	}
	if err := check(r.device); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *batchRun[B]) close() error {
	err := r.device.Close()
	r.bar.Done()
	return err
}

// printsRows reports whether the run prints one row for each env.
func (r *batchRun[B]) printsRows() bool { return r.flags.out == "" && r.format == formatCSV }

// write generates the batch and writes it to the files, which create makes, and to the rows of the summary, which
// encode makes. It calls count with each chunk.
func (r *batchRun[B]) write(ctx context.Context, generate generateFunc[B],
	create func(target) (export.WriterOf[B], error), encode func(io.Writer) (export.EncoderOf[B], error),
	count func(B) error) (done result, err error) {
	written, err := createAll(r.files, create)
	defer func() { err = errors.Join(err, written.abort()) }()
	if err != nil {
		return done, err
	}
	if r.printsRows() {
		if r.rows, err = encode(r.app.stdout); err != nil {
			return done, err
		}
	}
	done, err = generate(ctx, r.device, func(batch B) error {
		if err := written.add(ctx, batch); err != nil {
			return err
		}
		if r.rows != nil {
			if err := r.rows.Append(ctx, batch); err != nil {
				return err
			}
		}
		return count(batch)
	})
	if err != nil {
		return done, err
	}
	if err := written.commit(ctx, r.bar); err != nil {
		return done, err
	}
	r.bar.Finish()
	return done, nil
}

// print prints the report of a completed run: as a message beside files, or else as output.
func (r *batchRun[B]) print(report any, writeText func(io.Writer) error) (err error) {
	a, f := r.app, r.flags
	switch {
	case f.out != "" && f.quiet:
		return nil
	case f.out != "":
		a.tell(writeText)
		return nil
	case r.format == formatText:
		err = a.print(writeText)
	case r.format == formatCSV:
		err = r.rows.Finish()
	default:
		err = writeJSON(a.stdout, report)
	}
	if err == nil && !f.quiet {
		a.message("the %s are not kept: --out names a file for them, such as --out %s.npz", thingsOf(r.course), r.course)
	}
	return err
}

// chunkError returns an error of the input for what CheckDevice says of the largest chunk of a run. The error names the
// field or the flag that is wrong.
func chunkError(err error, chunk int) error {
	var wrong *trackgen.ConfigError
	if errors.As(err, &wrong) && wrong.Field == "num_envs" {
		return badInputf("--chunk is %d: must be %s (%w)", chunk, wrong.Allowed, wrong.Err)
	}
	return badInput(err)
}
