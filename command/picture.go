package command

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

// picture draws some envs of a batch that arrives in chunks. It implements export.WriterOf[B] and keeps only the envs
// that it draws.
type picture[B appender[B]] struct {
	target
	drawable[B]
	style     export.Picture             // without envs; Commit adds a title if it is empty
	generator string                     // for the title; may be empty
	noun      string                     // what an env is, for the title: "track"
	kinds     []string                   // names of the components of a mixed batch; nil for other batches
	envs      int                        // number of envs of the whole batch
	which     string                     // adjective for the envs drawn, for the title: "invalid"
	wanted    func(b B, e, env int) bool // selects the envs to draw; nil for all
	most      int                        // maximum number of envs to draw; 0 for export.DefaultTracks
	// layers computes the layers of a course over the envs that are drawn, which have the given numbers; nil: none
	layers func(ctx context.Context, b B, numbers []int) ([]export.CourseLayers, error)
	called []int // number to show for each env appended; nil for its position

	kept    B
	numbers []int // number of each kept env
	seen    int   // number of envs appended
}

// appender is a batch to which envs of other batches can be added.
type appender[B any] interface {
	Append(from B, envs ...int) error
}

// drawable is what a picture needs of batches of one kind.
type drawable[B any] struct {
	size       func(b B) int // envs of the batch
	isValid    func(b B, e int) bool
	name       func(b B, e int) string // empty if the env has none
	components func(b B) []int32
	svg, png   func(w io.Writer, b B, p export.Picture) error
}

var drawableTracks = drawable[*trackgen.Batch]{
	size:       func(b *trackgen.Batch) int { return b.Envs },
	isValid:    func(b *trackgen.Batch, e int) bool { return b.Valid[e] != 0 },
	name:       (*trackgen.Batch).Name,
	components: func(b *trackgen.Batch) []int32 { return b.Component },
	svg:        export.WriteSVG,
	png:        export.WritePNG,
}

var drawableGates = drawable[*trackgen.GateBatch]{
	size:       func(b *trackgen.GateBatch) int { return b.Envs },
	isValid:    func(b *trackgen.GateBatch, e int) bool { return b.Valid[e] != 0 },
	name:       func(*trackgen.GateBatch, int) string { return "" },
	components: func(b *trackgen.GateBatch) []int32 { return b.Component },
	svg:        export.WriteGatesSVG,
	png:        export.WriteGatesPNG,
}

// newPicture returns a picture of tracks of a batch with this many envs.
func newPicture(t target, metadata export.Metadata, envs int) *picture[*trackgen.Batch] {
	p := &picture[*trackgen.Batch]{target: t, drawable: drawableTracks, envs: envs, noun: "track",
		generator: metadata.Config.Generator, kinds: componentNames(metadata.Config), kept: new(trackgen.Batch)}
	p.style.Unit = unitOf(metadata)
	if metadata.Import != nil {
		p.noun = "circuit"
		p.style.CellSize = circuitCell(envs)
	}
	return p
}

// newGatePicture returns a picture of gate courses of a batch with this many envs.
func newGatePicture(t target, metadata export.GateMetadata, envs int) *picture[*trackgen.GateBatch] {
	var generators []string
	for _, component := range metadata.Config.Mix {
		generators = append(generators, component.Generator)
	}
	return &picture[*trackgen.GateBatch]{target: t, drawable: drawableGates, envs: envs, noun: "gate course",
		generator: adjectiveOf(metadata.Config.Generator), kinds: numberedNames(generators), kept: new(trackgen.GateBatch)}
}

// unitOf returns the unit of the lengths of a file: empty for generated tracks, whose unit can be anything.
func unitOf(metadata export.Metadata) string {
	if metadata.Import != nil {
		return "m"
	}
	return ""
}

// limit returns the maximum number of envs to draw.
func (p *picture[B]) limit() int {
	if p.most == 0 {
		return export.DefaultTracks
	}
	return p.most
}

// full reports whether no more envs can be drawn.
func (p *picture[B]) full() bool { return len(p.numbers) >= p.limit() }

// Append implements export.WriterOf.
func (p *picture[B]) Append(_ context.Context, chunk B) error {
	for e := range p.size(chunk) {
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
	p.seen += p.size(chunk)
	return nil
}

// Commit implements export.WriterOf.
func (p *picture[B]) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	style := p.style
	style.Numbers = p.numbers
	if style.Title == "" {
		style.Title = p.title()
	}
	named := false
	for e := range p.numbers {
		named = named || p.name(p.kept, e) != ""
	}
	for e, env := range p.numbers {
		style.Envs = append(style.Envs, e)
		if named {
			style.Labels = append(style.Labels, cmp.Or(p.name(p.kept, e), fmt.Sprintf("env %d", env)))
		}
		if p.kinds != nil {
			kind := ""
			if k, ok := knownComponent(p.components(p.kept), e, len(p.kinds)); ok {
				kind = p.kinds[k]
			}
			style.Kinds = append(style.Kinds, kind)
		}
	}
	var err error
	if p.layers != nil {
		if style.Layers, err = p.layers(ctx, p.kept, p.numbers); err != nil {
			return err
		}
	}
	err = export.WriteFile(p.path, func(w io.Writer) error {
		if p.format == formatSVG {
			return p.svg(w, p.kept, style)
		}
		return p.png(w, p.kept, style)
	})
	if errors.Is(err, export.ErrPicture) {
		return badInput(err) // for example, more pixels than allowed
	}
	return err
}

// Abort implements export.WriterOf. It does nothing, because nothing is written before Commit.
func (p *picture[B]) Abort() error { return nil }

// title returns the title, such as "12 polar tracks", "30 of 512 bezier tracks" or "4 invalid of 512 bezier tracks".
func (p *picture[B]) title() string {
	words := []string{fmt.Sprint(len(p.numbers))}
	if p.which != "" {
		words = append(words, p.which)
	}
	if len(p.numbers) < p.envs {
		words = append(words, "of", fmt.Sprint(p.envs))
	}
	if p.generator != "" {
		words = append(words, p.generator)
	}
	noun := p.noun
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
	return knownComponent(b.Component, e, components)
}

// knownComponent is componentOf for the components of a batch of any kind.
func knownComponent(list []int32, e, components int) (k int, ok bool) {
	if list == nil || list[e] < 0 || int(list[e]) >= components {
		return 0, false
	}
	return int(list[e]), true
}
