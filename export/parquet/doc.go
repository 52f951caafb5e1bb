// Package parquet writes batches of tracks as Parquet data sets, one row a track, for DuckDB, Polars, pandas and Spark.
// It is a package of its own so that programs which write other formats do not link a Parquet library.
//
// The columns are those of docs/results.md in the order of export.Table:
//
//	env         int32     number of the track
//	valid       boolean
//	reason      string    empty for a valid track, else the tests that it failed, joined by "|"
//	of one value per env
//	            int32     null where nobody has computed it
//	            float     null where the number is not finite
//	of points   list<float> of count elements; null for a track with a point that is not finite, and where nobody has
//	            computed it. A vector has three: center_x, center_y, center_z
//
// There is no padding. The key-value metadata of the file says how to make the same tracks again:
//
//	trackgen.metadata  version, device and configuration, the JSON of export.Metadata
//	trackgen.version   of TrackGen
//	trackgen.seeds     JSON [[seed, n], ...]: n tracks with seed, seed+1, ..., in the order of the rows
//	trackgen.epochs    JSON [[epoch, n], ...]: n tracks of that epoch
//	trackgen.sha256    of the tracks, see Hash
package parquet
