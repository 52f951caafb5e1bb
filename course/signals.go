package course

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/progress"
)

// Signals are what a step finds, in device memory: the results of the components, which every step fills again. What a
// course does not look for is nil.
type Signals struct {
	Events *progress.Events         // of the agents: checkpoints passed, laps, places
	Posts  *collision.DiscContacts  // of the boxes with the posts of gates
	Frames *collision.FrameContacts // of the agents with the frames of gates
}

// HostSignals are signals in host memory. What a course does not look for is nil.
type HostSignals struct {
	Events *progress.HostEvents
	Posts  *collision.HostDiscContacts
	Frames *collision.HostFrameContacts
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the signals to host memory.
// It returns exec.ErrCapture inside a capture.
func (s *Signals) Read(ctx context.Context) (*HostSignals, error) {
	if s == nil {
		return nil, &backend.ArgumentError{Op: prefix + "read", Argument: "signals", Value: nil, Allowed: "those of a course"}
	}
	host := new(HostSignals)
	var err error
	if host.Events, err = s.Events.Read(ctx); err != nil {
		return nil, during("read", err)
	}
	if s.Posts != nil {
		if host.Posts, err = s.Posts.Read(ctx); err != nil {
			return nil, during("read", err)
		}
	}
	if s.Frames != nil {
		if host.Frames, err = s.Frames.Read(ctx); err != nil {
			return nil, during("read", err)
		}
	}
	return host, nil
}

// signals returns the results of the components.
func (t *tools) signals() *Signals {
	return &Signals{Events: t.tracker.Events(), Posts: t.posts.Contacts(), Frames: t.frames.Contacts()}
}
