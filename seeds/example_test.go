package seeds_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/seeds"
)

// A State gives the base seeds at epoch 0 and new seeds at each further epoch. The host can compute them too.
func ExampleState() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	state, err := seeds.New(device, 3, seeds.Options{Base: 100})
	if err != nil {
		log.Fatal(err)
	}
	defer state.Close()
	effective, err := exec.NewArray[int32](device, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer effective.Close()

	lc, err := state.Context(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	state.Effective(lc, effective)
	fmt.Println(effective.Read(context.Background()))
	state.Advance(lc)
	state.Effective(lc, effective)
	values, err := effective.Read(context.Background())
	fmt.Println(values[1] == seeds.EffectiveSeed(101, 1), err, lc.Err())
	// Output:
	// [100 101 102] <nil>
	// true <nil> <nil>
}

// Two dice per env, thrown twice: each env has its own sequence.
func ExamplePerEnv() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	random, err := seeds.NewPerEnv(device, 3, seeds.Options{Base: 100})
	if err != nil {
		log.Fatal(err)
	}
	defer random.Close()
	dice, err := exec.NewArray[int32](device, 3*2)
	if err != nil {
		log.Fatal(err)
	}
	defer dice.Close()

	lc, err := random.Context(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		random.Integer(lc, dice, 1, 7, seeds.Samples{Rows: 2})
		if err := lc.Err(); err != nil {
			log.Fatal(err)
		}
		fmt.Println(dice.Read(context.Background()))
	}
	// Output:
	// [5 2 2 2 6 6] <nil>
	// [1 5 4 4 1 5] <nil>
}
