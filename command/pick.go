package command

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// envChoice is the choice of envs that --env makes.
type envChoice struct {
	env  int    // the number of --env if it is one, else -1
	envs string // --env as it was given if it is not one number, else empty
}

// chooseEnvs returns the choice that the value of --env makes.
func chooseEnvs(value string) envChoice {
	if env, err := strconv.ParseUint(value, 10, 31); err == nil {
		return envChoice{env: int(env)}
	}
	return envChoice{env: -1, envs: value}
}

// findName replaces the name in --env by the number of its track if exactly one track of the file has that name. Other
// choices stay unchanged.
func (c *envChoice) findName(path string) error {
	if c.env >= 0 || isNumeric(strings.Trim(c.envs, " ,")) {
		return nil
	}
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	if list := called(reader.Names(), c.envs); len(list) == 1 {
		c.env, c.envs = list[0].first, ""
	}
	return nil
}

// envsPicked holds the numbers of the envs to export, of a file of tracks or of gate courses.
type envsPicked struct {
	shape   export.Shape // of the whole file
	envs    []int        // numbers of the envs, ascending
	asked   int          // number of envs that the flags select
	skipped int          // number of these that are skipped because they are invalid
	invalid int          // number of invalid envs among envs
	reason  string       // why the last invalid env is invalid
}

// tracksPicked holds the numbers of the tracks to export, and the metadata of their file.
type tracksPicked struct {
	envsPicked
	metadata export.Metadata // of the whole file
	names    []string        // of all tracks of the whole file; nil if none has one
}

// chunkReader reads envs of a file in chunks: an export.NPZReader or an export.GateReader.
type chunkReader[B any] interface {
	Shape() export.Shape
	Read(ctx context.Context, n int) (B, error)
}

// readChunks reads the first count envs of a file in chunks. It calls take with each chunk and the number of its first
// env, until take returns false or an error.
func readChunks[B any](ctx context.Context, reader chunkReader[B], count int,
	take func(chunk B, first int) (more bool, err error)) error {
	const bytesPerElement, bytes = 64, 32 << 20 // a few chunks of this size are in memory at a time
	size := max(1, min(maxChunk, bytes/(bytesPerElement*reader.Shape().NMax)))
	for first := 0; first < count; first += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk, err := reader.Read(ctx, size)
		if errors.Is(err, io.EOF) {
			return nil
		}
		var format *export.FormatError
		if errors.As(err, &format) {
			return badInput(err)
		}
		if err != nil {
			return err
		}
		if more, err := take(chunk, first); err != nil || !more {
			return err
		}
	}
	return nil
}

// pickEnvs returns the envs of a file that choice selects. It skips invalid ones unless keep is set. verdicts returns
// for each env of a chunk why it is invalid, or "". things are the envs on screen, where it shows its progress if that
// is a terminal.
func pickEnvs[B any](ctx context.Context, reader chunkReader[B], choice envChoice, names []string, keep bool,
	verdicts func(B) []string, things string, screen io.Writer) (picked envsPicked, err error) {
	picked.shape = reader.Shape()
	var chosen selection
	switch {
	case choice.env >= picked.shape.Envs:
		return picked, badInputf("--env: there is no env %d: must be 0 to %d", choice.env, picked.shape.Envs-1)
	case choice.env >= 0:
		chosen = selection{{choice.env, choice.env}}
	default:
		if chosen, err = chosenEnvs(choice.envs, picked.shape.Envs, names); err != nil {
			return picked, err
		}
	}
	bar := newProgress(screen, "reading", things, chosen.last()+1)
	defer bar.Done()
	err = readChunks(ctx, reader, chosen.last()+1, func(chunk B, first int) (bool, error) {
		reasons := verdicts(chunk)
		defer bar.Add(len(reasons))
		for e, reason := range reasons {
			if !chosen.contains(first + e) {
				continue
			}
			picked.asked++
			if reason != "" {
				picked.reason = reason
				if !keep {
					picked.skipped++
					continue
				}
				picked.invalid++
			}
			picked.envs = append(picked.envs, first+e)
		}
		return true, nil
	})
	if err == nil {
		bar.Finish()
	}
	return picked, err
}

