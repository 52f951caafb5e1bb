package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// picture draws some tracks of a batch that comes in chunks. It implements export.BatchWriter and keeps only the tracks
// that it draws.
type picture struct {
	target
	style  export.Picture                           // but for the tracks; without a title it gets one
	config trackgen.Config                          // that made the tracks, for the title
	names  []string                                 // of the circuits, where the tracks are measured ones
	envs   int                                      // tracks of the whole batch
	which  string                                   // what is special about the tracks drawn, for the title: "invalid"
	wanted func(b *trackgen.Batch, e, env int) bool // nil: every track
	most   int                                      // tracks to draw at most; 0: export.DefaultTracks
	called []int                                    // what each track that passes is called; nil: its place

	kept    *trackgen.Batch
	numbers []int // env of each track kept
	seen    int   // tracks that have passed
}

// limit is how many tracks are drawn at most.
func (p *picture) limit() int {
	if p.most == 0 {
		return export.DefaultTracks
	}
	return p.most
}

// full reports whether no more tracks can be drawn.
func (p *picture) full() bool { return len(p.numbers) >= p.limit() }

// Append implements export.BatchWriter.
func (p *picture) Append(_ context.Context, chunk *trackgen.Batch) error {
	if p.kept == nil {
		p.kept = &trackgen.Batch{NMax: chunk.NMax}
	}
	for e := range chunk.Envs {
		env := p.seen + e
		if !p.full() && (p.wanted == nil || p.wanted(chunk, e, env)) {
			if err := p.kept.Append(chunk, e); err != nil {
				return err
			}
			if p.called != nil {
				env = p.called[env]
			}
			p.numbers = append(p.numbers, env)
		}
	}
	p.seen += chunk.Envs
	return nil
}

// Commit implements export.BatchWriter.
func (p *picture) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	style := p.style
	style.Numbers = p.numbers
	if style.Title == "" {
		style.Title = p.title()
	}
	for e, env := range p.numbers {
		style.Envs = append(style.Envs, e)
		if p.names != nil {
			style.Labels = append(style.Labels, p.names[env])
		}
	}
	err := export.WriteFile(p.path, func(w io.Writer) error {
		if p.format == formatSVG {
			return export.WriteSVG(w, p.kept, style)
		}
		return export.WritePNG(w, p.kept, style)
	})
	if errors.Is(err, export.ErrPicture) {
		return badInput(err) // such as more pixels than a picture may have
	}
	return err
}

// Abort implements export.BatchWriter: nothing is written before Commit.
func (p *picture) Abort() error { return nil }

// title says what the picture shows: "12 polar tracks", "30 of 512 bezier tracks", "4 invalid of 512 bezier tracks".
func (p *picture) title() string {
	words := []string{fmt.Sprint(len(p.numbers))}
	if p.which != "" {
		words = append(words, p.which)
	}
	if len(p.numbers) < p.envs {
		words = append(words, "of", fmt.Sprint(p.envs))
	}
	if p.config.Generator != "" {
		words = append(words, p.config.Generator)
	}
	noun := "track"
	if p.names != nil {
		noun = "circuit"
	}
	if p.envs != 1 {
		noun += "s"
	}
	return strings.Join(append(words, noun), " ")
}

// circuitNames returns the names of the circuits that a batch of so many envs was made of, nil if it was generated or
// if the metadata are not those of the batch.
func circuitNames(metadata export.Metadata, envs int) []string {
	if metadata.Import == nil || len(metadata.Import.Circuits) != envs {
		return nil
	}
	names := make([]string, envs)
	for e, c := range metadata.Import.Circuits {
		names[e] = strings.TrimSuffix(c.File, filepath.Ext(c.File))
	}
	return names
}
