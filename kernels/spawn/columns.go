package spawn

// Settings: numbers that all envs share. Ranges are two successive numbers.
const (
	LateralMin = iota // parts of the room on either side, > 0 to the right
	LateralMax
	YawMin // radians from the direction of the line, counter-clockwise
	YawMax
	HeightMin // above the line
	HeightMax
	SpeedMin // along the agent
	SpeedMax
	Behind     // from the front of an agent to the start
	Corridor   // room on either side of a line without widths
	Gap        // along the line between agents anywhere; 0: by their boxes
	RowSpacing // of a grid; 0: by the boxes
	Stagger    // how much farther back each column of a grid is
	Spread     // of the columns of a grid over the room

	Settings // number of settings
)

// Columns of spots: where and how agents were put. Column c of n agents in all envs is the elements from c*n to
// c*n+n-1 of one array.
const (
	SpotS      = iota // arc length
	SpotN             // to the right of the line
	SpotHeight        // above it
	SpotYaw           // from its direction
	SpotSpeed

	Spots // number of columns
)

// Modes.
const (
	Start = iota
	Anywhere
	Grid
)

// Bits of what arrays there are, and of the attitude.
const (
	HasWidths = 1 << iota
	HasHalf
	HasVelocity
	Pitched // agents look along the line in space, not in plan view
)
