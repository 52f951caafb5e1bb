// Package collision tells for every box, such as a car, whether and where it touches the borders of its track, discs,
// the frames of gates and other boxes (docs/spec/course.md, C-70 to C-79):
//
//	checker, err := collision.NewBorders(device, collision.BordersOf(tracks), collision.BordersConfig{Boxes: 1})
//	...
//	err = checker.Bind(collision.Boxes{Position: position, Orientation: orientation, HalfExtents: halfExtents})
//	...
//	contacts, err := checker.Query(ctx) // in each step; contacts stay on the device
//	...
//	host, err := contacts.Read(ctx)
//	fmt.Println(host.OutOfBounds, host.Distance)
//
// Borders is exact, and its work grows with the logarithm of the number of points; Field looks up a baked grid, whose
// work does not depend on the track. After a generation of tracks, call Refresh, or make the stage of the checker part
// of the generation.
package collision
