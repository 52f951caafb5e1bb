package main

import (
	"bytes"
	"context"
	"image"
	"image/draw"
	"image/png"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/export"
)

// drawBoth draws a track with hills and a gate course side by side.
func drawBoth(ctx context.Context, device backend.Device) ([]byte, error) {
	batch, err := hills(ctx, device)
	if err != nil {
		return nil, err
	}
	style := export.Picture{Envs: []int{1}, CellSize: 456, View: export.ViewOblique}
	left, err := pngOf(batch, style)
	if err != nil {
		return nil, err
	}
	style.Envs, style.Unit = []int{0}, "m"
	right, err := pngOfGates(ctx, device, style)
	if err != nil {
		return nil, err
	}
	return sideBySide(left, right)
}

// sideBySide puts two images beside each other, on the background of the first one.
func sideBySide(files ...[]byte) ([]byte, error) {
	var images []image.Image
	var size image.Point
	for _, file := range files {
		picture, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			return nil, err
		}
		images = append(images, picture)
		size.X, size.Y = size.X+picture.Bounds().Dx(), max(size.Y, picture.Bounds().Dy())
	}
	all := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(all, all.Bounds(), image.NewUniform(images[0].At(0, 0)), image.Point{}, draw.Src)
	at := image.Point{}
	for _, picture := range images {
		draw.Draw(all, picture.Bounds().Add(at), picture, image.Point{}, draw.Src)
		at.X += picture.Bounds().Dx()
	}
	var out bytes.Buffer
	err := png.Encode(&out, all)
	return out.Bytes(), err
}
