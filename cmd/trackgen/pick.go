package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// tracksPicked holds the numbers of the tracks to export, and the shape and the metadata of their file.
type tracksPicked struct {
	shape    export.Shape    // of the whole file
	metadata export.Metadata // of the whole file
	names    []string        // of all tracks of the whole file; nil if none has one
	envs     []int           // numbers of the tracks, ascending
	asked    int             // number of tracks that the flags select
	skipped  int             // number of these that are skipped because they are invalid
	invalid  int             // number of invalid tracks among envs
	reason   string          // why the last invalid track is invalid
}

// chunkReader reads envs of a file in chunks: an export.NPZReader or an export.GateNPZReader.
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

// pickTracks returns the tracks that the flags select. It skips invalid tracks unless keep is set. It shows its
// progress on screen, if that is a terminal.
func pickTracks(ctx context.Context, path string, f exportFlags, keep bool, screen io.Writer) (picked tracksPicked,
	err error) {
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return picked, badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	picked.shape, picked.metadata, picked.names = reader.Shape(), reader.Metadata(), reader.Names()
	var chosen selection
	switch {
	case f.env >= picked.shape.Envs:
		return picked, badInputf("--env: there is no env %d: must be 0 to %d", f.env, picked.shape.Envs-1)
	case f.env >= 0:
		chosen = selection{{f.env, f.env}}
	default:
		if chosen, err = chosenEnvs(f.envs, picked.shape.Envs, reader.Names()); err != nil {
			return picked, err
		}
	}
	bar := newProgress(screen, "reading", "tracks", chosen.last()+1)
	defer bar.Done()
	err = readChunks(ctx, reader, chosen.last()+1, func(chunk *trackgen.Batch, first int) (bool, error) {
		defer bar.Add(chunk.Envs)
		for e := range chunk.Envs {
			if !chosen.contains(first + e) {
				continue
			}
			picked.asked++
			if chunk.Valid[e] == 0 {
				picked.reason = reasonText(chunk.Reason[e])
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
	if reader.Shape() != p.shape {
		return badInputf("%s changed while it was read", path)
	}
	rest := p.envs
	return readChunks(ctx, reader, p.envs[len(p.envs)-1]+1, func(chunk *trackgen.Batch, first int) (bool, error) {
		n := 0
		for n < len(rest) && rest[n] < first+chunk.Envs {
			n++
		}
		envs := rest[:n]
		rest = rest[n:]
		if n == 0 {
			return true, nil
		}
		if n < chunk.Envs {
			part := &trackgen.Batch{}
			for _, env := range envs {
				if err := part.Append(chunk, env-first); err != nil {
					return false, err
				}
			}
			chunk = part
		}
		return true, take(chunk, envs)
	})
}

// reasonText returns the reasons why a track is invalid. A file of another program may contain none.
func reasonText(reason trackgen.Reason) string {
	if names := reason.Names(); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "no reason given"
}
