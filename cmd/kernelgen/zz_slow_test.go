//go:build slow

package main

import (
	"testing"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/random"
)

func TestZZ(t *testing.T) {
	var legs []random.Leg
	for _, l := range append(vulkanLegs(t), ptxLeg(t)) { if strings.Contains(l.Name,"SwiftShader") || l.Name=="PTX" { legs=append(legs,l) } }
	checker := &random.Checker{Vocabulary: loadVocabulary(t), Root: "../..", Legs: legs}
	var programs []random.Program
	for s := uint64(710001); len(programs)<64; s+=1 { if s%2==0 { programs=append(programs, random.Generate(s)) } }
	for _, s := range []uint64{710246,710398,710478,711020,711112,711136,720058,720316,720662,720860,720976,721190} { programs=append(programs, random.Generate(s)) }
	failures, _ := checker.Check(t, programs)
	for _, f := range failures { t.Errorf("seed %d differs on %s: %v", f.Program.Seed, f.Leg, f.Difference) }
	t.Log(checker.Unsettled, checker.Written)
}
