package exec

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
)

// StageSlot identifies one stage of a producer. While the stage emits through Run, its launch context knows the slot.
// The class decides whether a bounded loop may end early (R39) and whether HostOps are available (R84).
//
// One goroutine at a time uses a slot, as with its producer.
type StageSlot struct {
	id     string
	class  CaptureClass
	device backend.Device
	word   HostArray[int32] // for HostOps.ReadInt32; HOST only
	ops    HostOps
}

// NewStageSlot returns the slot of a stage. For a HOST stage it allocates one word of host memory, so that reading back
// a number allocates nothing.
func NewStageSlot(device backend.Device, id string, class CaptureClass) (*StageSlot, error) {
	const op = "new stage slot"
	if err := CheckDevice(op, device); err != nil {
		return nil, err
	}
	if id == "" {
		return nil, &backend.ArgumentError{Op: op, Argument: "id", Value: `""`, Allowed: "a name"}
	}
	if class > Host {
		return nil, &backend.ArgumentError{Op: op, Argument: "class", Value: class, Allowed: "static, bounded or host"}
	}
	s := &StageSlot{id: id, class: class, device: device}
	if class == Host {
		var err error
		if s.word, err = NewHostArray[int32](device, 1); err != nil {
			return nil, Doing(op, err)
		}
	}
	return s, nil
}

// ID returns the name of the stage, empty for the nil slot.
func (s *StageSlot) ID() string {
	if s == nil {
		return ""
	}
	return s.id
}

// Class returns the class of the stage, Static for the nil slot.
func (s *StageSlot) Class() CaptureClass {
	if s == nil {
		return Static
	}
	return s.class
}

// Run emits the work of the stage through lc. lc refers to the slot until body returns.
func (s *StageSlot) Run(lc *LaunchContext, body Enqueue) {
	const op = "run stage"
	if !lc.accepts(op) {
		return
	}
	if s == nil || body == nil {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "slot or body", Value: nil, Allowed: "a slot and a function"})
		return
	}
	if s.device != lc.device {
		lc.Fail(mismatch(op, s.label(), s.device, lc.device))
		return
	}
	outer := lc.slot
	lc.slot = s
	defer func() { lc.slot = outer }()
	lc.enqueue(body, s)
}

// Close releases the memory of the slot; closing twice does nothing.
func (s *StageSlot) Close() error {
	if s == nil {
		return nil
	}
	return s.word.Close()
}

// label names the stage in a message.
func (s *StageSlot) label() string {
	if s == nil {
		return "no stage"
	}
	return fmt.Sprintf("stage %q", s.id)
}
