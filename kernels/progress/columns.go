package progress

// Columns of integers of an agent: what the last update has reported, then its state.
const (
	Passed           = iota // 1 if the agent has passed the checkpoint that was next, else 0
	CheckpointPassed        // index of that checkpoint, or -1
	NextCheckpoint          // index of the checkpoint to pass
	Laps                    // complete laps
	Progress                // checkpoints passed, in all laps
	WrongWay                // 1 if the agent has gone backwards through the checkpoint that was next, else 0
	WrongCheckpoint         // index of the first other checkpoint that it has passed, or -1
	Place                   // 1 for the agent that leads
	Target                  // state: index of the checkpoint to pass
	LapsSoFar               // state: complete laps
	Total                   // state: checkpoints passed, in all laps

	Integers // number of columns of integers
)

// Columns of numbers of an agent.
const (
	DistToNext = iota // distance from the checkpoint to pass, NaN without one
	Gap               // distance along the checkpoints to the agent in front, NaN for the leader

	Floats // number of columns of numbers
)
