// Package dataset makes data sets of tracks of any size: files ("shards") of a fixed range of seeds each, which any
// number of processes and machines make, and a manifest that says what they hold.
//
//	plan := dataset.Plan{Config: config, Tracks: 1_000_000}
//	store, err := dataset.Folder("tracks")
//	...
//	result, err := dataset.Make(ctx, dataset.Run{Device: device, Plan: plan, Store: store})
//	fmt.Println(result.Complete, result.Made, "shards made,", result.Kept, "kept")
//
// A track is a function of the configuration, its seed and its epoch alone. So a shard has the same bytes wherever it
// is made, and machines share nothing but a store: process i of n makes the shards i, i+n, i+2n, ... (Run.Part), a run
// that was killed is started again and makes only what is missing or damaged, and two processes that make the same
// shard do no harm. Verify makes shards again and compares; Merge joins the stores of machines that share none.
//
// A store holds these objects, each of which appears when it is complete:
//
//	_plan.json                         what the data set holds and how it is cut, written first
//	tracks-00000-of-00016.parquet      the shards
//	_records/00000.json                one record for each finished shard: rows, bytes, SHA-256
//	manifest.json                      the plan and all records, written when the last shard is finished
//
// None of them has a time or the name of a machine or of a device in it. Names that begin with _ are skipped by
// programs that read a folder of Parquet files, such as Spark and DuckDB's and Hugging Face's loaders.
//
// A data set belongs to one version of TrackGen: another version refuses to add to it, because it may make other tracks
// of the same seeds.
package dataset
