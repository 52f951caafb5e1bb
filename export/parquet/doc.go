// Package parquet writes batches of tracks as Parquet data sets, one row a track, for DuckDB, Polars, pandas and Spark. It
// is a package of its own so that programs which write other formats do not link a Parquet library.
//
// The columns:
//
//	env, seed, epoch   int32     number of the track, and what it was made from
//	valid              boolean
//	reason             string    empty for a valid track, else the tests that it failed, joined by "|"
//	count              int32     points of the track
//	length, winding    float     null where the number is not finite
//	candidate          int32     which of several candidates was kept (Config.Candidates)
//	component          int32     which component of a mix made the track (Config.Mix)
//	center_x, center_y, center_z, and so on for outer, inner, tangent and normal, and arclen
//	                   list<float> of count elements; null for a track with a point that is not finite
//	width_right, width_left
//	                   list<float>, measured widths of imported circuits; null for generated tracks
//
// There is no padding. The key-value metadata of the file says how to make the same tracks again:
//
//	trackgen.metadata  version, device and configuration, the JSON of export.Metadata
//	trackgen.version   of TrackGen
//	trackgen.seeds     JSON [[seed, n], ...]: n tracks with seed, seed+1, ..., in the order of the rows
//	trackgen.epochs    JSON [[epoch, n], ...]: n tracks of that epoch
//	trackgen.sha256    of the tracks, see Hash
package parquet
