//go:build cgo && linux

package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
)

// A trial is a graph with conditionals that is replayed several times. Each replay begins with other flags, and with 0
// in everything else; so the same conditional is taken in one replay and not in another.
type trial struct {
	name  string
	loops bool // it is about loops
	steps []trialStep
	runs  []trialRun
}

// trialFlags is the number of flags of a trial, which are its first words. The others are words that the bodies change:
// one that they fillWord with 7, and three that their kernels count in.
const (
	trialFlags = 3
	trialWords = trialFlags + 4
)

// trialRun is one replay: the flags, and the other words that it must leave.
type trialRun struct {
	flags [trialFlags]uint32
	want  [trialWords - trialFlags]uint32
}

// trials are made when a device is opened, in this order. The bodies have kernels and fills.
var trials = []trial{
	{
		name:  "IF",
		steps: []trialStep{ifSet(0, fillWord, countIn(4)), ifSet(1, countIn(5))},
		runs: []trialRun{
			{flags: [3]uint32{1, 0}, want: [4]uint32{7, 1, 0}},
			{flags: [3]uint32{0, 1}, want: [4]uint32{0, 0, 1}},
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 1, 1}},
		},
	},
	{
		name:  "IF in IF",
		steps: []trialStep{ifSet(0, countIn(4), ifSet(1, fillWord, countIn(5)), countIn(6))},
		runs: []trialRun{
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 1, 1, 1}},
			{flags: [3]uint32{1, 0}, want: [4]uint32{0, 1, 0, 1}},
			{flags: [3]uint32{0, 1}, want: [4]uint32{}},
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 1, 1, 1}},
		},
	},
	{
		name:  "WHILE",
		loops: true,
		steps: []trialStep{whileSet(0, 3, fillWord, countIn(4)), whileSet(1, 1000, clearFlag(1), countIn(5))},
		runs: []trialRun{
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 3, 1}},
			{flags: [3]uint32{0, 0}, want: [4]uint32{}},
			{flags: [3]uint32{1, 0}, want: [4]uint32{7, 3, 0}},
		},
	},
	{
		name:  "WHILE in IF",
		loops: true,
		steps: []trialStep{ifSet(0, whileSet(1, 3, fillWord, countIn(4)), countIn(5))},
		runs: []trialRun{
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 3, 1}},
			{flags: [3]uint32{1, 0}, want: [4]uint32{0, 0, 1}},
			{flags: [3]uint32{0, 1}, want: [4]uint32{}},
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 3, 1}},
		},
	},
	{
		name:  "IF in WHILE",
		loops: true,
		steps: []trialStep{whileSet(0, 2, ifSet(1, fillWord, countIn(4)), countIn(5))},
		runs: []trialRun{
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 2, 2}},
			{flags: [3]uint32{1, 0}, want: [4]uint32{0, 0, 2}},
			{flags: [3]uint32{0, 1}, want: [4]uint32{}},
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 2, 2}},
		},
	},
	{
		name:  "WHILE in WHILE",
		loops: true,
		steps: []trialStep{whileSet(0, 2, whileSet(1, 3, fillWord, countIn(4)), countIn(5))},
		runs: []trialRun{
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 6, 2}},
			{flags: [3]uint32{1, 0}, want: [4]uint32{0, 0, 2}},
			{flags: [3]uint32{0, 1}, want: [4]uint32{}},
			{flags: [3]uint32{1, 1}, want: [4]uint32{7, 6, 2}},
		},
	},
	{
		name:  "IF in WHILE in IF",
		loops: true,
		steps: []trialStep{ifSet(0, whileSet(1, 2, ifSet(2, fillWord, countIn(4)), countIn(5)), countIn(6))},
		runs: []trialRun{
			{flags: [3]uint32{1, 1, 1}, want: [4]uint32{7, 2, 2, 1}},
			{flags: [3]uint32{1, 1, 0}, want: [4]uint32{0, 0, 2, 1}},
			{flags: [3]uint32{1, 0, 1}, want: [4]uint32{0, 0, 0, 1}},
			{flags: [3]uint32{0, 1, 1}, want: [4]uint32{}},
			{flags: [3]uint32{1, 1, 1}, want: [4]uint32{7, 2, 2, 1}},
		},
	},
}

// A trialStep emits a part of a trial, whose words are in b.
type trialStep func(s backend.Stream, b backend.Buffer) error

func wordOf(b backend.Buffer, i int64) backend.View {
	return backend.View{Buffer: b, Offset: 4 * i, Bytes: 4}
}

