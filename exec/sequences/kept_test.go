package sequences

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// kept are programs that have shown a fault, or that show in few calls what a rule asks for.
var kept = []struct{ name, program string }{
	{"a mask of no use leaves the flag as it is", // R30
		`for c2 stream=s2
		close a1
		anyset c2 a1 f0
		check`},
}

// Programs that have shown a fault go on doing what the rules say on every device.
func TestKeptPrograms(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			for _, p := range kept {
				t.Run(p.name, func(t *testing.T) {
					calls, err := parse(p.program)
					require.NoError(t, err)
					b := k.open(t)
					if wrong := k.watched(t, b, calls, nil); wrong != nil {
						t.Errorf("%s\n%v", text(calls), wrong)
					}
					require.NoError(t, b.close())
				})
			}
		})
	}
}
