package backendtest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestVerdict(t *testing.T) {
	pass := result{}
	failure := result{messages: []string{"wrong"}}
	refusal := result{messages: []string{"refused"}, err: &backend.UnsupportedError{Device: "d", Op: "o"}}
	for _, tc := range []struct {
		r                     result
		unsupported, expected string
		want                  outcome
		text                  string
	}{
		{pass, "", "", passes, ""},
		{failure, "", "", fails, "wrong"},
		{refusal, "", "", fails, "refused"},
		{pass, "reason", "", fails, "take it off the list"},
		{failure, "reason", "", fails, "does not match ErrUnsupported"},
		{refusal, "reason", "", skips, "unsupported: reason"},
		{pass, "", "reason", fails, "take it off the list"},
		{failure, "", "reason", skips, "fails as expected: reason"},
		{refusal, "", "reason", skips, "fails as expected: reason"},
		{failure, "reason", "reason", fails, "both lists"},
	} {
		got, text := verdict(tc.r, tc.unsupported, tc.expected)
		require.Equal(t, tc.want, got, "%+v", tc)
		require.Contains(t, text, tc.text)
	}
}

func TestNamesAreUnique(t *testing.T) {
	names := Names()
	slices.Sort(names)
	require.Equal(t, slices.Compact(slices.Clone(names)), names)
	for _, name := range names {
		require.Equal(t, 1, strings.Count(name, "/"), name)
	}
}

// Every failure of a case is reported: a fatal failure, a panic, and a resource that cannot be closed.
func TestExecuteReportsFailures(t *testing.T) {
	for text, run := range map[string]func(c *check){
		"run_test.go": func(c *check) { c.errorf("text") },
		"doing: why":  func(c *check) { c.ok(errors.New("why"), "doing"); panic("it goes on") },
		"panic: text": func(*check) { panic("text") },
		"cleaning up": func(c *check) { c.later(func() error { return errors.New("text") }) },
		"want one of": func(c *check) { c.refused(nil, "doing", backend.ErrInvalid) },
	} {
		r := execute(testCase{name: "a/b", run: run}, nil, nil)
		require.Len(t, r.messages, 1, text)
		require.Contains(t, r.messages[0], text)
	}
}

// faulty is a device whose streams make one error.
type faulty struct {
	backend.Device
	wrap func(backend.Stream) backend.Stream
}

func (f faulty) DefaultStream() backend.Stream { return f.wrap(f.Device.DefaultStream()) }

func (f faulty) NewStream() (backend.Stream, error) {
	s, err := f.Device.NewStream()
	return f.wrap(s), err
}

type forgetsFills struct{ backend.Stream }

func (s forgetsFills) Fill(dst backend.View, pattern uint32) error {
	if dst.Bytes > margin {
		dst.Bytes -= 4
	}
	return s.Stream.Fill(dst, pattern)
}

type missesLastItem struct{ backend.Stream }

func (s missesLastItem) Launch(def *kernel.Def, l backend.Launch) error {
	l.N = max(l.N-1, min(l.N, 1))
	return s.Stream.Launch(def, l)
}

type writesBeyond struct{ backend.Stream }

func (s writesBeyond) Upload(dst backend.View, src backend.HostBuffer, offset int64) error {
	if err := s.Stream.Upload(dst, src, offset); err != nil || dst.Bytes == 0 ||
		dst.Bytes+dst.Offset+4 > dst.Buffer.Bytes() {
		return err
	}
	return s.Fill(backend.View{Buffer: dst.Buffer, Offset: dst.Offset + dst.Bytes, Bytes: 4}, 0)
}

type runsWhileCapturing struct{ backend.Stream }

func (s runsWhileCapturing) Launch(def *kernel.Def, l backend.Launch) error {
	if s.Capture() != backend.CaptureNone && s.Device().DefaultStream().Capture() == backend.CaptureNone {
		_ = s.Device().DefaultStream().Launch(def, l)
	}
	return s.Stream.Launch(def, l)
}

// The suite detects errors of a device.
func TestSuiteFindsFaults(t *testing.T) {
	for name, fault := range map[string]struct {
		wrap func(backend.Stream) backend.Stream
		in   []string
	}{
		"the last word of a fill": {func(s backend.Stream) backend.Stream { return forgetsFills{s} },
			[]string{"transfer/fill", "stream/kinds of work in order"}},
		"the last item of a launch": {func(s backend.Stream) backend.Stream { return missesLastItem{s} },
			[]string{"launch/item counts", "launch/group reduction", "launch/atomics", "stream/order"}},
		"a word beyond an upload": {func(s backend.Stream) backend.Stream { return writesBeyond{s} },
			[]string{"transfer/upload and download", "launch/item counts"}},
		"a capture that runs": {func(s backend.Stream) backend.Stream { return runsWhileCapturing{s} },
			[]string{"capture/records and does not run", "capture/replay"}},
	} {
		device, err := backend.Open("cpu")
		require.NoError(t, err)
		for _, tc := range cases() {
			if !slices.Contains(fault.in, tc.name) {
				continue
			}
			healthy := execute(tc, device, nil)
			require.Empty(t, healthy.messages, "%s: %s", name, tc.name)
			r := execute(tc, faulty{device, fault.wrap}, nil)
			require.NotEmpty(t, r.messages, "%s is not found by %s", name, tc.name)
		}
		require.NoError(t, device.Close(), name)
	}
}
