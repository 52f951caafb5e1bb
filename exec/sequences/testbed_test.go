package sequences

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
)

// close closes the devices.
func (b *testbed) close() error {
	defer b.after()
	return errors.Join(b.device.Close(), b.closeRest())
}

// closeRest closes everything except the device.
func (b *testbed) closeRest() error {
	var err error
	if b.foreigner != nil {
		err = b.foreigner.close()
	}
	err = errors.Join(err, b.other.Close())
	if err == nil {
		err = b.complain()
	}
	return err
}

// complain returns the misuse that an emulated driver has detected.
func (b *testbed) complain() error {
	if b.complaint != nil {
		if complaint := b.complaint(); complaint != "" {
			return fmt.Errorf("the driver complains: %s", complaint)
		}
	}
	return nil
}

// epilogue ends what a program may have left open, and inspects everything, replaying each graph once more.
func epilogue(a abilities) []call {
	lines := []string{"state s0", "state s1", "state s2", "state s3"}
	if a.foreign {
		for i, name := range foreignNames {
			lines = append(lines, "state "+name, fmt.Sprintf("end %s g9", name), fmt.Sprintf("foreign.destroy h%d", 8+i),
				fmt.Sprintf("foreign.end %s h%d", name, 8+i))
		}
		lines = append(lines, "foreign.end t0 h7", "register.end q0", "register.end q1", "register.end q2")
	}
	for i, name := range streamNames {
		lines = append(lines, fmt.Sprintf("end %s g%d", name, 5+i))
	}
	lines = append(lines, "check")
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("replay s0 g%d", i))
	}
	lines = append(lines, "check")
	if a.foreign {
		for i := range 10 {
			lines = append(lines, fmt.Sprintf("foreign.launch t0 h%d", i))
		}
		lines = append(lines, "check")
	}
	calls, err := parse(strings.Join(lines, "\n"))
	if err != nil {
		panic(err)
	}
	return calls
}

// try runs a program on the device and returns the first difference from the rules, nil if there is none. If leave is
// not nil, it leaves random objects open and closes the device, which must list them.
func (b *testbed) try(a abilities, calls []call, leave *rand.Rand) (wrong *mismatch, err error) {
	calls = append(calls[:len(calls):len(calls)], epilogue(a)...)
	m := newModel(a)
	m.interpret(calls)
	x, err := newExecutor(b.device, b.other, b.foreigner)
	if err != nil {
		return nil, errors.Join(err, x.close())
	}
	x.entries = m.entries
	x.interpret(calls)
	wrong = x.wrong
	if wrong == nil && x.at != len(x.entries) {
		wrong = &mismatch{call: "the end", want: x.entries[x.at].text, got: "nothing", at: x.at}
	}
	if complaint := b.complain(); wrong == nil && complaint != nil {
		wrong = &mismatch{call: "the end", want: "no complaint", got: complaint.Error()}
	}
	if leave != nil {
		if left := b.leave(m, x, leave); wrong == nil {
			wrong = left
		}
		return wrong, nil
	}
	if err := x.close(); wrong == nil && err != nil {
		wrong = &mismatch{call: "the end", want: "close everything", got: err.Error()}
	}
	return wrong, nil
}

// leave closes the device while some objects of the program are open: the device lists them and releases them.
func (b *testbed) leave(m *model, x *executor, random *rand.Rand) *mismatch {
	defer b.after()
	want := x.forget(m, random)
	err := x.close()
	got := b.device.Close()
	again := b.device.Close()
	rest := b.closeRest()
	if err == nil {
		err = errors.Join(again, rest)
	}
	if !maps.Equal(want, leaks(got)) {
		return &mismatch{call: "close the device", want: fmt.Sprint("open: ", want), got: fmt.Sprint(got)}
	}
	if err != nil {
		return &mismatch{call: "close the device and the rest", want: "ok", got: err.Error()}
	}
	return nil
}

// forget removes some open objects from those that the executor closes, and returns how many there are of each kind.
func (x *executor) forget(m *model, random *rand.Rand) map[string]int {
	counts := map[string]int{}
	left := func(kind string, open bool) bool {
		if !open || random.IntN(2) == 0 {
			return false
		}
		counts[kind]++
		return true
	}
	for _, name := range arrayNames {
		if left("buffer", !m.arrays[name].closed) {
			delete(x.arrays, name)
		}
	}
	for _, name := range streamNames[1:] {
		if left("stream", !m.streams[name].closed) {
			delete(x.streams, name)
		}
	}
	for _, name := range eventNames {
		if left("event", !m.events[name].closed) {
			delete(x.events, name)
		}
	}
	for i := range 10 {
		name := fmt.Sprint("g", i)
		if g := m.graphs[name]; left("graph", g != nil && !g.closed) {
			delete(x.graphs, name)
		}
	}
	return counts
}
