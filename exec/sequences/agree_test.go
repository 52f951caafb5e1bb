package sequences

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// keeping generates programs whose bodies keep the contract: while the mask a0, and so the flag f0, is zero they change
// no bit (R23). Nor do further iterations after a loop has copied the zeros of a2 to the mask (R38).
func keeping(seed uint64) []string {
	g := &generator{random: rand.New(rand.NewPCG(seed, 3))}
	lines := []string{"for c0 stream=s0", "fill c0 a2 0", "sync s0"}
	for range 2 + g.random.IntN(4) {
		s := g.stream()
		mask := line("write a0 %d", g.random.IntN(2))
		body := []string{"seed.advancemasked b0 a0", "seed.effectivemasked b0 a3 a0"}
		loop := line("loop c0 4 b0 first=%d every=%d flag=f0 {", g.random.IntN(2), 1+g.random.IntN(3))
		kind := g.one("skip c0 f0 b0 {", loop, "repeat c0 4 f0 b0 {")
		if kind[0] != 's' {
			body = append(body, "copy b0 a0 a2", "anyset b0 a0 f0")
		}
		work := slices.Concat([]string{"anyset c0 a0 f0", kind}, body, []string{"}", "seed.effective c0 a1"})
		lines = append(lines, "check", mask)
		switch g.random.IntN(3) {
		case 0:
			lines = append(append(lines, line("for c0 stream=%s %s", s, g.scope())), work...)
		case 1:
			lines = append(append(lines, "begin "+s, line("for c0 stream=%s %s", s, g.scope())), work...)
			lines = append(lines, line("end %s g0", s), line("replay %s g0", s), line("replay %s g0", s))
		default:
			lines = append(append(lines, line("run r1 c0 stream=%s %s {", s, g.scope())), work...)
			lines = append(lines, "}")
		}
	}
	return append(lines, "check")
}

// Programs that keep the contract give the same bits on every device and in every lowering (R38, R45).
func TestDevicesAgree(t *testing.T) {
	want := map[uint64][]string{}
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			b := k.open(t)
			for seed := range uint64(60) {
				calls, err := parse(strings.Join(keeping(seed), "\n"))
				require.NoError(t, err)
				wrong := k.watched(t, b, calls, nil)
				require.Nil(t, wrong, "%s\n%v", text(calls), wrong)
				var arrays []string
				for _, l := range strings.Split(transcript(t, k.abilities, text(calls)), "\n") {
					if strings.HasPrefix(l, "a0[") {
						arrays = append(arrays, l)
					}
				}
				if want[seed] == nil {
					want[seed] = arrays
				}
				require.Equal(t, want[seed], arrays, text(calls))
			}
			require.NoError(t, b.close())
		})
	}
}
