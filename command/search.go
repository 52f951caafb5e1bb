package command

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen"
)

// search generates and labels the tracks of a plan, if there is a condition, and leaves those in the plan that match. A
// track follows from its seed and epoch, so that the plan has the seeds of these. It returns an error of the input if
// none matches.
func (a *app) search(ctx context.Context, f generateFlags, files []target, p *plan) (err error) {
	f.labels.device = f.device
	if err := probe(files); err != nil {
		return err
	}
	labeller, err := f.labels.open(a, f.quiet, "")
	if err != nil || labeller == nil {
		return err
	}
	defer func() { err = errors.Join(err, labeller.close()) }()
	if err := p.checkDevice(labeller.device); err != nil {
		return err
	}
	all := p.config.NumEnvs
	bar := newProgress(a.screen(f.quiet), "searching", thingsOf(courseTracks), all)
	defer bar.Done()
	var seeds []int32
	_, err = p.generate(ctx, labeller.device, func(chunk *trackgen.Batch) error {
		defer bar.Add(chunk.Envs)
		matches, err := labeller.matching(ctx, chunk)
		if err != nil {
			return err
		}
		for e, seed := range chunk.Seed {
			if matches(e) {
				seeds = append(seeds, seed)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	bar.Finish()
	if len(seeds) == 0 {
		return badInputf("none of %s matches --where", tracksText(all))
	}
	p.seeds, p.config.NumEnvs, p.chunk = seeds, len(seeds), min(p.chunk, len(seeds))
	if !f.quiet {
		a.message("%d of %s match --where", len(seeds), tracksText(all))
	}
	return nil
}
