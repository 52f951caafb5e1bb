//go:build cgo

package main

import (
	"context"
	"encoding/json"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// gates is a producer of batches of gate courses.
type gates struct {
	producing
	lacking
	generator *gate.Generator
}

func newGates(d *device, text string, options []generation.Option) (producer, error) {
	c, err := readGates(text)
	if err != nil {
		return nil, err
	}
	g, err := gate.NewGenerator(d.Device, c, options...)
	if err != nil {
		return nil, err
	}
	return &gates{producing: producing{kind: kindGates}, lacking: kindGates, generator: g}, nil
}

// readGates reads a configuration of gate courses and checks it.
func readGates(text string) (gate.Config, error) {
	return readSettings(settings.Gates, gate.DefaultConfig(), text, gate.Config.Validate)
}

// resolveGates returns a configuration of gate courses with all settings.
func resolveGates(text string) (json.RawMessage, error) {
	c, err := readGates(text)
	if err != nil {
		return nil, err
	}
	return json.Marshal(export.GateConfig(c.Resolved()))
}

func (g *gates) config() (json.RawMessage, error) {
	return json.Marshal(export.GateConfig(g.generator.Config().Resolved()))
}

func (g *gates) results() []result {
	list := resultList{envs: g.generator.Sequence().Envs}
	list.gates("", g.generator.Sequence())
	list.seeds(g.generator.Seeds())
	return list.list
}

// gates adds a batch of gate courses.
func (l *resultList) gates(part string, s *gate.Sequence) {
	if s != nil {
		l.columns(part, gate.Schema.Device(&s.DeviceColumns), s.MaxGates)
	}
}

func (g *gates) generate(ctx context.Context) error {
	_, err := g.generator.Generate(ctx)
	return err
}

func (g *gates) regenerate(ctx context.Context, mask exec.Array[int32], sameEpoch bool) error {
	if sameEpoch {
		_, err := g.generator.Regenerate(ctx, mask, gate.SameEpoch())
		return err
	}
	_, err := g.generator.Regenerate(ctx, mask)
	return err
}

func (g *gates) setSeeds(ctx context.Context, values []int32) error {
	return g.generator.SetSeeds(ctx, values)
}

func (g *gates) setEpoch(ctx context.Context, epoch int32) error {
	return g.generator.SetEpoch(ctx, epoch)
}

func (g *gates) close() error { return g.generator.Close() }
