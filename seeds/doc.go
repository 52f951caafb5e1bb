// Package seeds holds what keys a generation: a seed and an epoch per env, and random numbers per env for a program's own
// use.
//
// A State holds the arrays on the device. A generator folds them into effective seeds at the start of every generation
// (R107), so a recorded generation reads the seeds and epochs of the moment of its replay. The pair (seed, epoch)
// reproduces an env: EffectiveSeed(seed, epoch) used as a seed at epoch 0 gives the same env.
//
// Everything after construction is one or two launches in stream order: it neither allocates nor waits, and it can be
// recorded into a capture. Such methods take a launch context and report errors through it.
package seeds
