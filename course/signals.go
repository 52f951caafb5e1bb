package course

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
)

// Signals are what a step finds, in device memory: the results of the components, which every step fills again. What a
// course does not look for is nil.
type Signals struct {
	Events   *progress.Events         // of the agents: checkpoints passed, laps, places
	Places   *localise.Frames         // of the agents along the line
	Contacts *collision.Contacts      // of the boxes with the borders of tracks
	Posts    *collision.DiscContacts  // of the boxes with the posts of gates
	Frames   *collision.FrameContacts // of the agents with the frames of gates
	Others   *collision.AgentContacts // of the boxes of an env with each other
}

// HostSignals are signals in host memory. What a course does not look for is nil.
type HostSignals struct {
	Events   *progress.HostEvents
	Places   *localise.Batch
	Contacts *collision.HostContacts
	Posts    *collision.HostDiscContacts
	Frames   *collision.HostFrameContacts
	Others   *collision.HostAgentContacts
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the signals to host memory.
// It returns exec.ErrCapture inside a capture.
func (s *Signals) Read(ctx context.Context) (*HostSignals, error) {
	if s == nil {
		return nil, &backend.ArgumentError{Op: prefix + "read", Argument: "signals", Value: nil, Allowed: "those of a course"}
	}
	host := new(HostSignals)
	var failed [6]error
	host.Events, failed[0] = s.Events.Read(ctx)
	if s.Posts != nil {
		host.Posts, failed[1] = s.Posts.Read(ctx)
	}
	if s.Frames != nil {
		host.Frames, failed[2] = s.Frames.Read(ctx)
	}
	if s.Others != nil {
		host.Others, failed[3] = s.Others.Read(ctx)
	}
	if s.Contacts != nil {
		host.Contacts, failed[4] = s.Contacts.Read(ctx)
	}
	if s.Places != nil {
		host.Places, failed[5] = s.Places.Read(ctx)
	}
	if err := errors.Join(failed[:]...); err != nil {
		return nil, during("read", err)
	}
	return host, nil
}

// signals returns the results of the components.
func (t *tools) signals() *Signals {
	contacts := t.borders.Contacts()
	if t.field != nil {
		contacts = t.field.Contacts()
	}
	return &Signals{Events: t.tracker.Events(), Places: t.localiser.Frames(), Contacts: contacts,
		Posts: t.posts.Contacts(), Frames: t.frames.Contacts(), Others: t.others.Contacts()}
}
