// Package reward rewards the agents of a race, and ends their episodes: progress along the line, checkpoints, laps and
// their times, the wrong way, the road, contacts and control, each in a column of its own, and their weighted sum.
//
//	judge, err := reward.New(device, reward.SourceOf(track), config)
//	...
//	err = judge.Bind(reward.Inputs{S: places.S, CheckpointPassed: events.CheckpointPassed, Action: action})
//	outcomes, err := judge.Update(ctx) // once in every step: Reward, Terminated, Truncated, Done
//	...
//	err = judge.Reset(ctx, outcomes.Done) // the episodes of these envs begin with the next update
//
// The first update of an episode notes where the agent begins: its reward is 0, and nothing ends. An agent whose arc
// length is NaN is paused: its reward is 0 and nothing ends, and after the pause it goes on from where it is then
// (docs/spec/race.md, L-40 to L-53).
//
// Terminated and Truncated are those of Gymnasium's Env.step, and Return and Length those of its
// RecordEpisodeStatistics.
package reward
