package sequences

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kept lists programs that once revealed a fault, or that show the effect of a rule in a few calls.
var kept = []struct{ name, program string }{
	{"a useless mask leaves the flag unchanged", `
		for c2 stream=s2
		close a1
		anyset c2 a1 f0
		check`},
	{"contexts outside of a body that is open", `
		for c0 stream=s1
		with c1 c0
		for c2 stream=s1
		skip c0 f0 b0 {
		  launch b0 a0
		  launch c1 a1
		  launch c2 a2
		  for c3 ambient=c0
		  for c3 ambient=b0
		}
		err c0
		err c2
		check`},
	{"calls that begin from a context on the stream of a body", `
		for c0 stream=s1
		for c1 stream=s1
		skip c0 f0 b0 {
		  for c2 ambient=c1
		  for c3 on=c1
		}
		err c0
		check`},
	{"another producer on the stream of a body", `
		begin s1
		for c0 stream=s1
		loop c0 2 b0 flag=f0 {
		  run r0 b1 ambient=b0 {
		    launch b1 a0
		  }
		  run r1 b1 stream=s1 {
		    launch b1 a1
		  }
		}
		err c0
		end s1 g0
		replay s1 g0
		check`},
	{"contexts that outlive their body", `
		for c0 stream=s1
		skip c0 f0 b0 {
		  with c1 b0
		  for c2 ambient=b0
		  launch c1 a0
		  launch c2 a1
		}
		launch b0 a0
		for c3 stream=s1
		launch c2 a1
		launch c3 a2
		check`},
	{"work of another goroutine while a body is open", `
		for c0 stream=s1
		loop c0 2 b0 {
		  go {
		    for d0 stream=s1
		    launch d0 a0
		  }
		  chain b0 a0 1
		}
		check`},
	{"registrations of one capture on two streams, and of two captures of one", `
		foreign.begin t0 mode=global
		register q0 t0
		foreign.record t0 u0
		foreign.wait t1 u0
		register q1 t1 conditional
		for c1 reg=q1
		skip c1 f1 b0 {
		  launch b0 a0
		}
		foreign.record t1 u1
		foreign.wait t0 u1
		foreign.end t0 h0
		foreign.begin t0 mode=global
		register q2 t0 conditional
		for c0 reg=q2
		skip c0 f1 b0 {
		  launch b0 a1
		}
		register.end q0
		register.end q1
		register.end q2
		foreign.end t0 h1
		foreign.launch t0 h0
		foreign.launch t0 h1
		check`},
	{"no loop waits while a foreigner captures in global mode", `
		foreign.begin t0 mode=global
		register q0 t0 mode=global
		for c0 stream=s1 scope=p
		loop c0 3 b0 flag=f1 {
		  launch b0 a0
		}
		register.end q0
		loop c0 3 b0 flag=f1 {
		  launch b0 a1
		}
		foreign.end t0 h0
		check`},
	{"a legacy producer that calls other producers", `
		run r4 b0 stream=s1 {
		  legacy b0 b1 {
		    raw a0
		    run r0 b2 {
		      chain b2 a0 1
		    }
		    run r1 b2 ambient=b1 {
		      launch b2 a1
		    }
		    legacy b1 b2 {
		      raw a0
		    }
		  }
		}
		check`},
	{"a loop that ends", `
		begin s1
		for c0 stream=s1
		repeat c0 9 f2 b0 {
		  launch b0 f2
		  chain b0 a0 1
		}
		loop c0 9 b0 first=1 every=2 flag=f0 {
		  launch b0 a1
		  fill b0 f0 0
		}
		end s1 g0
		replay s2 g0
		check`},
	{"an event of a capture that has ended, and a broken one of that stream", `
		foreign.begin t1 mode=thread
		record t1 e0
		foreign.end t1 h1
		foreign.begin t1 mode=thread
		foreign.record t0 u0
		foreign.wait t1 u0
		wait s2 e0`},
	{"a graph keeps its arrays", `
		begin s1
		for c0 stream=s1
		chain c0 a0 1
		skip c0 f0 b0 {
		  copy b0 a1 a0
		}
		end s1 g0
		run r0 b0 stream=s1 {
		  copy b0 a2 a0
		}
		close a0
		new a0
		replay s1 g0
		replay s2 g0
		run r0 b0 stream=s1 {
		}
		check`},
	{"an unconditional call inside the body of a conditional", `
		begin s1
		for c0 stream=s1
		skip c0 f0 b0 {
		  uncond c1 b0
		  skip c1 f1 b1 {
		    launch b1 a0
		  }
		  run r0 b1 ambient=b0 scope=u {
		    skip b1 f1 b2 {
		      launch b2 a1
		    }
		  }
		}
		end s1 g0
		replay s1 g0
		check`},
	{"a body after work was refused to another context", `
		for c0 stream=s1
		for c1 stream=s1
		loop c0 2 b0 {
		  launch b0 a0
		  launch c1 a1
		  launch b0 a2
		}
		check`},
	{"a run on an array that was named through a context made inside", `
		run r0 b0 stream=s1 {
		  for c1 ambient=b0
		  launch c1 a0
		}
		close a0
		run r0 b0 stream=s1 {
		  for c1 ambient=b0
		  launch c1 a0
		}`},
	{"keys, and a runner that was not prepared", `
		run r0 b0 key=1 {
		  launch b0 a0
		}
		prepare r0 b0 {
		  launch b0 a0
		}
		run r0 b0 key=1 {
		  launch b0 a0
		}
		run r0 b0 key=2 {
		  launch b0 a1
		}
		run r0 b0 key=3 {
		  launch b0 a2
		}
		run r0 b0 key=1 {
		  launch b0 a3
		}
		check`},
	{"a broken capture on the stream of a registration that has expired", `
		foreign.begin t0 mode=global
		register q0 t0 mode=global conditional
		foreign.end t0 h1
		foreign.begin t0 mode=thread
		foreign.record t1 u0
		foreign.wait t0 u0
		prepare r3 b0 scope=u {
		}`},
	{"a registered capture in global mode that is broken", `
		foreign.begin t0 mode=global
		register q0 t0 mode=global
		prepare r0 b0 {
		}
		foreign.record t1 u0
		foreign.wait t0 u0
		prepare r1 b0 {
		  chain b0 a0 1
		}
		loop b0 3 b1 flag=f1 {
		  launch b1 a0
		}
		foreign.end t0 h0
		prepare r2 b0 {
		}
		check`},
}