// fillWord fills the first word behind the flags.
func fillWord(s backend.Stream, b backend.Buffer) error { return s.Fill(wordOf(b, trialFlags), 7) }

// clearFlag sets a flag to 0.
func clearFlag(flag int64) trialStep {
	return func(s backend.Stream, b backend.Buffer) error { return s.Fill(wordOf(b, flag), 0) }
}

// countIn launches a kernel that adds 1 to a word.
func countIn(word int64) trialStep {
	return func(s backend.Stream, b backend.Buffer) error {
		return s.Launch(countDef, backend.Launch{N: 1, Buffers: []backend.View{wordOf(b, word)}})
	}
}

// ifSet emits an IF with a body.
func ifSet(flag int64, body ...trialStep) trialStep {
	return func(s backend.Stream, b backend.Buffer) error {
		return s.If(wordOf(b, flag), func(inner backend.Stream) error { return emitSteps(inner, b, body) })
	}
}

// whileSet emits a WHILE with a body.
func whileSet(flag int64, limit int32, body ...trialStep) trialStep {
	return func(s backend.Stream, b backend.Buffer) error {
		return s.(backend.Repeater).Repeat(wordOf(b, flag), limit,
			func(inner backend.Stream) error { return emitSteps(inner, b, body) })
	}
}

func emitSteps(s backend.Stream, b backend.Buffer, steps []trialStep) error {
	for _, emit := range steps {
		if err := emit(s, b); err != nil {
			return err
		}
	}
	return nil
}

// trialBench is what trials are made with: a stream, a buffer of trialWords words, and host memory for the words
// before a run and after it.
type trialBench struct {
	stream backend.Stream
	buffer backend.Buffer
	host   backend.HostBuffer
}

// newTrialBench makes a bench. If that fails, it returns the parts that it has made, which the caller closes too.
func newTrialBench(d *device) (b trialBench, err error) {
	if b.buffer, err = d.Alloc(4 * trialWords); err != nil {
		return b, err
	}
	if b.host, err = d.AllocHost(2 * 4 * trialWords); err != nil {
		return b, err
	}
	b.stream, err = d.NewStream()
	return b, err
}

func (b trialBench) close() (err error) {
	if b.stream != nil {
		err = b.stream.Close()
	}
	if b.host != nil {
		err = errors.Join(err, b.host.Close())
	}
	if b.buffer != nil {
		err = errors.Join(err, b.buffer.Close())
	}
	return err
}

// try makes a trial. If it shows that the driver does not have what the trial is about, or gets it wrong, try returns
// the reason. An error means that the device does not work.
func (b trialBench) try(t trial) (reason string, err error) {
	g, err := b.capture(t)
	if err != nil {
		return absent(err)
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	for i, run := range t.runs {
		got, err := b.replay(g, run.flags)
		if err != nil {
			return absent(err)
		}
		if got != run.want {
			return fmt.Sprintf("run %d with the flags %d gave %d, want %d", i, run.flags, got, run.want), nil
		}
	}
	return "", nil
}

// capture records the graph of a trial, which copies all words from the host before and to the host after.
func (b trialBench) capture(t trial) (backend.Graph, error) {
	s, all := b.stream, backend.View{Buffer: b.buffer, Bytes: 4 * trialWords}
	if err := s.BeginCapture(); err != nil {
		return nil, err
	}
	emitted := s.Upload(all, b.host, 0)
	if emitted == nil {
		emitted = emitSteps(s, b.buffer, t.steps)
	}
	if emitted == nil {
		emitted = s.Download(b.host, all.Bytes, all)
	}
	g, err := s.EndCapture()
	if err == nil && emitted != nil {
		err = g.Close()
	}
	if emitted != nil || err != nil {
		return nil, errors.Join(emitted, err)
	}
	return g, nil
}

// replay sets the words, replays the graph and returns the words behind the flags.
func (b trialBench) replay(g backend.Graph, flags [trialFlags]uint32) (
	got [trialWords - trialFlags]uint32, err error,
) {
	words := make([]byte, 4*trialWords)
	for i, value := range flags {
		binary.LittleEndian.PutUint32(words[4*i:], value)
	}
	copy(b.host.Bytes(), words)
	if err := errors.Join(b.stream.Replay(g), b.stream.Sync()); err != nil {
		return got, err
	}
	after := b.host.Bytes()[len(words):]
	for i := range got {
		got[i] = binary.LittleEndian.Uint32(after[4*(trialFlags+i):])
	}
	return got, nil
}
