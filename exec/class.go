package exec

import "fmt"

// CaptureClass says what a stage may do while it is being captured.
type CaptureClass uint8

// The capture classes.
const (
	Static  CaptureClass = iota // a fixed list of launches
	Bounded                     // loops with a fixed bound that the device may leave early
	Host                        // works on the host between launches: cannot be captured
)

// String returns the name of the class.
func (c CaptureClass) String() string {
	switch c {
	case Static:
		return "static"
	case Bounded:
		return "bounded"
	case Host:
		return "host"
	default:
		return fmt.Sprintf("CaptureClass(%d)", uint8(c))
	}
}
