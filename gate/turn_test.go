package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/gate"
)

// Turns are measured in courses of every size. The squares of areas, from which a sine could be computed, exceed a
// float32 where gates are 1e12 apart, and vanish where they are 1e-11 apart.
func TestTurnsInCoursesOfEverySize(t *testing.T) {
	device := openCPU(t)
	for name, c := range map[string]gate.Config{
		"huge": configOf(gate.Bezier, 6, func(c *gate.Config) {
			c.Scale, c.Gate.Radius, c.Gate.SizeRange = 1e6, 1e6, gate.Range{Min: 1e6, Max: 1e6}
			c.Gate.SeparationSweeps = 100
		}),
		"tiny": configOf(gate.Bezier, 6, func(c *gate.Config) { c.Scale, c.Gate.Radius, c.Gate.Width = 1e-10, 0, 0 }),
		"unit": configOf(gate.Bezier, 6, func(c *gate.Config) { c.Gate.Radius = 0 }),
	} {
		c.Validity.MaxTurn = 1.58 // just above a right angle, which an infinite sine gives
		assert.Zero(t, generate(t, device, c).NumValid(), "%s: every course has a sharper turn", name)
		c.Validity.MaxTurn, c.Validity.MinTurn = 0, 1e-3
		assert.Equal(t, 6, generate(t, device, c).NumValid(), "%s: no course goes straight on at a gate", name)
	}
}