// pickTracks returns the tracks that choice selects, as pickEnvs does.
func pickTracks(ctx context.Context, path string, choice envChoice, keep bool, screen io.Writer) (
	picked tracksPicked, err error) {
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return picked, badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	picked.metadata, picked.names = reader.Metadata(), reader.Names()
	picked.envsPicked, err = pickEnvs(ctx, reader, choice, picked.names, keep, func(chunk *trackgen.Batch) []string {
		return reasonTexts(chunk.Valid, func(e int) []string { return chunk.Reason[e].Names() })
	}, thingsOf(courseTracks), screen)
	return picked, err
}

// renumbered returns the metadata for a file in which the picked tracks are envs 0, 1 and so on. For measured circuits,
// it lists only the picked circuits, because the metadata lists circuits by env.
func (p tracksPicked) renumbered() export.Metadata {
	m := p.metadata
	if m.Import == nil || len(m.Import.Circuits) != p.shape.Envs {
		return m
	}
	part := export.Import{Options: m.Import.Options}
	for _, env := range p.envs {
		part.Circuits = append(part.Circuits, m.Import.Circuits[env])
	}
	m.Import = &part
	return m
}

// each reads the file again and calls take with the picked tracks, in chunks, and with their numbers.
func (p tracksPicked) each(ctx context.Context, path string, take func(chunk *trackgen.Batch, envs []int) error) error {
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	return eachPicked(ctx, path, reader, p.envsPicked, trackParts, take)
}

// parts are functions of a kind of batch: the number of its envs, and a batch of some of them.
type parts[B any] struct {
	envs func(B) int
	of   func(batch B, envs []int) (B, error)
}

var trackParts = parts[*trackgen.Batch]{
	envs: func(b *trackgen.Batch) int { return b.Envs },
	of: func(b *trackgen.Batch, envs []int) (*trackgen.Batch, error) {
		part := &trackgen.Batch{}
		return part, part.Append(b, envs...)
	},
}

// eachPicked calls take with the picked envs of a file, in chunks, and with their numbers.
func eachPicked[B any](ctx context.Context, path string, reader chunkReader[B], picked envsPicked, kind parts[B],
	take func(chunk B, envs []int) error) error {
	if reader.Shape() != picked.shape {
		return badInputf("%s changed while it was read", path)
	}
	rest := picked.envs
	return readChunks(ctx, reader, rest[len(rest)-1]+1, func(chunk B, first int) (bool, error) {
		total, n := kind.envs(chunk), 0
		for n < len(rest) && rest[n] < first+total {
			n++
		}
		envs := rest[:n]
		rest = rest[n:]
		if n == 0 {
			return true, nil
		}
		if n < total {
			inChunk := make([]int, n)
			for i, env := range envs {
				inChunk[i] = env - first
			}
			part, err := kind.of(chunk, inChunk)
			if err != nil {
				return false, err
			}
			chunk = part
		}
		return true, take(chunk, envs)
	})
}

// writeChunks writes the chunks that each passes on to one file, and completes it.
func writeChunks[B any](ctx context.Context, w export.WriterOf[B], kind parts[B], out string, bar *progress,
	each func(take func(chunk B, envs []int) error) error) (err error) {
	defer func() { err = errors.Join(err, w.Abort()) }()
	err = each(func(chunk B, _ []int) error {
		defer bar.Add(kind.envs(chunk))
		return w.Append(ctx, chunk)
	})
	if err != nil {
		return err
	}
	bar.Do("writing " + out)
	return w.Commit(ctx)
}

// reasonTexts returns for each env why it is invalid, or "". A file of another program may contain no reason.
func reasonTexts(valid []int32, names func(e int) []string) []string {
	texts := make([]string, len(valid))
	for e, v := range valid {
		if v != 0 {
			continue
		}
		if texts[e] = strings.Join(names(e), ", "); texts[e] == "" {
			texts[e] = "no reason given"
		}
	}
	return texts
}
