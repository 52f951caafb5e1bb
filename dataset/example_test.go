package dataset_test

import (
	"context"
	"fmt"
	"os"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/dataset"
	"github.com/trackgen-go/trackgen/track"
)

func Example() {
	device, _ := backend.Open("cpu")
	defer device.Close()
	folder, _ := os.MkdirTemp("", "tracks")
	defer os.RemoveAll(folder)
	store, _ := dataset.Folder(folder)
	plan := dataset.Plan{Config: track.DefaultConfig(), Tracks: 1000, ShardTracks: 250}
	result, err := dataset.Make(context.Background(), dataset.Run{Device: device, Plan: plan, Store: store})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.MadeShards, "shards,", result.Manifest.Rows, "tracks")
	// Output: 4 shards, 1000 tracks
}
