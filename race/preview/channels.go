package preview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/kernels/preview"
)

// Channels of Config.Channels. Points are in the frame of the agent: x forward, y to the left, z up (L-21). Lengths are
// multiplied by Config.LengthScale.
const (
	CenterX = "center_x" // point of the line
	CenterY = "center_y"
	CenterZ = "center_z"
	LeftX   = "left_x" // point of the left border
	LeftY   = "left_y"
	LeftZ   = "left_z"
	RightX  = "right_x" // point of the right border
	RightY  = "right_y"
	RightZ  = "right_z"

	WidthLeft  = "width_left"  // distance between the points of the line and of the left border
	WidthRight = "width_right" // distance between the points of the line and of the right border
	Curvature  = "curvature"   // in 1/length, > 0 to the left; times CurvatureScale

	HeadingCos = "heading_cos" // cosine of the angle from the heading of the agent to that of the line, in plan view
	HeadingSin = "heading_sin" // sine of it, > 0 where the line goes to the left
	TangentX   = "tangent_x"   // unit direction of the line
	TangentY   = "tangent_y"
	TangentZ   = "tangent_z"
	Height     = "height" // height of the line above the agent, vertical in the world
	Grade      = "grade"  // rise of the line by its length in plan view
	Speed      = "speed"  // of the profile of the source, times SpeedScale
)

// Channels of GateConfig.Channels.
const (
	GateX     = "gate_x" // middle of the gate
	GateY     = "gate_y"
	GateZ     = "gate_z"
	ForwardX  = "forward_x" // unit normal of the gate, in the direction of travel
	ForwardY  = "forward_y"
	ForwardZ  = "forward_z"
	GateLeftX = "gate_left_x" // left post
	GateLeftY = "gate_left_y"
	GateLeftZ = "gate_left_z"

	GateRightX = "gate_right_x" // right post
	GateRightY = "gate_right_y"
	GateRightZ = "gate_right_z"
	HalfSize   = "half_size" // half of the distance between the posts
	Distance   = "distance"  // of the middle of the gate from the agent
)

// channels lists the names of channels, each at the index of its number in the kernels.
var (
	channels = []string{preview.CenterX: CenterX, preview.CenterY: CenterY, preview.CenterZ: CenterZ,
		preview.LeftX: LeftX, preview.LeftY: LeftY, preview.LeftZ: LeftZ,
		preview.RightX: RightX, preview.RightY: RightY, preview.RightZ: RightZ,
		preview.WidthLeft: WidthLeft, preview.WidthRight: WidthRight, preview.Curvature: Curvature,
		preview.HeadingCos: HeadingCos, preview.HeadingSin: HeadingSin,
		preview.TangentX: TangentX, preview.TangentY: TangentY, preview.TangentZ: TangentZ,
		preview.Height: Height, preview.Grade: Grade, preview.Speed: Speed}
	gateChannels = []string{preview.GateX: GateX, preview.GateY: GateY, preview.GateZ: GateZ,
		preview.ForwardX: ForwardX, preview.ForwardY: ForwardY, preview.ForwardZ: ForwardZ,
		preview.GateLeftX: GateLeftX, preview.GateLeftY: GateLeftY, preview.GateLeftZ: GateLeftZ,
		preview.GateRightX: GateRightX, preview.GateRightY: GateRightY, preview.GateRightZ: GateRightZ,
		preview.HalfSize: HalfSize, preview.Distance: Distance}
)

// borderChannels are those that need borders.
var borderChannels = []string{LeftX, LeftY, LeftZ, RightX, RightY, RightZ, WidthLeft, WidthRight}

// Channels lists all channels of a Preview.
func Channels() []string { return slices.Clone(channels) }

// GateChannels lists all channels of Gates.
func GateChannels() []string { return slices.Clone(gateChannels) }

// checkChannels refuses a list of channels that is empty, or names one twice or one that is not known.
func checkChannels(names, known []string) error {
	allowed := "a list of different channels of " + strings.Join(known, ", ")
	if len(names) == 0 {
		return &config.Error{Field: "channels", Value: "empty", Allowed: allowed}
	}
	for i, name := range names {
		if !slices.Contains(known, name) || slices.Contains(names[:i], name) {
			return &config.Error{Field: fmt.Sprintf("channels[%d]", i), Value: fmt.Sprintf("%q", name), Allowed: allowed}
		}
	}
	return nil
}

// slotsOf packs the places of channels in a list for the kernels.
func slotsOf(names, known []string) (words [4]int32) {
	const bits = 5
	for i := range words {
		words[i] = preview.NoSlots
	}
	for slot, name := range names {
		number := slices.Index(known, name)
		shift := number % preview.SlotsPerWord * bits
		words[number/preview.SlotsPerWord] ^= int32(preview.NoSlot^slot) << shift
	}
	return words
}
