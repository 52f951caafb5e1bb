package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// picture draws some tracks of a batch that arrives in chunks. It implements export.BatchWriter and keeps only the
// tracks that it draws.
type picture struct {
	target
	style    export.Picture                           // without tracks; Commit adds a title if it is empty
	config   trackgen.Config                          // configuration of the tracks, for the title and the kinds
	circuits bool                                     // measured circuits, not generated tracks
	envs     int                                      // number of tracks of the whole batch
	which    string                                   // adjective for the tracks drawn, for the title: "invalid"
	wanted   func(b *trackgen.Batch, e, env int) bool // selects the tracks to draw; nil for all
	most     int                                      // maximum number of tracks to draw; 0 for export.DefaultTracks
	called   []int                                    // number to show for each track appended; nil for its position

	kept    *trackgen.Batch
	numbers []int // number of each kept track
	seen    int   // number of tracks appended
}

// newPicture returns a picture of tracks of a batch with this many envs.
func newPicture(t target, metadata export.Metadata, envs int) *picture {
	p := &picture{target: t, config: metadata.Config, envs: envs, circuits: metadata.Import != nil}
	p.style.Unit = unitOf(metadata)
	if p.circuits {
		p.style.CellSize = circuitCell(envs)
	}
	return p
}

// unitOf returns the unit of the lengths of a file: empty for generated tracks, whose unit can be anything.
func unitOf(metadata export.Metadata) string {
	if metadata.Import != nil {
		return "m"
	}
	return ""
}

// limit returns the maximum number of tracks to draw.
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
		if p.kept.Names != nil {
			style.Labels = append(style.Labels, cmp.Or(p.kept.Name(e), fmt.Sprintf("env %d", env)))
		}
	}
	if kinds := componentNames(p.config); kinds != nil {
		for e := range p.numbers {
			kind := ""
			if k, ok := componentOf(p.kept, e, len(kinds)); ok {
				kind = kinds[k]
			}
			style.Kinds = append(style.Kinds, kind)
		}
	}
	err := export.WriteFile(p.path, func(w io.Writer) error {
		if p.format == formatSVG {
			return export.WriteSVG(w, p.kept, style)
		}
		return export.WritePNG(w, p.kept, style)
	})
	if errors.Is(err, export.ErrPicture) {
		return badInput(err) // for example, more pixels than allowed
	}
	return err
}

// Abort implements export.BatchWriter. It does nothing, because nothing is written before Commit.
func (p *picture) Abort() error { return nil }

// title returns the title, such as "12 polar tracks", "30 of 512 bezier tracks" or "4 invalid of 512 bezier tracks".
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
	if p.circuits {
		noun = "circuit"
	}
	if p.envs != 1 {
		noun += "s"
	}
	return strings.Join(append(words, noun), " ")
}

// componentNames returns a name for each component of a mixed batch: its generator, with a number if several components
// have the same one. It returns nil for other batches.
func componentNames(c trackgen.Config) []string {
	var generators []string
	for _, component := range c.Mix {
		generators = append(generators, component.Generator)
	}
	return numberedNames(generators)
}

// numberedNames returns the names with a number behind those that occur several times.
func numberedNames(generators []string) []string {
	count, number := make(map[string]int), make(map[string]int)
	for _, name := range generators {
		count[name]++
	}
	var names []string
	for _, name := range generators {
		shown := name
		if number[name]++; count[name] > 1 {
			shown += fmt.Sprintf(" %d", number[name])
		}
		names = append(names, shown)
	}
	return names
}

// componentOf returns the number of the component of an env of a mixed batch, and false if it is not one of the given
// number of components. Files of other programs may have any component number, or none.
func componentOf(b *trackgen.Batch, e, components int) (k int, ok bool) {
	if b.Component == nil || b.Component[e] < 0 || int(b.Component[e]) >= components {
		return 0, false
	}
	return int(b.Component[e]), true
}
