//go:build cgo && linux

package cuda

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
)

// machine makes the same calls on a device and on the CPU, which is the model.
type machine struct {
	device  backend.Device
	streams []backend.Stream
	events  []backend.Event
	buffer  backend.Buffer
	host    backend.HostBuffer
	graph   backend.Graph
}

// machineWords is the number of words of the buffer. They are both data and flags of conditionals.
const machineWords = 24

func newMachine(t *rapid.T, device backend.Device) *machine {
	m := &machine{device: device}
	for range 3 {
		s, err := device.NewStream()
		require.NoError(t, err)
		e, err := device.NewEvent()
		require.NoError(t, err)
		m.streams, m.events = append(m.streams, s), append(m.events, e)
	}
	var err error
	m.buffer, err = device.Alloc(4 * machineWords)
	require.NoError(t, err)
	m.host, err = device.AllocHost(4 * machineWords)
	require.NoError(t, err)
	return m
}

func (m *machine) close(t *rapid.T) {
	if m.graph != nil {
		require.NoError(t, m.graph.Close())
	}
	for i := range m.streams {
		require.NoError(t, m.streams[i].Close())
		require.NoError(t, m.events[i].Close())
	}
	require.NoError(t, m.buffer.Close())
	require.NoError(t, m.host.Close())
}

func (m *machine) view(first, words int) backend.View {
	return backend.View{Buffer: m.buffer, Offset: int64(4 * first), Bytes: int64(4 * words)}
}

// read returns the words after all work has run.
func (m *machine) read(t *rapid.T) []byte {
	for _, s := range m.streams {
		require.NoError(t, s.Sync())
	}
	require.NoError(t, m.streams[0].Download(m.host, 0, m.view(0, machineWords)))
	require.NoError(t, m.streams[0].Sync())
	return bytes.Clone(m.host.Bytes())
}

// step is one operation. It is called with the machine and the stream on which to emit.
type step func(m *machine, s backend.Stream) error

// drawStep draws an operation on the words [first, end). Conditionals and loops have further drawn operations inside.
func drawStep(t *rapid.T, first, end, depth int) step {
	at := rapid.IntRange(first, end-1).Draw(t, "at")
	words := rapid.IntRange(1, end-at).Draw(t, "words")
	kinds := 4
	if depth < 3 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return func(m *machine, s backend.Stream) error { return increment(s, m.view(at, words)) }
	case 1:
		term := rapid.Int32().Draw(t, "term")
		return func(m *machine, s backend.Stream) error {
			return s.Launch(&kernels.ChainDef, backend.Launch{N: int32(words), Buffers: []backend.View{m.view(at, words)},
				Scalars: []uint32{uint32(term)}})
		}
	case 2:
		pattern := rapid.Uint32Range(0, 2).Draw(t, "pattern")
		return func(m *machine, s backend.Stream) error { return s.Fill(m.view(at, words), pattern) }
	case 3:
		from := rapid.IntRange(first, end-1).Draw(t, "from")
		words := min(words, end-from, max(at-from, from-at))
		return func(m *machine, s backend.Stream) error { return s.Copy(m.view(at, words), m.view(from, words)) }
	}
	flag := rapid.IntRange(first, end-1).Draw(t, "flag")
	limit := rapid.Int32Range(0, 4).Draw(t, "limit")
	inside := drawSteps(t, first, end, depth+1)
	return func(m *machine, s backend.Stream) error {
		body := func(in backend.Stream) error { return inside(m, in) }
		if limit == 0 {
			return s.If(m.view(flag, 1), body)
		}
		return s.(backend.Repeater).Repeat(m.view(flag, 1), limit, body)
	}
}

func drawSteps(t *rapid.T, first, end, depth int) step {
	steps := make([]step, rapid.IntRange(0, 5).Draw(t, "steps"))
	for i := range steps {
		steps[i] = drawStep(t, first, end, depth)
	}
	return func(m *machine, s backend.Stream) error {
		for _, step := range steps {
			if err := step(m, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// A capture with forks, joins, nested conditionals and loops, and a replay of an earlier graph has the same effect as
// on the CPU, in whatever order the driver runs independent operations.
func TestCapturesAgainstTheCPU(t *testing.T) {
	start(t, 12080, 77)
	d := openTest(t)
	cpu, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, cpu.Close()) }()
	rapid.Check(t, func(t *rapid.T) {
		machines := []*machine{newMachine(t, d), newMachine(t, cpu)}
		both := func(do func(m *machine) error) {
			errs := [2]error{do(machines[0]), do(machines[1])}
			require.NoError(t, errs[0])
			require.NoError(t, errs[1])
		}
		for range rapid.IntRange(1, 3).Draw(t, "graphs") {
			// Between the fork and the join, each stream works on its own range of words.
			parts := [3]step{drawSteps(t, 0, 8, 0), drawSteps(t, 8, 16, 0), drawSteps(t, 16, 24, 0)}
			before, after := drawSteps(t, 0, machineWords, 0), drawSteps(t, 0, machineWords, 0)
			again := rapid.Bool().Draw(t, "again")
			both(func(m *machine) error {
				s := m.streams
				if err := s[0].BeginCapture(); err != nil {
					return err
				}
				if err := before(m, s[0]); err != nil {
					return err
				}
				if m.graph != nil && again {
					if err := s[0].Replay(m.graph); err != nil {
						return err
					}
				}
				if err := s[0].Record(m.events[0]); err != nil {
					return err
				}
				for i := range s {
					if i > 0 {
						if err := s[i].Wait(m.events[0]); err != nil {
							return err
						}
					}
					if err := parts[i](m, s[i]); err != nil {
						return err
					}
				}
				for i := 1; i < len(s); i++ {
					if err := s[i].Record(m.events[i]); err != nil {
						return err
					}
					if err := s[0].Wait(m.events[i]); err != nil {
						return err
					}
				}
				if err := after(m, s[0]); err != nil {
					return err
				}
				g, err := s[0].EndCapture()
				if err != nil {
					return err
				}
				if m.graph != nil {
					if err := m.graph.Close(); err != nil {
						return err
					}
				}
				m.graph = g
				return nil
			})
			eager := rapid.Uint32Range(0, 3).Draw(t, "eager")
			for range 2 {
				both(func(m *machine) error { return m.streams[1].Replay(m.graph) })
				both(func(m *machine) error { return m.streams[1].Record(m.events[1]) })
				both(func(m *machine) error { return m.streams[2].Wait(m.events[1]) })
				both(func(m *machine) error { return m.streams[2].Fill(m.view(3, 2), eager) })
				both(func(m *machine) error { return m.streams[2].Record(m.events[2]) })
				both(func(m *machine) error { return m.streams[1].Wait(m.events[2]) })
				both(func(m *machine) error { return m.streams[1].Sync() })
			}
			require.Equal(t, machines[1].read(t), machines[0].read(t))
		}
		for _, m := range machines {
			m.close(t)
		}
	})
}
