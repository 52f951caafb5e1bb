package race

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Channels of sense. Those below VelocityX are the columns of the motion of vehicles: see package kernels/vehicle.
const (
	VelocityX int32 = iota + 16 // velocity along the axes of the body
	VelocityY
	VelocityZ
	UpX // vertical of the world along the axes of the body
	UpY
	UpZ
)

// sense writes what an agent knows of its own motion (L-27): channels values for each of number agents, times scale.
// channel has their numbers and scale their factors; velocity has the position of the agents, then their velocity,
// motion the columns of the vehicles. All values of an agent that does not see (L-25) are NaN. One item is one value.
//
//kernel:thread
func sense(i, number, channels int32, channel []int32, scale []float32, velocity []kernel.Vec3,
	orientation []kernel.Quat, motion, out []float32) {
	agent := i / channels
	k := i - agent*channels
	f := vector.FrameOf(velocity[agent], orientation[agent], 1)
	if !f.Sees() {
		out[i] = kernel.NaN()
		return
	}
	wanted := channel[k]
	value := float32(0)
	if wanted < VelocityX {
		value = motion[wanted*number+agent]
	} else if wanted < UpX {
		v := vector.Along(velocity[number+agent], f.Forward, f.Left, f.Up)
		value = v.X
		if wanted == VelocityY {
			value = v.Y
		} else if wanted == VelocityZ {
			value = v.Z
		}
	} else {
		value = f.Forward.Z
		if wanted == UpY {
			value = f.Left.Z
		} else if wanted == UpZ {
			value = f.Up.Z
		}
	}
	out[i] = float32(value * scale[k])
}

// join copies the length values that a part of the observations has for each agent into the vectors of the agents, of
// width values, from offset on (L-28). A value that is not finite becomes 0. One item is one value of the part.
//
//kernel:thread
//kernel:unproven
func join(i, length, width, offset int32, part, vector []float32) {
	agent := i / length
	value := part[i]
	if !kernel.IsFinite(value) {
		value = 0
	}
	vector[agent*width+offset+(i-agent*length)] = value
}
