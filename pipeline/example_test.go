package pipeline_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/seeds"
)

// A producer with one stage that counts its generations on the device.
func Example() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	state, err := seeds.New(device, 3, seeds.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer state.Close()

	count := pipeline.StageFunc("count", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		generations, err := pipeline.Output[int32](b, "generations", 1)
		envs := b.Envs()
		return func(lc *exec.LaunchContext) { seeding.Advance(lc, envs, generations) }, err
	})
	stages := []exec.Stage{pipeline.SeedStage(state), count}

	builder, err := pipeline.NewBuilder(device, 3)
	if err != nil {
		log.Fatal(err)
	}
	program, err := builder.Build(stages...)
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	runner, err := exec.NewGraphRunner(device, program.RunnerOptions("counter"))
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	for range 5 {
		if _, err := runner.Run(context.Background(), program.Enqueue, exec.RunOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	generations, err := pipeline.ArrayOf[int32](program, "generations")
	if err != nil {
		log.Fatal(err)
	}
	values, err := generations.Read(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [5 5 5]
}
