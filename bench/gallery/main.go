// Gallery draws the pictures of the README and of docs.
//
//	go run ./bench/gallery docs/images
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
)

// drawings are the pictures, by the name of the file.
var drawings = []struct {
	name string
	draw func(ctx context.Context, device backend.Device) ([]byte, error)
}{
	{"tracks.png", drawTracks},
	{"hills.png", drawHills},
	{"hills-oblique.png", drawHillsObliquely},
	{"gates.png", drawGates},
	{"gates-oblique.png", drawGatesObliquely},
	{"hills-and-gates.png", drawBoth},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gallery FOLDER")
		os.Exit(2)
	}
	if err := drawAll(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

// drawAll draws all pictures into a folder.
func drawAll(ctx context.Context, folder string) (err error) {
	device, err := backend.Open("cpu")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	for _, d := range drawings {
		picture, err := d.draw(ctx, device)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, d.name), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}
