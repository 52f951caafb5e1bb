package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// candidateRow is the result of generating with one number of candidates.
type candidateRow struct {
	Generator  string  `json:"generator"`
	Candidates int     `json:"candidates"`
	Envs       int     `json:"envs"`
	Valid      int     `json:"valid"`
	Redrawn    int     `json:"redrawn"` // tracks that are not their env's first candidate
	Yield      float64 `json:"yield"`
}

// compareCandidates generates with each number of candidates.
func compareCandidates(
	device backend.Device, config track.Config, seed int32, candidates []int,
) ([]candidateRow, error) {
	var rows []candidateRow
	for _, n := range candidates {
		config.Candidates = n
		batch, err := generate(device, config, seed)
		if err != nil {
			return nil, err
		}
		row := candidateRow{Generator: config.Generator, Candidates: n, Envs: config.NumEnvs, Valid: batch.NumValid()}
		for _, k := range batch.Candidate {
			if k > 0 {
				row.Redrawn++
			}
		}
		row.Yield = float64(row.Valid) / float64(config.NumEnvs)
		rows = append(rows, row)
	}
	return rows, nil
}

func generate(device backend.Device, config track.Config, seed int32) (_ *track.Batch, err error) {
	generator, err := track.NewGenerator(device, config, track.WithSeed(seed))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	return generator.Track().Batch(context.Background())
}

// printCandidates prints the yield with each number of candidates.
func printCandidates(w io.Writer, rows []candidateRow) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nyield of the best of several candidates; redrawn: tracks that are not the first candidate of "+
		"their env\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "generator\tcandidates\tenvs\tvalid\tredrawn\tyield\t")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%.4f\t\n", r.Generator, r.Candidates, r.Envs, r.Valid, r.Redrawn, r.Yield)
	}
	return table.Flush()
}
