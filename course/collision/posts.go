package collision

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// PostsOutput is the name of the output of PostsStage: the discs [E*2*G_max].
const PostsOutput = "posts"

// Names of the inputs of PostsStage, which are columns of gate courses.
const (
	leftInput  = "left"
	rightInput = "right"
)

// PostsStage returns the stage that makes discs of the posts of the gates of the active envs (C-105): disc 2i of an env
// is the left post of gate i, and disc 2i+1 its right post. It reads the columns left and right of gate courses. With
// gate.WithStages it belongs to the generations of a generator.
func PostsStage() exec.Stage {
	return pipeline.StageFunc("posts", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := b.Device().Load(obstacle.Defs...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		left, right := allocate.Input[kernel.Vec3](a, leftInput), allocate.Input[kernel.Vec3](a, rightInput)
		if a.Err == nil {
			a.Err = checkPosts("build stage posts", b.Device(), left, right, b.Envs())
		}
		if a.Err != nil {
			return nil, a.Err
		}
		gates := left.Len() / b.Envs()
		posts := allocate.Output[kernel.Vec3](a, PostsOutput, 2*gates)
		return func(lc *exec.LaunchContext) {
			obstacle.Posts(lc, left.Len(), a.Active.Array(), int32(gates), left, right, posts)
		}, a.Err
	})
}
