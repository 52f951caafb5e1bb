package preview

// A channel has a slot: its place in the last axis of the observations. Slots are packed, SlotsPerWord of them in an
// int32, so that a kernel has them in registers.
const (
	SlotsPerWord = 6
	slotBits     = 5

	// NoSlot stands for a channel that is not wanted.
	NoSlot = 1<<slotBits - 1
	// NoSlots is a word of channels of which none is wanted.
	NoSlots = 1<<(SlotsPerWord*slotBits) - 1
)

// Channels of lines, from 0 on in the first word of slots, from SlotsPerWord on in the second, and so on.
const (
	CenterX = iota
	CenterY
	CenterZ
	LeftX
	LeftY
	LeftZ

	RightX
	RightY
	RightZ
	WidthLeft
	WidthRight
	Curvature

	HeadingCos
	HeadingSin
	TangentX
	TangentY
	TangentZ
	Height

	Grade
	Speed
)

// Channels of gates.
const (
	GateX = iota
	GateY
	GateZ
	ForwardX
	ForwardY
	ForwardZ

	GateLeftX
	GateLeftY
	GateLeftZ
	GateRightX
	GateRightY
	GateRightZ

	HalfSize
	Distance
)

// put writes a value to the slot of a channel, the number of which counts within the word. The values of a place begin
// at element at.
func put(word, channel, at int32, value float32, out []float32) {
	slot := word >> (channel * slotBits & 31) & NoSlot
	if slot != NoSlot {
		out[at+slot] = value
	}
}