// Programs that once revealed a fault follow the rules on every device.
func TestKeptPrograms(t *testing.T) { // D17, R118d, R118e, R72, R78, R30, R116
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			b := k.open(t)
			for _, p := range kept {
				calls, err := parse(p.program)
				require.NoError(t, err)
				if wrong := k.watched(t, b, calls, nil); wrong != nil {
					t.Errorf("%s\n%s\n%v", p.name, text(calls), wrong)
				}
			}
			require.NoError(t, b.close())
		})
	}
}

// transcript returns the model's results for a program: each call, the calls of its body, and its result.
func transcript(t *testing.T, a abilities, program string) string {
	t.Helper()
	calls, err := parse(program)
	require.NoError(t, err)
	m := newModel(a)
	m.interpret(calls)
	var b strings.Builder
	for _, e := range m.entries {
		b.WriteString(e.text)
		if e.skip {
			b.WriteString(" (not made)")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// transcripts are programs small enough that the model's results show the rules.
var transcripts = []struct{ program, want string }{
	{"begin s1\n for c0 stream=s1\n skip c0 f1 b0 {\n launch b0 a0\n }\n end s1 g0\n replay s1 g0\n sync s1\n" +
		"write f1 3\n replay s1 g0\n check", `
		begin s1
		ok
		for c0 stream=s1
		ok
		skip c0 f1 b0
		launch b0 a0
		ok
		ok conditional
		end s1 g0
		ok
		replay s1 g0
		ok
		sync s1
		ok
		write f1 3
		ok
		replay s1 g0
		ok
		check
		a0[1 1 2 3] a1[1 0 1 2] a2[2 0 1 2] a3[3 0 1 2] a4[7 0 9 0 1 1] a5[7 0 9 0 1 1] ` +
		`f0[1] f1[3] f2[-2] seeds[40 41 42 43] epochs[0 0 0 0]`},
	{"for c0 stream=s1\n skip c0 f1 b0 {\n launch c0 a0\n }", `
		for c0 stream=s1
		ok
		skip c0 f1 b0
		launch c0 a0
		capture
		capture`},
	{"for c0 stream=s1\n launch c0 a0\n for c1 stream=s2\n launch c1 a0\n record s1 e0\n wait s2 e0\n launch c1 a0", `
		for c0 stream=s1
		ok
		launch c0 a0
		ok
		for c1 stream=s2
		ok
		launch c1 a0 (not made)
		record s1 e0
		ok
		wait s2 e0
		ok
		launch c1 a0
		ok`},
	{"begin s1\n record s1 e0\n wait s2 e0\n for c0 stream=s2\n launch c0 a0\n end s1 g0", `
		begin s1
		ok
		record s1 e0
		ok
		wait s2 e0
		ok
		for c0 stream=s2
		ok
		launch c0 a0
		ok
		end s1 g0
		capture`},
	{"run r0 b0 key=1 {\n }\n run r1 b0 {\n run r1 b0 {\n }\n }", `
		run r0 b0 key=1
		unprepared prepared=false keys= whole=false parts=0 warned=false
		run r1 b0
		run r1 b0
		concurrent prepared=false keys= whole=false parts=0 warned=false
		ok prepared=false keys= whole=false parts=0 warned=false`},
}

// The model follows the rules.
func TestModel(t *testing.T) {
	gpu := abilities{ownGraphs: true, conditionals: true, while: true, foreign: true}
	for _, test := range transcripts {
		want := strings.ReplaceAll(strings.TrimSpace(test.want), "\t", "") + "\n"
		assert.Equal(t, want, transcript(t, gpu, test.program), test.program)
	}
}
