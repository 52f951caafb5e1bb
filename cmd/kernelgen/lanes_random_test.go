package main

import (
	"flag"
	"testing"
	"time"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/hostrun"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/random"
)

// TestRandomLanes compares random kernels in lanes with the Go functions.
func TestRandomLanes(t *testing.T) {
	legs := []random.Leg{random.Lanes("lanes", nil, append(hostrun.AVX2, "-O1")...)}
	compareRandom(t, legs, seeds(*lanesFirst, *lanesCount), time.Minute)
}

var lanesFirst = flag.Uint64("lanes.first", 1, "")
var lanesCount = flag.Int("lanes.count", 16, "")
