// Package export writes batches of tracks to files and draws them.
//
// The formats:
//
//   - .npz, for NumPy and everything that reads it: NewNPZWriter, ReadNPZ, OpenNPZ.
//   - CSV, one row a point or one row a track: NewPointsCSV, NewSummaryCSV.
//   - JSON, whole tracks with the totals: NewTracksJSON.
//   - SVG and PNG pictures, a grid of tracks: WriteSVG, WritePNG.
//   - GeoJSON, in planar metres: NewGeoJSON.
//   - Parquet, one row a track: package export/parquet.
//
// and for one track, as a Road:
//
//   - CSV with x, y and the width to either side, as collections of real circuits have it: WriteCircuit.
//   - A folder with an occupancy-grid map of ROS, for F1TENTH (RoboRacer) simulators: WriteOccupancyMap.
//   - OpenDRIVE: WriteOpenDRIVE.
//
// Every writer of batches but the pictures takes a batch in chunks and holds no more than one chunk in memory, so that
// batches larger than memory can be written; a file written in chunks is byte for byte the file written at once. The
// bytes depend on the tracks and the metadata alone: there are no times and no names of machines in them.
//
// Files and folders appear under their name only when they are complete (AtomicFile, AtomicFolder). What is read is
// checked against the real size of the file before memory is asked for.
//
// The package works on track.Batch, tracks in host memory; nothing in it touches a device.
package export
