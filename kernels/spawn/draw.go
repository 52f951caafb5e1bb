package spawn

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// Salts of the draws: the random stream of agent a starts from seed*9697 + 89 + (a + 1)*104729, that of its env from
// seed*9697 + 89, in wrapping int32. Nothing else uses them.
const (
	saltSpawn   = 9697
	offsetSpawn = 89
	saltAgent   = 104729
)

// Draw is what an agent has drawn: numbers from 0 to 1, 1 excluded. All are always drawn, so that none depends on
// whether the others have an effect.
type Draw struct {
	Env                                float32 // the same for all agents of the env
	Along, Lateral, Yaw, Height, Speed float32
}

// DrawOf returns what an agent of an env draws with the seed and the epoch of the env (L-62).
func DrawOf(agent, seed, epoch int32) Draw {
	effective := seeding.EffectiveSeed(seed, epoch)
	first := effective*saltSpawn + offsetSpawn
	env, _ := kernel.NewRand(first).Uniform()
	along, r := kernel.NewRand(first + (agent+1)*saltAgent).Uniform()
	lateral, r := r.Uniform()
	yaw, r := r.Uniform()
	height, r := r.Uniform()
	speed, _ := r.Uniform()
	return Draw{Env: env, Along: along, Lateral: lateral, Yaw: yaw, Height: height, Speed: speed}
}

// between returns the number at a part of a range.
func between(low, high, part float32) float32 { return low + float32((high-low)*part) }

// alongOf returns the arc length at which an agent of an env begins (L-63). half is that of its box; row and column are
// its place in a grid.
func alongOf(agent, agents, mode, row, column int32, d Draw, length float32, half kernel.Vec2,
	settings []float32) float32 {
	if mode == Anywhere {
		slot := length / float32(agents)
		gap := settings[Gap]
		if !(gap > 0) {
			gap = float32(4 * half.Len())
		}
		return float32(d.Env*length) + float32(float32(agent)*slot) + float32(kernel.Max(slot-gap, 0)*d.Along)
	}
	back := half.X + settings[Behind] + float32(0.001*length)
	if mode == Grid {
		spacing := settings[RowSpacing]
		if !(spacing > 0) {
			spacing = float32(3 * half.X)
		}
		back += float32(float32(row)*spacing) + float32(float32(column)*settings[Stagger])
	}
	return -back
}

// partOf returns where across the room an agent begins, from -1 to 1 (L-64).
func partOf(mode, column, columns int32, d Draw, settings []float32) float32 {
	part := between(settings[LateralMin], settings[LateralMax], d.Lateral)
	if mode == Grid {
		part += float32(settings[Spread] * (float32(2*column+1)/float32(columns) - 1))
	}
	return kernel.Clamp(part, -1, 1)
}

// roomOf returns how far from the line the middle of an agent may be, on a road with the given width on that side
// (L-64). Its box is turned by the angle of the given sine and cosine.
func roomOf(width float32, half kernel.Vec2, sin, cos float32) float32 {
	room := width - (float32(half.X*kernel.Abs(sin)) + float32(half.Y*kernel.Abs(cos)))
	if !(room > 0) {
		return 0
	}
	return room
}
