// Package seeds holds the key of a generation, a seed and an epoch per env, and draws random numbers per env for a
// program's own use.
//
// A State holds the arrays on the device. A generator folds them into effective seeds at the start of every generation
// (R107), so a replay of a recorded generation reads the current seeds and epochs. The pair (seed, epoch) reproduces an
// env: EffectiveSeed(seed, epoch) as the seed at epoch 0 gives the same env.
//
// Everything after construction is one or two launches in stream order: it neither allocates nor waits, and it can be
// recorded into a capture. These methods take a launch context and report errors through it.
package seeds
