package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// tracksPicked is the tracks of a file that are to be exported.
type tracksPicked struct {
	shape    export.Shape    // of the whole file
	metadata export.Metadata // of the whole file
	envs     []int           // numbers of the tracks, ascending
	asked    int             // tracks that the flags chose
	skipped  int             // those of them left out because they are not valid
	reason   string          // why the last of them is not
}

// readTracks reads the first count tracks of a file in chunks, and hands each chunk to take with the number of its
// first track, as long as take wants more.
func readTracks(ctx context.Context, reader *export.NPZReader, count int,
	take func(chunk *trackgen.Batch, first int) (more bool, err error)) error {
	const bytesPerPoint, bytes = 64, 32 << 20 // a few such chunks are in memory at a time
	size := max(1, min(maxChunk, bytes/(bytesPerPoint*reader.Shape().NMax)))
	for first := 0; first < count; {
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
		first += chunk.Envs
	}
	return nil
}

// pickTracks finds the tracks that the flags choose; keep says whether tracks that are not valid are among them.
func pickTracks(ctx context.Context, path string, f exportFlags, keep bool) (picked tracksPicked, err error) {
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return picked, badInput(err)
	}
	defer reader.Close() //nolint:errcheck // it was only read
	picked.shape, picked.metadata = reader.Shape(), reader.Metadata()
	chosen := selection{{0, picked.shape.Envs - 1}}
	switch {
	case f.env >= picked.shape.Envs:
		return picked, badInputf("--env: there is no env %d: must be 0 to %d", f.env, picked.shape.Envs-1)
	case f.env >= 0:
		chosen = selection{{f.env, f.env}}
	case f.envs != "":
		if chosen, err = parseSelection(f.envs, picked.shape.Envs); err != nil {
			return picked, badInputf("--envs: %w", err)
		}
	}
	err = readTracks(ctx, reader, chosen.last()+1, func(chunk *trackgen.Batch, first int) (bool, error) {
		for e := range chunk.Envs {
			if !chosen.contains(first + e) {
				continue
			}
			picked.asked++
			if chunk.Valid[e] == 0 && !keep {
				picked.skipped++
				picked.reason = reasonText(chunk.Reason[e])
				continue
			}
			picked.envs = append(picked.envs, first+e)
		}
		return true, nil
	})
	return picked, err
}

// renumbered returns the metadata of a file in which the tracks are envs 0, 1 and so on: those of measured circuits
// list the circuits by env.
func (p tracksPicked) renumbered() export.Metadata {
	m := p.metadata
	if circuitNames(m, p.shape.Envs) == nil {
		return m
	}
	part := export.Import{Options: m.Import.Options}
	for _, env := range p.envs {
		part.Circuits = append(part.Circuits, m.Import.Circuits[env])
	}
	m.Import = &part
	return m
}

// each reads the file again and hands over the tracks, in chunks with the numbers of their tracks.
func (p tracksPicked) each(ctx context.Context, path string, take func(chunk *trackgen.Batch, envs []int) error) error {
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return badInput(err)
	}
	defer reader.Close() //nolint:errcheck // it was only read
	if reader.Shape() != p.shape {
		return badInputf("%s changed while it was read", path)
	}
	rest := p.envs
	return readTracks(ctx, reader, p.envs[len(p.envs)-1]+1, func(chunk *trackgen.Batch, first int) (bool, error) {
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

// reasonText says why a track is not valid; a file of another program may give no reason.
func reasonText(reason trackgen.Reason) string {
	if names := reason.Names(); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "no reason given"
}
